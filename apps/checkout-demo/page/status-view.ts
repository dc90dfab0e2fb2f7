import { byId, show } from './elements.js';
import { inEveryLanguage, t } from './language.js';
import type { TextKey } from './texts.js';

const TONES: Record<string, 'good' | 'bad'> = { succeeded: 'good', refused: 'bad', rejected: 'bad', expired: 'bad', unknown: 'bad' };

let shown = { status: 'ready', reason: '', isLate: false };

/** The one live region: what is said here is read out. */
export function showStatus(status: string, reason = '', isLate = false): void {
  if (status === shown.status && reason === shown.reason && isLate === shown.isLate) return;
  shown = { status, reason, isLate };
  render();
}

export function keepStatusInEveryLanguage(): void {
  inEveryLanguage(render);
}

export const showConnection = (isLost: boolean): void => show(byId('connection'), isLost);

function render(): void {
  const { status, reason, isLate } = shown;
  const element = byId('status');
  const texts = [t((isLate ? 'status.late' : `status.${status}`) as TextKey), ...(reason === '' ? [] : [t(`reason.${reason}` as TextKey)])];
  element.textContent = texts.join(' ');
  element.dataset.status = status;
  element.dataset.reason = reason;
  element.dataset.tone = TONES[status] ?? 'wait';
}

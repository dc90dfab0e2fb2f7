import { byId, show } from './elements.js';
import { inEveryLanguage, t } from './language.js';
import type { TextKey } from './texts.js';

const TONES: Record<string, 'good' | 'bad'> = {
  succeeded: 'good',
  refused: 'bad',
  rejected: 'bad',
  expired: 'bad',
  unknown: 'bad',
};

let shown: { status: string; reason: string; says?: TextKey } = { status: 'ready', reason: '' };

/** The page's only live region: screen readers read its changes aloud. `says` replaces the status's text by a more exact one. */
export function showStatus(status: string, reason = '', says?: TextKey): void {
  if (status === shown.status && reason === shown.reason && says === shown.says) return;
  shown = { status, reason, says };
  render();
}

export function keepStatusInEveryLanguage(): void {
  inEveryLanguage(render);
}

export const showConnection = (isLost: boolean): void => show(byId('connection'), isLost);

function render(): void {
  const { status, reason, says } = shown;
  const element = byId('status');
  const texts = [
    t(says ?? (`status.${status}` as TextKey)),
    ...(reason === '' ? [] : [t(`reason.${reason}` as TextKey)]),
  ];
  element.textContent = texts.join(' ');
  element.dataset.status = status;
  element.dataset.reason = reason;
  element.dataset.tone = TONES[status] ?? 'wait';
}

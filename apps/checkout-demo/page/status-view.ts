import { byId, show } from './elements.js';
import { inEveryLanguage, t } from './language.js';
import type { TextKey } from './texts.js';

/** `wait`: this page will change soon. `hold`: it may stay so for hours. Other states belong to the form. */
const TONES: Record<string, 'good' | 'bad' | 'wait' | 'hold'> = {
  succeeded: 'good',
  refused: 'bad',
  rejected: 'bad',
  expired: 'bad',
  unknown: 'bad',
  closed: 'bad',
  waiting: 'wait',
  redirect: 'hold',
  pending: 'hold',
  in_doubt: 'hold',
  conflict: 'hold',
  cancelled: 'hold',
};

/** States in which the person stays at the form: its button says them. */
const AT_THE_FORM = ['ready', 'tokenizing', 'sending'];

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

export const statusText = (): string =>
  t(shown.says ?? (`status.${isFailure(shown.status) ? 'failed' : shown.status}` as TextKey));

const isFailure = (status: string): boolean => ['refused', 'rejected'].includes(status);

function render(): void {
  const { status, reason } = shown;
  const element = byId('status');
  element.textContent = [statusText(), ...(reason === '' ? [] : [t(`reason.${reason}` as TextKey)])].join(' ');
  element.dataset.status = status;
  element.dataset.reason = reason;
  const isAtForm = AT_THE_FORM.includes(status) && !location.pathname.startsWith('/orders/');
  const tone = TONES[status] ?? 'wait';
  const outcome = byId('outcome');
  element.classList.toggle('unseen', isAtForm);
  if (isAtForm) delete outcome.dataset.tone;
  else outcome.dataset.tone = tone;
  outcome.querySelector<HTMLElement>('.mark')?.setAttribute('data-tone', tone);
  const heading = t(isAtForm ? 'checkout' : headingOf(status));
  byId('heading').textContent = heading;
  document.title = `${heading} – Maison Roitelet`;
}

function headingOf(status: string): TextKey {
  if (isFailure(status) || status === 'expired') return 'heading.failed';
  if (['in_doubt', 'conflict'].includes(status)) return 'heading.doubt';
  if (['ready', 'tokenizing', 'sending', 'waiting'].includes(status)) return 'heading.waiting';
  return `heading.${status}` as TextKey;
}

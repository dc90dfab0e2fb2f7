import type { Merchant } from '@tranche/contracts';
import { mayWait, optionOf } from '../platform-methods.js';
import type { Decision } from '../transactions/state-machine.js';
import type { Transaction } from '../transactions/transaction.js';

type Button = readonly [decision: Decision, text: string];

const OF_THE_BUYER: readonly Button[] = [
  ['validate', 'Validate the payment'],
  ['abandon', 'Cancel and return to the shop'],
];

/** A buyer has no such buttons: they play what a provider decides by itself. */
const OF_THE_PROVIDER: readonly Button[] = [
  ['pending', 'Hold the payment for approval'],
  ['refuse', 'Refuse the payment'],
];

/** HTML of the provider's form. It works without scripts and escapes all values from the request. */
export function formPage(transaction: Transaction, merchant: Merchant): string {
  const { title, instalments } = optionOf(transaction.paymentOption) ?? {
    title: 'Confirm your payment',
    instalments: 1,
  };
  const amounts = instalmentsOf(transaction.amount, instalments).map((amount) => money(amount, merchant.currency));
  const schedule =
    amounts.length < 2
      ? ''
      : `<ol>${amounts.map((amount, month) => `<li>${escapeHtml(amount)} ${when(month)}</li>`).join('')}</ol>`;
  const birthDate =
    transaction.method === 'A'
      ? `<label>Date of birth<input type="date" name="birthDate" value="${escapeHtml(transaction.birthDate ?? '')}"></label>`
      : '';
  const buttons = (all: readonly Button[]) =>
    all
      .filter(([decision]) => decision !== 'pending' || mayWait(transaction.method))
      .map(([decision, text]) => `<button name="decision" value="${decision}">${text}</button>`)
      .join('');
  return page(
    title,
    `<dl><dt>Merchant</dt><dd>${escapeHtml(merchant.merchant)}</dd><dt>Order</dt><dd>${escapeHtml(transaction.orderId)}</dd>` +
      `<dt>Amount</dt><dd>${escapeHtml(money(transaction.amount, merchant.currency))}</dd></dl>${schedule}` +
      `<form method="post">${birthDate}${buttons(OF_THE_BUYER)}</form><p class="note">A simulated provider: no money moves.</p>`,
    `<form method="post"><fieldset><legend>Simulator only: decide as the provider</legend>${buttons(OF_THE_PROVIDER)}</fieldset></form>`,
  );
}

export function resultPage(transaction: Transaction, returnAddress: string | undefined): string {
  const link =
    returnAddress === undefined ? '' : `<p><a href="${escapeHtml(returnAddress)}">Return to the merchant</a></p>`;
  return page(
    'This form is finished',
    `<p>Order ${escapeHtml(transaction.orderId)}: ${escapeHtml(transaction.execCode)}</p>${link}`,
  );
}

export const notFoundPage = (): string => page('No such payment', '<p>This payment does not exist, or no longer.</p>');

export const choicePage = (): string =>
  page('Choose one', '<p>Please go back and choose what is offered on the form.</p>');

/** Equal parts in minor units; the first one includes the remainder. */
export function instalmentsOf(amount: number, count: number): number[] {
  const part = Math.floor(amount / count);
  return Array.from({ length: count }, (_, index) => (index === 0 ? amount - part * (count - 1) : part));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const when = (month: number) => (month === 0 ? 'today' : month === 1 ? 'in a month' : `in ${month} months`);

function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const STYLE =
  ':root{color-scheme:light dark;--ground:#f1f2f7;--card:#fff;--ink:#1c1c28;--soft:#555566;--edge:#85859a;--strong:#2b4c9b;--on:#fff}' +
  '@media(prefers-color-scheme:dark){:root{--ground:#14151c;--card:#1e2029;--ink:#eeeef4;--soft:#b0b0c0;--edge:#85859a;--strong:#a9bff5;--on:#101425}}' +
  'body{font:1rem/1.5 Inter,-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;margin:0;color:var(--ink);background:var(--ground)}' +
  'main{max-width:27rem;margin:2rem auto;padding:0 1rem}section,fieldset{padding:1.5rem;border:0;border-radius:.9rem;background:var(--card)}' +
  'h1{font-size:1.3rem;line-height:1.25;margin:0 0 1rem}fieldset{margin:1rem 0 0;border:1px dashed var(--edge);background:none;padding:.9rem 1.5rem 1.5rem}' +
  'legend{float:left;width:100%;margin-bottom:.6rem;padding:0;color:var(--soft);font-size:.875rem}dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0}' +
  'dt,.note{color:var(--soft)}dd{margin:0;text-align:right;overflow-wrap:anywhere}ol{margin:1rem 0 0;padding:0;list-style:none}li{padding:.3rem 0;border-top:1px solid var(--ground)}' +
  'label{display:flex;justify-content:space-between;align-items:center;gap:1rem;margin-top:.6rem}input{font:inherit;color:inherit;background:none;border:1px solid var(--edge);border-radius:.5rem;padding:.5rem}' +
  'button{display:block;width:100%;min-height:2.75rem;margin-top:.6rem;padding:.6rem;font:inherit;color:inherit;border:1px solid var(--edge);border-radius:.6rem;background:var(--card);cursor:pointer}' +
  'button[value=validate]{margin-top:1rem;border-color:var(--strong);background:var(--strong);color:var(--on);font-weight:600}' +
  ':focus-visible{outline:3px solid var(--strong);outline-offset:2px}a{color:var(--strong)}.note{font-size:.875rem;margin:1rem 0 0}';

/** `below` is beside the page's own section. */
function page(title: string, content: string, below = ''): string {
  const whole = `<section><h1>${escapeHtml(title)}</h1>${content}</section>${below}`;
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main>${whole}</main></body></html>`
  );
}

import type { Merchant } from '@tranche/contracts';
import { mayWait, optionOf } from '../platform-methods.js';
import type { Decision } from '../transactions/state-machine.js';
import type { Transaction } from '../transactions/transaction.js';

const BUTTONS: readonly [decision: Decision, text: string][] = [
  ['validate', 'Validate the payment'],
  ['pending', 'Put on hold for approval'],
  ['refuse', 'Refuse (as the provider)'],
  ['abandon', 'Abandon'],
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
      ? `<label>Date of birth <input type="date" name="birthDate" value="${escapeHtml(transaction.birthDate ?? '')}"></label>`
      : '';
  const buttons = BUTTONS.filter(([decision]) => decision !== 'pending' || mayWait(transaction.method))
    .map(([decision, text]) => `<button name="decision" value="${decision}">${text}</button>`)
    .join('');
  return page(
    title,
    `<dl><dt>Merchant</dt><dd>${escapeHtml(merchant.merchant)}</dd><dt>Order</dt><dd>${escapeHtml(transaction.orderId)}</dd>` +
      `<dt>Amount</dt><dd>${escapeHtml(money(transaction.amount, merchant.currency))}</dd></dl>${schedule}` +
      `<form method="post">${birthDate}${buttons}</form><p class="note">A simulated provider: no money moves.</p>`,
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
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:2rem auto;padding:0 1rem;color:#1c1c28;background:#f4f4f8}' +
  'main{background:#fff;padding:1.5rem;border-radius:.75rem;box-shadow:0 1px 4px #0003}h1{font-size:1.3rem;margin-top:0}' +
  'dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}dt{color:#5a5a68}dd{margin:0;text-align:right;overflow-wrap:anywhere}' +
  'label,button{display:block;width:100%;box-sizing:border-box;margin-top:.6rem}input{font:inherit;float:right}' +
  'button{font:inherit;padding:.7rem;border:1px solid #b8b8c8;border-radius:.5rem;background:#fff;cursor:pointer}' +
  'button:first-of-type{background:#2b4c9b;border-color:#2b4c9b;color:#fff}.note{color:#5a5a68;font-size:.85rem;margin-bottom:0}';

function page(title: string, content: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`
  );
}

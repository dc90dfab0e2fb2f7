import type { Merchant } from '@tranche/contracts';
import { emptyOrder, fold, type OrderState } from '@tranche/order-journal';
import { aCapture, aCardPayment, aPartnerAAuthorization, aRefund } from '@tranche/testing';
import type { AcceptedCommand } from './accepted-command.js';
import { prepareAttempt } from './payment-platform.service.js';

const NOW_MS = Date.parse('2026-03-01T10:00:00.000Z');
const merchant: Merchant = {
  ...{ merchant: 'shop-fr', identifier: 'SHOP', accountKey: 'k', market: 'FR', currency: 'EUR', lookup: false },
};
const orders = { merchant: 'shop-fr', orderId: 'order-1' };

function prepared(
  operation: string,
  data: object,
  settings: Partial<Merchant> = {},
  order: OrderState = emptyOrder('shop-fr', 'order-1'),
) {
  const identity = { operation, data, merchant: { ...merchant, ...settings }, orderId: 'order-1', commandId: 'c' };
  const rail = operation === 'pay' ? 'card' : 'partner-a';
  const command = { ...identity, rail, timeMs: NOW_MS, orderKey: 'shop-fr/order-1', contentHash: 'hash' };
  const attempt = prepareAttempt(command as unknown as AcceptedCommand, order, 1, NOW_MS);
  if ('faults' in attempt) throw new Error(JSON.stringify(attempt.faults));
  return attempt;
}

it.each([
  ['an authorization', 'authorize', aPartnerAAuthorization(orders), { lookup: true }, { mayLookUp: true }],
  ['a card payment', 'pay', aCardPayment(orders), { lookup: true }, { mayLookUp: true }],
  ['a capture, which never waits', 'capture', aCapture({ ...orders, transactionId: 'T1' }), { lookup: true }, {}],
  ['an authorization without the setting', 'authorize', aPartnerAAuthorization(orders), {}, {}],
])('look-ups of %s are allowed by its INTENT: %j', (_what, operation, data, settings, permits) => {
  expect(prepared(operation, data, settings).permits).toEqual(permits);
});

function doubtful(method: 'A' | 'B' | 'card', operation: 'authorize' | 'pay' = 'authorize'): OrderState {
  const at = new Date(NOW_MS).toISOString();
  const identity = {
    rulesVersion: 1,
    merchant: 'shop-fr',
    orderId: 'order-1',
    at,
    commandId: 'a',
    attempt: 1,
    token: 't',
  };
  const terms = { operation, method, currency: 'EUR', amount: 20_000, contentHash: 'a' } as const;
  const open = fold(emptyOrder('shop-fr', 'order-1'), { record: 'INTENT', ...identity, ...terms }, 0n).order;
  return fold(open, { record: 'IN_DOUBT', ...identity, reason: 'timeout', message: '' }, 1n).order;
}

it.each([
  ['of method A, whose every answer is a form', doubtful('A'), 'a', true, { supersedesDoubt: true }],
  ['of method B, which may succeed without one', doubtful('B'), 'a', true, {}],
  ['that is a card payment', doubtful('card', 'pay'), 'a', true, {}],
  ['of method A, without the setting', doubtful('A'), 'a', false, {}],
  ['that nobody knows', doubtful('A'), 'b', true, {}],
])(
  'an authorization %s may be superseded in doubt by permission of the INTENT: %j',
  (_what, order, supersedes, allows, permits) => {
    const data = { ...aPartnerAAuthorization(orders), supersedes };
    expect(prepared('authorize', data, { supersedeDoubtfulForms: allows }, order).permits).toEqual(permits);
  },
);

it.each([
  ['an authorization, its command', 'authorize', { ...aPartnerAAuthorization(orders), currency: 'CHF' }, 'CHF'],
  ['an authorization that names none, the merchant', 'authorize', aPartnerAAuthorization(orders), 'EUR'],
  ['a capture, what it captures', 'capture', aCapture({ ...orders, transactionId: 'T-chf' }), 'CHF'],
  [
    'a capture of what the order does not show, the merchant',
    'capture',
    aCapture({ ...orders, transactionId: 'T2' }),
    'EUR',
  ],
])('the currency of %s says', (_what, operation, data, currency) => {
  const at = new Date(NOW_MS).toISOString();
  const identity = { rulesVersion: 1, ...orders, at, commandId: 'a', attempt: 1, token: 't' };
  const terms = { operation: 'authorize', method: 'A', currency: 'CHF', amount: 20_000, contentHash: 'a' } as const;
  const answer = { execCode: '0000', transactionId: 'T-chf' };
  const records = [
    { record: 'INTENT', ...identity, ...terms },
    { record: 'OUTCOME', ...identity, result: 'succeeded', answer },
  ] as const;
  const order = records.reduce(
    (before, record, at) => fold(before, record, BigInt(at)).order,
    emptyOrder('shop-fr', 'order-1'),
  );
  expect(prepared(operation, data, {}, order).terms.currency).toBe(currency);
});

it('the name of the return page goes behind EXTRADATA, before the tag', () => {
  const { form } = prepared('authorize', {
    ...aPartnerAAuthorization(orders),
    extraData: 'basket=42',
    returnPage: 'app',
  });
  const sent = new URLSearchParams(form.body);
  expect(sent.get('params[EXTRADATA]')).toMatch(/^basket=42\|rp1\.app\|tr1\.[\w-]{12}\.1$/);
  expect([...sent.keys()].filter((name) => /RETURN|REDIRECT|CURRENCY/.test(name))).toEqual([]);
});

it('a refund that names its transaction does not rest on the order as it was read', () => {
  const refund = aRefund({ ...orders, transactionId: 'T-c', amount: 700 });
  expect(prepared('refund', refund).restsOnOrder).toBe(false);
});

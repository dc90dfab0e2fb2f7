import type { Merchant } from '@tranche/contracts';
import { platformHash } from './hash.js';
import { lookUpForm, mayBeLookedUp, readLookUpAnswer } from './look-up.js';

const merchant = { merchant: 'shop-es', identifier: 'Demo Shop ES', accountKey: 'key' } as Merchant;

it('asks for the transactions of one order, signed with the account key', () => {
  const form = new URLSearchParams(lookUpForm(merchant, 'order/é 1&'));
  const asked = [
    ['IDENTIFIER', 'Demo Shop ES'],
    ['OPERATIONTYPE', 'getTransactions'],
    ['VERSION', '3.0'],
    ['ORDERID', 'order/é 1&'],
  ] as const;
  expect([...form]).toEqual([
    ['method', 'getTransactions'],
    ...asked.map(([name, value]) => [`params[${name}]`, value]),
    ['params[HASH]', platformHash('key', asked)],
  ]);
});

it.each([
  ['order-1', true, true],
  ['order-1', false, false],
  ['a;b: several are joined by semicolons', true, false],
])('ORDERID %p of a merchant whose lookup is %p may be asked about: %p', (orderId, lookup, expected) => {
  expect(mayBeLookedUp(orderId, { ...merchant, lookup })).toBe(expected);
});

it('an unknown merchant is not looked up', () => {
  expect(mayBeLookedUp('order-1', undefined)).toBe(false);
});

const answer = (body: unknown, status = 200) =>
  readLookUpAnswer({ kind: 'answered', status, body: typeof body === 'string' ? body : JSON.stringify(body) });

it('reads the rows, of each only texts and numbers [Transaction.stored-record]', () => {
  const DATA = [{ ORDERID: 'o', EXECCODE: '0000', AMOUNT: 1, NESTED: {} }, 'no row', null, []];
  expect(answer({ OPERATIONTYPE: 'getTransactions', EXECCODE: '0000', DATA })).toEqual({
    kind: 'rows',
    rows: [
      new Map([
        ['ORDERID', 'o'],
        ['EXECCODE', '0000'],
        ['AMOUNT', '1'],
      ]),
      new Map(),
      new Map(),
      new Map(),
    ],
  });
});

it('reads an answer behind a byte order mark', () =>
  expect(answer(`\ufeff${JSON.stringify({ EXECCODE: '0000', DATA: [] })}`)).toEqual({ kind: 'rows', rows: [] }));

it('reads no more than 200', () => {
  const DATA = Array.from({ length: 300 }, () => ({ ORDERID: 'o' }));
  expect((answer({ EXECCODE: '0000', DATA }) as { rows: unknown[] }).rows).toHaveLength(200);
});

it.each([
  ['an empty list', { EXECCODE: '0000', DATA: [] }, 200, { kind: 'rows', rows: [] }],
  ['a refusal', { EXECCODE: '3003' }, 200, { kind: 'refused', execCode: '3003' }],
  ['an unknown account', { EXECCODE: '1002' }, 200, { kind: 'refused', execCode: '1002' }],
  ['a refused bearer token', '', 401, { kind: 'unauthorized' }],
  ['maintenance', { EXECCODE: '5003' }, 200, { kind: 'failed' }],
  ['a slowdown', { EXECCODE: '3004' }, 200, { kind: 'failed' }],
  ['a code that nobody knows', { EXECCODE: '9999' }, 200, { kind: 'failed' }],
  ['no DATA', { EXECCODE: '0000' }, 200, { kind: 'failed' }],
  ['DATA that is no list', { EXECCODE: '0000', DATA: { length: 1 } }, 200, { kind: 'failed' }],
  ['no EXECCODE', { DATA: [] }, 200, { kind: 'failed' }],
  ['a list', [], 200, { kind: 'failed' }],
  ['null', 'null', 200, { kind: 'failed' }],
  ['a page', '<html>', 200, { kind: 'failed' }],
  ['nothing', '', 200, { kind: 'failed' }],
  ['an error of the server', { EXECCODE: '0000', DATA: [] }, 502, { kind: 'failed' }],
  ['a redirect', '', 302, { kind: 'failed' }],
])('%s', (_, body, status, expected) => {
  expect(answer(body, status)).toMatchObject(expected);
});

it('no answer', () => {
  expect(readLookUpAnswer({ kind: 'unanswered', message: 'ECONNREFUSED' })).toEqual({
    kind: 'failed',
    message: 'ECONNREFUSED',
  });
});

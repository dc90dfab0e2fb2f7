import { emptyOrder, fold } from '../index.js';
import { RULES_VERSION } from '../state/versions.js';
import { parseOrder } from './index-format.js';

const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' } as const;
const intent = { record: 'INTENT', ...inOrder, commandId: 'a', attempt: 1, token: 't', ...terms } as const;
const state = fold(emptyOrder('shop-fr', 'o'), intent, 5n).order;
const KEY = 'shop-fr/o';

it('reads what was stored of an order', () => {
  expect(parseOrder(JSON.stringify(state), KEY)).toEqual(JSON.parse(JSON.stringify(state)));
});

it('leaves unknown rules versions to the fold, which stops the partition', () => {
  expect(parseOrder(JSON.stringify({ ...state, rulesVersion: 99 }), KEY)).toMatchObject({ rulesVersion: 99 });
});

it.each<[string, string]>([
  ['nothing', ''],
  ['half of it', JSON.stringify(state).slice(0, 80)],
  ['null', 'null'],
  ['another order', JSON.stringify({ ...state, orderId: 'p' })],
  ['no offset', JSON.stringify({ ...state, lastOffset: '-1' })],
  ['no operations', JSON.stringify({ ...state, operations: undefined })],
  ['an operation without a phase', JSON.stringify({ ...state, operations: [{ commandId: 'a', attempt: 1 }] })],
  ['rules versions that are none', JSON.stringify({ ...state, rulesVersion: 'x' })],
])('finds no state where there is %s', (_what, text) => expect(parseOrder(text, KEY)).toBeUndefined());

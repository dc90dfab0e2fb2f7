import { Problem } from '@tranche/service-kit';
import type { DeskView, SaleState } from '../../page/views.js';
import type { FollowUp, Order } from '../order/order.js';
import { readOperation } from './asked-operation.js';
import { deskViewOf, isFound, itemsLeft, readSearch } from './desk-view.js';

const startedAt = '2028-01-31T10:00:00.000Z';
const ITEMS = [
  { sku: 'lamp-hazel', quantity: 1, price: 8_900 },
  { sku: 'chair-wren', quantity: 2, price: 14_500 },
];
const operation = (of: FollowUp['operation'], amount: number, more: Partial<FollowUp> = {}): FollowUp => ({
  ...{ id: `${of} ${amount}`, operation: of, amount, phase: 'succeeded', startedAt },
  ...more,
});
const order = (method: 'card' | 'a3', followUps: FollowUp[] = [], more: Partial<Order> = {}): Order => ({
  ...{ orderId: '7f00ab1234', amount: 37_900, items: ITEMS, placedAt: startedAt, followUps },
  customer: { name: 'Éloïse Martin', email: 'eloise@example.com' },
  attempts: [{ id: 'o.1', method, phase: 'succeeded', startedAt, succeededAt: startedAt }],
  ...more,
});
const view = (of: Order): DeskView => deskViewOf({ order: of, version: 1 }, Date.parse(startedAt));
const attempts = (phase: FollowUp['phase']) => [{ id: 'o.1', method: 'a3' as const, phase, startedAt }];

describe('the state of a sale', () => {
  it.each<[string, Order, SaleState]>([
    ['an authorization', order('a3'), 'due'],
    ['a capture that is sent', order('a3', [operation('capture', 5, { phase: 'waiting' })]), 'capturing'],
    ['a card payment', order('card'), 'paid'],
    ['a refund that is being sent', order('card', [operation('refund', 5, { phase: 'sending' })]), 'refunding'],
    ['a second refund under way', order('card', [operation('refund', 5), operation('refund', 6, { phase: 'waiting' })]), 'refunding'], // prettier-ignore
    ['a refund whose result is not known', order('card', [operation('refund', 5, { phase: 'in_doubt' })]), 'doubt'],
    ['a refused refund', order('card', [operation('refund', 5, { phase: 'refused' })]), 'paid'],
    ['a refund of a part', order('card', [operation('refund', 5)]), 'partly'],
    ['a refund of all', order('card', [operation('refund', 37_900)]), 'refunded'],
    ['a void that is sent', order('a3', [operation('void', 37_900, { phase: 'waiting' })]), 'voiding'],
    ['a void', order('a3', [operation('void', 37_900)]), 'cancelled'],
    ['a conflict', order('card', [], { conflicts: ['o.1'] }), 'doubt'],
    ['a refused payment', order('a3', [], { attempts: attempts('refused') }), 'failed'],
    ['a payment under way', order('a3', [], { attempts: attempts('pending') }), 'open'],
  ])('after %s', (_what, of, expected) => expect(view(of).state).toBe(expected));
});

it('pieces that a refund names are left no more, until it fails', () => {
  const refund = (phase: FollowUp['phase']) =>
    operation('refund', 14_500, { phase, items: [{ sku: 'chair-wren', quantity: 1 }] });
  const left = (...phases: FollowUp['phase'][]) =>
    itemsLeft(order('card', phases.map(refund))).map((item) => item.left);
  expect([left(), left('succeeded'), left('waiting', 'succeeded'), left('refused', 'rejected')]).toEqual([
    [1, 2],
    [1, 1],
    [1, 0],
    [1, 2],
  ]);
});

describe('a refund that the desk asks for', () => {
  const read = (body: object, of = order('card')) => {
    try {
      return readOperation(body, of, { operation: 'refund', most: 37_900 });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [error.status, ...(error.faults ?? []).map(({ path, code }) => `${path}: ${code}`)];
    }
  };
  const chairs = (quantity: unknown) => [{ sku: 'chair-wren', quantity }];

  it('is for articles at their price, or for an amount', () => {
    const byArticles = { amount: 29_000, reason: 'damaged', items: chairs(2) };
    expect(read(byArticles)).toEqual({ operation: 'refund', ...byArticles });
    expect(read({ amount: 1, reason: 'goodwill' })).toEqual({ operation: 'refund', amount: 1, reason: 'goodwill' });
  });

  it.each<[string, object, string[]]>([
    ['nothing', {}, ['amount: range', 'reason: enum']],
    ['more than is left', { amount: 37_901, reason: 'returned' }, ['amount: range']],
    ['half a cent', { amount: 0.5, reason: 'returned' }, ['amount: range']],
    ['a reason of its own', { amount: 1, reason: '4970101200040016' }, ['reason: enum']],
    [
      'more pieces than there are',
      { amount: 37_900, reason: 'returned', items: chairs(3) },
      ['items[0].quantity: range'],
    ],
    ['no pieces', { amount: 5, reason: 'returned', items: chairs(0) }, ['items[0].quantity: range']],
    ['another price', { amount: 14_499, reason: 'returned', items: chairs(1) }, ['amount: range']],
    ['an article twice', { amount: 29_000, reason: 'returned', items: [...chairs(1), ...chairs(1)] }, ['items[1].sku: enum']], // prettier-ignore
    ['an unknown article', { amount: 1, reason: 'returned', items: [{ sku: 'gold', quantity: 1 }] }, ['items[0].sku: enum']], // prettier-ignore
    ['no list', { amount: 1, reason: 'returned', items: {} }, ['items: type']],
  ])('is refused for %s', (_what, body, faults) => expect(read(body)).toEqual([400, ...faults]));
});

describe('a search', () => {
  const found = (search: string, state?: SaleState) => isFound(view(order('card')), { search, state });

  it.each(['', 'eloise', 'ÉLOÏSE mar', 'EXAMPLE.com', 'fw0a-p4hm', 'FW0A', 'fwoa', '7f00ab', ' martin '])(
    'for %j finds the order',
    (search) => expect(found(search)).toBe(true),
  );

  it.each(['jeanne', '7f00ac', 'fw03', '-', 'x@example.com'])('for %j does not', (search) =>
    expect(found(search)).toBe(false),
  );

  it('keeps to a state', () => expect([found('', 'paid'), found('', 'due'), found('zz', 'paid')]).toEqual([true, false, false])); // prettier-ignore

  it('that can not be read finds everything', () => {
    const all = { search: '', state: undefined };
    expect([undefined, null, 5, { search: 7, state: 'x' }].map(readSearch)).toEqual([all, all, all, all]);
    expect(readSearch({ search: 'a'.repeat(200), state: 'due' })).toEqual({ search: 'a'.repeat(100), state: 'due' });
  });

  it('finds an order from before its customer was kept by its number', () => {
    const old = view(order('card', [], { customer: undefined }));
    expect([isFound(old, { search: 'FW0A' }), isFound(old, { search: 'martin' })]).toEqual([true, false]);
  });
});

import { EXECCODES } from '@tranche/contracts';
import { reasonOfRefusal, viewOf, type Reason } from './order-view.js';
import type { Attempt, Order } from './order.js';
import type { StoredOrder } from './order.store.js';

const startedAt = '2028-01-31T10:00:00.000Z';
const startedAtMs = Date.parse(startedAt);
const orderWith = (attempt: Partial<Attempt>, more: Partial<Order> = {}): StoredOrder => ({
  version: 7,
  order: {
    orderId: 'o',
    amount: 100,
    items: [{ sku: 'lamp-hazel', quantity: 1, price: 100 }],
    placedAt: startedAt,
    attempts: [{ id: 'o.1', method: 'a3', phase: 'waiting', startedAt, ...attempt }],
    ...more,
  },
});

it.each<[string | undefined, Reason]>([
  ['4002', 'funds'],
  ['4003', 'card'],
  ['4006', 'card'],
  ['4007', 'card'],
  ['4012', 'card'],
  ['4015', 'card'],
  ['4004', 'abandoned'],
  ['4008', 'authentication'],
  ['4009', 'authentication'],
  ['4020', 'authentication'],
  ['4017', 'expired_form'],
  ['4005', 'fraud'],
  ['6001', 'fraud'],
  ['6999', 'fraud'],
  ['4001', 'bank'],
  ['4999', 'bank'],
  [undefined, 'bank'],
  ['1003', 'shop'],
  ['2009', 'shop'],
  ['3001', 'shop'],
])('EXECCODE %s is told as %s', (execCode, reason) => {
  expect(reasonOfRefusal(execCode)).toBe(reason);
});

it('has a reason for every code of a refusal', () => {
  const refusing = Object.entries(EXECCODES).filter(([, code]) => code.class === 'refused');
  for (const [code] of refusing) expect(typeof reasonOfRefusal(code)).toBe('string');
});

it('a rejection shows the person’s next step', () => {
  const reasonFor = (faultCodes?: Attempt['faultCodes']) =>
    viewOf(orderWith({ phase: 'rejected', faultCodes }), startedAtMs).reason;
  expect([
    reasonFor(['hftoken_expired']),
    reasonFor(['not_after_passed']),
    reasonFor(['platform_unavailable']),
    reasonFor(),
  ]).toEqual(['token', 'token', 'unavailable', 'unavailable']);
  expect(reasonFor(['auth_refused'])).toBe('shop');
});

it('a command that may not have been published within 15 minutes is in doubt', () => {
  const view = (afterMs: number) => viewOf(orderWith({ phase: 'sending' }), startedAtMs + afterMs);
  expect([view(15 * 60_000).status, view(15 * 60_000 + 1).status]).toEqual(['sending', 'in_doubt']);
  expect(view(15 * 60_000 + 1)).toMatchObject({ reason: 'unsent', version: 7 });
  expect(view(15 * 60_000 + 1).nextAttempt).toBeUndefined();
});

it('names a form only where there is one to show', () => {
  expect(viewOf(orderWith({ phase: 'redirect', hasForm: true }), startedAtMs)).toMatchObject({
    status: 'redirect',
    form: 'o.1',
    nextAttempt: 2,
  });
  expect(viewOf(orderWith({ phase: 'redirect', hasForm: false }), startedAtMs).form).toBeUndefined();
  expect(viewOf(orderWith({ phase: 'refused', hasForm: true }), startedAtMs).form).toBeUndefined();
  const { order } = orderWith({ phase: 'redirect', hasForm: true });
  const waiting = { id: 'o.2', method: 'card' as const, phase: 'waiting' as const, startedAt };
  expect(
    viewOf({ order: { ...order, attempts: [...order.attempts, waiting] }, version: 8 }, startedAtMs),
  ).not.toHaveProperty('form');
});

it('a conflict wins over every phase', () => {
  expect(viewOf(orderWith({ phase: 'succeeded' }, { conflicts: ['o.1'] }), startedAtMs)).toMatchObject({
    status: 'conflict',
  });
});

it('after a return that may mean that it is paid, its confirmation is awaited: no form, no other method, for 15 minutes', () => {
  const view = (afterMs: number) =>
    viewOf(orderWith({ phase: 'redirect', hasForm: true, returnedAt: startedAt }), startedAtMs + afterMs);
  expect(view(15 * 60_000 - 1)).toMatchObject({ status: 'waiting', confirmation: 'awaited' });
  for (const name of ['form', 'nextAttempt'] as const) expect(view(15 * 60_000 - 1)[name]).toBeUndefined();
  expect(view(15 * 60_000)).toMatchObject({ status: 'redirect', confirmation: 'overdue', form: 'o.1', nextAttempt: 2 });
});

it('shows the card of the deciding payment', () => {
  const card = { brand: 'visa', lastFour: '1234' };
  expect(viewOf(orderWith({ method: 'card', phase: 'succeeded', card }), startedAtMs)).toMatchObject({ card });
  expect(viewOf(orderWith({ method: 'card', phase: 'succeeded' }), startedAtMs).card).toBeUndefined();
});

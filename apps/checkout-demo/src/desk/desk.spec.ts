import type { ExecutionContext } from '@nestjs/common';
import { sequenceOf, type EventType, type PaymentEvent } from '@tranche/contracts';
import { Problem, Secret } from '@tranche/service-kit';
import type { CheckoutConfig } from '../checkout.config.js';
import { afterEvent } from '../order/order-state.js';
import { viewOf } from '../order/order-view.js';
import type { Attempt, FollowUp, Order } from '../order/order.js';
import { DeskGuard } from './desk.controller.js';
import { deskViewOf } from './desk-view.js';
import { captureBy, possibleFollowUps, takenOf } from '../order/possible-follow-ups.js';

const startedAt = '2028-01-31T10:00:00.000Z';
const paidBy = (method: Attempt['method'], followUps: FollowUp[] = [], more: Partial<Order> = {}): Order => ({
  ...{ orderId: 'o', amount: 42_100, items: [], placedAt: startedAt, followUps },
  attempts: [{ id: 'o.1', method, phase: 'succeeded', startedAt, succeededAt: '2028-01-31T10:01:00.000Z' }],
  ...more,
});
const done = (operation: FollowUp['operation'], amount: number, phase: FollowUp['phase'] = 'succeeded'): FollowUp => ({
  ...{ id: `${operation} ${amount}`, operation, amount, phase, startedAt },
});
const offered = (order: Order) => possibleFollowUps(order).map(({ operation, most }) => `${operation} ${most}`);

describe('what the desk offers', () => {
  it.each<[string, Order, string[]]>([
    ['an authorization of method A', paidBy('a3'), ['capture 42100', 'void 42100']],
    ['an authorization of method B, which has no void', paidBy('b3'), ['capture 42100']],
    ['a card payment, which took its money', paidBy('card'), ['refund 42100']],
    ['a capture of a part', paidBy('a3', [done('capture', 30_000)]), ['refund 30000']],
    ['a refund of a part', paidBy('a3', [done('capture', 30_000), done('refund', 10_000)]), ['refund 20000']],
    ['all given back', paidBy('card', [done('refund', 42_100)]), []],
    ['a void', paidBy('a3', [done('void', 42_100)]), []],
    ['a refused capture', paidBy('a3', [done('capture', 42_100, 'refused')]), ['capture 42100', 'void 42100']],
    ['a capture whose result is not known', paidBy('a3', [done('capture', 1, 'in_doubt')]), []],
    ['a capture that waits for its result', paidBy('a3', [done('capture', 1, 'waiting')]), []],
    ['a conflict', paidBy('a3', [], { conflicts: ['o.1'] }), []],
    ['an order that is not paid', { ...paidBy('a3'), attempts: [] }, []],
  ])('after %s', (_what, order, expected) => expect(offered(order)).toEqual(expected));
});

describe('an event about the desk’s operations', () => {
  let offset = 0;
  const after = (order: Order, type: EventType, data: Partial<PaymentEvent> = {}) =>
    afterEvent(order, {
      ...{ id: `e${++offset}`, source: '/gateway', type, time: startedAt, sequence: sequenceOf(BigInt(offset)) },
      data: { merchant: 'shop-fr', orderId: 'o', commandId: 'refund 5', ...data },
    });

  it.each<[EventType, Partial<PaymentEvent>, object]>([
    ['payment.refund.succeeded', { amount: 5 }, { phase: 'succeeded', amount: 5 }],
    ['payment.refund.succeeded', { amount: 5, otherAmount: 4 }, { phase: 'succeeded', amount: 4 }],
    ['payment.refund.refused', { execCode: '2008' }, { phase: 'refused', execCode: '2008' }],
    ['payment.refund.in_doubt', {}, { phase: 'in_doubt' }],
    ['payment.refund.doubt_resolved', { outcome: 'succeeded', amount: 5 }, { phase: 'succeeded' }],
    ['payment.command.rejected', { faults: [] }, { phase: 'rejected' }],
  ])('%s %j', (type, data, expected) => {
    const before = paidBy('card', [done('refund', 5, 'waiting'), done('refund', 6, 'waiting')]);
    const { followUps, attempts } = after(before, type, data);
    expect(followUps).toMatchObject([expected, { phase: 'waiting' }]);
    expect(attempts).toEqual(before.attempts);
  });

  it('a closing capture window is a warning with its date, until the order is captured', () => {
    const order = after(paidBy('a3'), 'payment.capture_window.closing', { commandId: 'o.1' });
    const view = (of: Order) => deskViewOf({ order: of, version: 1 }, Date.parse(startedAt));
    expect(view(paidBy('a3')).isWindowClosing).toBe(false);
    expect(view(order)).toMatchObject({ isWindowClosing: true, captureBy: '2028-02-07T10:01:00.000Z' });
    const captured = { ...order, followUps: [done('capture', 42_100)] };
    expect(captureBy(captured)).toBeUndefined();
    expect(view(captured).isWindowClosing).toBe(false);
  });

  it('the buyer’s page shows what was given back, and a void as a cancelled order', () => {
    const seen = (order: Order) => viewOf({ order, version: 1 }, Date.parse(startedAt));
    expect(seen(paidBy('card', [done('refund', 5)]))).toMatchObject({ status: 'succeeded', refunded: 5 });
    expect(seen(paidBy('a3', [done('void', 42_100)]))).toMatchObject({ status: 'cancelled' });
    expect(takenOf(paidBy('a3', [done('capture', 5, 'refused')])).captured).toBe(0);
  });
});

describe('the door of the desk', () => {
  const statusFor = (deskPassword: string | undefined, authorization?: string) => {
    const config = {
      deskPassword: deskPassword === undefined ? undefined : new Secret(deskPassword),
    } as CheckoutConfig;
    const request = { headers: { authorization } };
    const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
    try {
      return new DeskGuard(config).canActivate(context);
    } catch (error) {
      return error instanceof Problem ? error.status : error;
    }
  };
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  it.each<[string, string | undefined, string | undefined, unknown]>([
    ['no password is set', undefined, basic('x:'), 404],
    ['none is given', 'a:b', undefined, 401],
    ['a wrong one is given', 'a:b', basic('desk:a'), 401],
    ['it is given in another way', 'a:b', 'Bearer a:b', 401],
    ['the right one is given, with a colon', 'a:b', basic('desk:a:b'), true],
  ])('where %s', (_what, password, header, expected) => expect(statusFor(password, header)).toBe(expected));
});

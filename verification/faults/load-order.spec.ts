import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import { Random } from '../simulation/random.js';
import { CutShort, isAtRest, LoadOrder, type PlatformDoors } from './load-order.js';

type Event = CloudEvent<PaymentEvent>;

const event = (type: string, data: Partial<PaymentEvent> = {}): Event => ({
  ...{ id: type, source: '/spec', type, time: '2028-01-31T10:00:00Z' },
  data: { merchant: 'shop-fr', orderId: 'o-1', commandId: 'c1', ...data },
});

const orderWith = (...events: Event[]) =>
  new LoadOrder({
    ...{ orderId: 'o-1', merchant: 'shop-fr', random: new Random(1), patienceMs: 5, doubtPatienceMs: 5 },
    platform: {} as PlatformDoors,
    events: { next: (_orderId, isWanted) => Promise.resolve(events.find(isWanted)) },
    send: () => undefined,
  });

describe('waiting for a success', () => {
  it.each([
    ['a success', event('payment.capture.succeeded')],
    ['a doubt that ended well', event('payment.capture.doubt_resolved', { outcome: 'succeeded' })],
  ])('takes %s', async (_what, end) => {
    expect(await orderWith(event('payment.capture.in_doubt'), end).succeeds('c1')).toBe(end);
  });

  it.each([
    ['a refusal', event('payment.capture.refused')],
    ['our own no', event('payment.capture.rejected')],
    ['a command that is no operation', event('payment.command.rejected')],
    ['a doubt that stays', event('payment.capture.in_doubt')],
    ['a doubt that ended with a redirect', event('payment.capture.doubt_resolved', { outcome: 'redirect_required' })],
    ['another command’s success', event('payment.capture.succeeded', { commandId: 'c2' })],
  ])('ends the story by %s', async (_what, came) => {
    await expect(orderWith(came).succeeds('c1')).rejects.toThrow(CutShort);
  });
});

it('gives the cardholder’s page, and ends the story where there is none', async () => {
  const page = event('payment.authorize.redirect_required', { redirectHtml: 'PGI+' });
  expect(await orderWith(page).redirects('c1')).toBe('PGI+');
  await expect(orderWith(event('payment.authorize.refused')).redirects('c1')).rejects.toThrow(
    'payment.authorize.refused',
  );
  await expect(orderWith(event('payment.authorize.in_doubt')).redirects('c1')).rejects.toThrow(/in vain|waited/);
});

it('waits for approval, also after a doubt', async () => {
  for (const came of [
    event('payment.authorize.pending', { transactionId: 'T1' }),
    event('payment.authorize.doubt_resolved', { outcome: 'pending', transactionId: 'T1' }),
  ])
    expect(await orderWith(came).waitsForApproval('c1')).toBe('T1');
  await expect(orderWith(event('payment.authorize.succeeded')).waitsForApproval('c1')).rejects.toThrow(CutShort);
});

it.each([
  ['payment.capture.succeeded', true],
  ['payment.capture.refused', true],
  ['payment.capture.in_doubt', true],
  ['payment.authorize.redirect_required', true],
  ['payment.authorize.pending', true],
  ['payment.authorize.expired', true],
  ['payment.command.rejected', true],
  ['payment.capture_window.closing', false],
  ['payment.conflict.detected', false],
])('after %s a command is at rest: %p', (type, expected) => {
  expect(isAtRest(event(type))).toBe(expected);
});

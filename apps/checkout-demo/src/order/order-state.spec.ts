import { sequenceOf, type CloudEvent, type EventType, type PaymentEvent } from '@tranche/contracts';
import {
  afterEvent,
  afterInvalid,
  afterPublishing,
  afterReturn,
  decidingAttempt,
  liveRedirect,
  nextAttempt,
} from './order-state.js';
import type { Attempt, Order, Phase } from './order.js';
import { takenOf } from './possible-follow-ups.js';

const attempt = (number: number, phase: Phase, more: Partial<Attempt> = {}): Attempt => ({
  id: `o.${number}`,
  method: 'a3',
  phase,
  startedAt: '2028-01-31T10:00:00Z',
  ...more,
});
const order = (...attempts: Attempt[]): Order => ({
  orderId: 'o',
  amount: 100,
  items: [],
  placedAt: '2028-01-31T10:00:00Z',
  attempts,
});
const nowMs = Date.parse('2028-01-31T10:05:00Z');
let offset = 0;
const event = (
  type: EventType,
  data: Partial<PaymentEvent> = {},
  more: Partial<CloudEvent> = {},
): CloudEvent<PaymentEvent> => ({
  id: `e${++offset}`,
  source: '/gateway',
  type,
  time: '2028-01-31T10:00:01Z',
  sequence: sequenceOf(BigInt(offset)),
  ...more,
  data: { merchant: 'shop-fr', orderId: 'o', commandId: 'o.1', ...data },
});
const phases = ({ attempts }: Order) => attempts.map(({ phase }) => phase);

describe('the phase of an attempt after an event', () => {
  it.each<[EventType, Partial<PaymentEvent>, Phase]>([
    ['payment.pay.succeeded', {}, 'succeeded'],
    ['payment.authorize.succeeded', {}, 'succeeded'],
    ['payment.pay.refused', { execCode: '4002' }, 'refused'],
    ['payment.authorize.rejected', { faults: [] }, 'rejected'],
    ['payment.authorize.redirect_required', {}, 'redirect'],
    ['payment.pay.redirect_required', {}, 'redirect'],
    ['payment.authorize.pending', {}, 'pending'],
    ['payment.authorize.expired', {}, 'expired'],
    ['payment.pay.expired', {}, 'expired'],
    ['payment.pay.in_doubt', {}, 'in_doubt'],
    ['payment.pay.doubt_resolved', { outcome: 'succeeded' }, 'succeeded'],
    ['payment.pay.doubt_resolved', { outcome: 'refused' }, 'refused'],
    ['payment.pay.doubt_resolved', { outcome: 'not_executed' }, 'rejected'],
    ['payment.authorize.doubt_resolved', { outcome: 'redirect_required' }, 'redirect'],
    ['payment.authorize.doubt_resolved', { outcome: 'pending' }, 'pending'],
    ['payment.command.rejected', { faults: [{ path: '', code: 'unknown_merchant', message: '' }] }, 'rejected'],
    ['payment.capture.succeeded', {}, 'waiting'],
    ['payment.capture_window.closing', {}, 'waiting'],
    ['payment.operation.external', {}, 'waiting'],
  ])('%s %j: %s', (type, data, phase) => {
    expect(phases(afterEvent(order(attempt(1, 'waiting')), event(type, data)))).toEqual([phase]);
  });

  it('touches only the attempt that it names', () => {
    const before = order(attempt(1, 'redirect'), attempt(2, 'waiting', { supersedes: 'o.1' }));
    expect(phases(afterEvent(before, event('payment.authorize.refused', { commandId: 'o.1' })))).toEqual([
      'refused',
      'waiting',
    ]);
    expect(afterEvent(before, event('payment.authorize.refused', { commandId: 'o.9' }))).toBe(before);
  });

  it('keeps a success and reports a conflict', () => {
    const paid = order(attempt(1, 'succeeded'));
    expect(afterEvent(paid, event('payment.authorize.refused'))).toBe(paid);
    const inConflict = afterEvent(paid, event('payment.conflict.detected', { flags: ['was_succeeded'] }));
    expect([phases(inConflict), inConflict.conflicts]).toEqual([['succeeded'], ['o.1']]);
    expect(phases(afterEvent(order(attempt(1, 'expired')), event('payment.authorize.succeeded')))).toEqual([
      'succeeded',
    ]);
  });

  describe('the card that was paid with', () => {
    const masked = { maskedCard: 'XXXXXXXXXXXX1234', cardBrand: 'visa' };
    const card = { brand: 'visa', lastFour: '1234' };
    const cards = ({ attempts }: Order) => attempts.map((one) => one.card);

    it('is kept by brand and last four digits, from the first success event or a later one', () => {
      const paid = event('payment.pay.succeeded', masked);
      expect(cards(afterEvent(order(attempt(1, 'waiting')), paid))).toEqual([card]);
      const later = afterEvent(order(attempt(1, 'succeeded', { execCode: '0000' })), paid);
      expect(later.attempts).toEqual([attempt(1, 'succeeded', { execCode: '0000', card })]);
      expect(afterEvent(later, event('payment.pay.succeeded', masked)).attempts).toBe(later.attempts);
    });

    it.each<[EventType, Partial<PaymentEvent>]>([
      ['payment.pay.succeeded', {}],
      ['payment.pay.succeeded', { maskedCard: 'unknown', cardBrand: 'visa' }],
      ['payment.pay.refused', masked],
    ])('is none with %s %j', (type, data) => {
      expect(cards(afterEvent(order(attempt(1, 'waiting')), event(type, data)))).toEqual([undefined]);
    });
  });

  it('ignores late and redelivered events', () => {
    const redirect = event('payment.authorize.redirect_required');
    const pending = event('payment.authorize.pending');
    const after = [redirect, pending].reduce(afterEvent, order(attempt(1, 'waiting')));
    expect(phases(after)).toEqual(['pending']);
    expect(afterEvent(after, redirect)).toBe(after);
    expect(afterEvent(after, pending)).toBe(after);
  });

  it('applies two events of one journal record, each once', () => {
    const succeeded = event('payment.authorize.succeeded');
    const conflict = event('payment.conflict.detected', { flags: ['was_redirect'] }, { sequence: succeeded.sequence });
    const after = [succeeded, conflict, succeeded, conflict].reduce(afterEvent, order(attempt(1, 'redirect')));
    expect([phases(after), after.conflicts, after.lastEventIds]).toEqual([
      ['succeeded'],
      ['o.1'],
      [succeeded.id, conflict.id],
    ]);
  });

  describe('a conflict that two people settled', () => {
    const detected = (flags: string[], commandId = 'o.1') => event('payment.conflict.detected', { flags, commandId });
    const settled = (flags: string[], data: Partial<PaymentEvent>) =>
      event('payment.conflict.settled', { settlement: 'kept', flags, ...data });
    const denied = () => afterEvent(order(attempt(1, 'succeeded')), detected(['was_succeeded', 'said_refused']));

    it.each([
      ['succeeded', 'succeeded'],
      ['refused', 'refused'],
      ['not_executed', 'rejected'],
    ] as const)('is gone, and the order shows what stands: %s', (outcome, phase) => {
      const after = afterEvent(denied(), settled(['other_result'], { outcome }));
      expect([phases(after), after.conflicts]).toEqual([[phase], []]);
      expect(nextAttempt(after, nowMs)?.number).toBe(outcome === 'succeeded' ? undefined : 2);
    });

    it('leaves others in the list', () => {
      const first = denied();
      const more = [detected(['other_amount'], 'o.c1'), detected(['two_payments_succeeded'])];
      const paid = more.reduce(afterEvent, first);
      const one = afterEvent(paid, settled(['two_payments_succeeded'], { commandId: 'o.2' }));
      expect([paid.conflicts, one.conflicts]).toEqual([
        ['o.1', 'o.c1', 'two_payments_succeeded'],
        ['o.1', 'o.c1'],
      ]);
    });

    it('gives money back, of the order or of its second payment', () => {
      const given = { settlement: 'repaired', repairedAmount: 40 } as const;
      expect(takenOf(afterEvent(denied(), settled(['other_result'], given)))).toMatchObject({ refunded: 40 });
      const twice = afterEvent(denied(), settled(['two_payments_succeeded'], given));
      expect(takenOf(twice)).toMatchObject({ refunded: 0, isVoided: false });
    });
  });

  it('a rejected message has no sequence: it counts only before the first result', () => {
    const faults = [{ path: '', code: 'key_mismatch' as const, message: '' }];
    const invalid = event('payment.command.rejected', { faults }, { sequence: undefined });
    const redirected = order(attempt(1, 'redirect'));
    expect(afterEvent(redirected, invalid)).toBe(redirected);
  });

  it.each<[Phase, Phase]>([
    ['sending', 'in_doubt'],
    ['waiting', 'in_doubt'],
    ['redirect', 'redirect'],
    ['refused', 'refused'],
    ['succeeded', 'succeeded'],
  ])(
    'whose id was used with other content, while %s: %s, for what was accepted under it may be paid',
    (before, after) => {
      const faults = [{ path: '', code: 'id_reused' as const, message: '' }];
      const reused = event('payment.command.rejected', { faults }, { sequence: undefined });
      expect(phases(afterEvent(order(attempt(1, before)), reused))).toEqual([after]);
      expect(phases(afterInvalid(order(attempt(1, before)), 'o.1', ['id_reused']))).toEqual([after]);
      expect(nextAttempt(afterInvalid(order(attempt(1, 'sending')), 'o.1', ['id_reused']), nowMs)).toBeUndefined();
    },
  );

  it('is rejected if the client refused it for another reason and no event has arrived', () => {
    expect(phases(afterInvalid(order(attempt(1, 'sending')), 'o.1', ['format']))).toEqual(['rejected']);
    expect(phases(afterInvalid(order(attempt(1, 'succeeded')), 'o.1', ['format']))).toEqual(['succeeded']);
  });

  it('the publish does not overwrite the phase of an event', () => {
    expect(phases(afterPublishing(order(attempt(1, 'sending')), 'o.1'))).toEqual(['waiting']);
    expect(phases(afterPublishing(order(attempt(1, 'succeeded')), 'o.1'))).toEqual(['succeeded']);
  });
});

describe('whether a new attempt may begin', () => {
  it.each<[Phase, boolean]>([
    ['sending', false],
    ['waiting', false],
    ['pending', false],
    ['in_doubt', false],
    ['succeeded', false],
    ['redirect', true],
    ['refused', true],
    ['rejected', true],
    ['expired', true],
  ])('%s: %s', (phase, isPossible) => {
    expect(nextAttempt(order(attempt(1, phase)), nowMs) !== undefined).toBe(isPossible);
  });

  it('not for 15 minutes after a return that may mean that it is paid, and then again', () => {
    const back = afterReturn(order(attempt(1, 'redirect')), '2028-01-31T10:00:00Z');
    const after = (minutes: number) => nextAttempt(back, Date.parse('2028-01-31T10:00:00Z') + minutes * 60_000);
    expect([after(0), after(14.99)]).toEqual([undefined, undefined]);
    expect(after(15)).toEqual({ number: 2, supersedes: 'o.1' });
  });

  it('at once after an event that the form failed, even if the return’s hint was a success', () => {
    const back = afterReturn(order(attempt(1, 'redirect')), '2028-01-31T10:04:59Z');
    expect(nextAttempt(afterEvent(back, event('payment.authorize.refused')), nowMs)).toEqual({ number: 2 });
    const paid = order(attempt(1, 'succeeded'));
    expect(afterReturn(paid, '2028-01-31T10:00:00Z')).toBe(paid);
  });

  it('not in conflict', () => {
    expect(nextAttempt({ ...order(attempt(1, 'refused')), conflicts: ['o.1'] }, nowMs)).toBeUndefined();
  });

  it.each<[string, Attempt[], string | undefined]>([
    ['names the redirect that it replaces', [attempt(1, 'redirect')], 'o.1'],
    ['names none after a refusal', [attempt(1, 'refused')], undefined],
    ['names the last of two', [attempt(1, 'redirect'), attempt(2, 'redirect', { supersedes: 'o.1' })], 'o.2'],
    [
      'names none where the replacement was refused',
      [attempt(1, 'redirect'), attempt(2, 'refused', { supersedes: 'o.1' })],
      undefined,
    ],
    [
      'names the first again where the replacement was rejected',
      [attempt(1, 'redirect'), attempt(2, 'rejected', { supersedes: 'o.1' })],
      'o.1',
    ],
  ])('%s', (_what, attempts, supersedes) => {
    expect(nextAttempt(order(...attempts), nowMs)).toEqual({
      number: attempts.length + 1,
      ...(supersedes && { supersedes }),
    });
    expect(liveRedirect(order(...attempts))?.id).toBe(supersedes);
  });
});

it.each<[Phase[], number]>([
  [['succeeded', 'refused'], 1],
  [['in_doubt', 'waiting'], 1],
  [['refused', 'pending'], 2],
  [['refused', 'waiting'], 2],
  [['redirect', 'rejected'], 1],
  [['refused', 'expired'], 2],
])('of %j attempt %i speaks for the order', (all, number) => {
  expect(decidingAttempt(order(...all.map((phase, index) => attempt(index + 1, phase))))?.id).toBe(`o.${number}`);
});

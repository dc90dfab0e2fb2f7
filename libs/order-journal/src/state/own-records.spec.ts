import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  later,
  lost,
  notExecuted,
  standing,
  START,
  under,
} from '../../test/order-story.js';
import { historyOf } from './history.js';
import { findOperation, verdictOf, type OrderState } from './order-state.js';
import type { JournalRecord, Reminded } from './records.js';
import { RULES_VERSION } from './versions.js';

/** Records that a process of ours writes about its own work: rejections, doubts, ends, reminders, repetitions. */
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order-1', at: START };
const orderOf = (...records: JournalRecord[]): OrderState => folded(records).order;
/** The events that the last record brings about. */
const last = (...records: JournalRecord[]) => {
  const { events, bodies, order } = folded(records.slice(-1), orderOf(...records.slice(0, -1)));
  return { events, body: bodies[0], order };
};

describe('a rejection', () => {
  const faults = [{ path: 'transactionId', code: 'transaction_unknown' as const, message: 'names none' }];
  const rejected = (name: string, change: object = {}): JournalRecord => {
    const { token: _token, ...terms } = asked(name);
    return { ...terms, record: 'REJECTED', faults, ...change };
  };

  it('ends its operation with its faults', () => {
    const { events, body, order } = last(rejected('authorize'));
    expect([events, standing(order, 'authorize')]).toEqual([['authorize.rejected'], 'ended rejected']);
    expect(body).toMatchObject({ commandId: 'authorize', faults });
    expect(body).not.toHaveProperty('retryable');
  });

  it('ends an operation between two attempts, of the attempt that is next', () => {
    const idle = [asked('authorize'), notExecuted('authorize')];
    expect(standing(orderOf(...idle, rejected('authorize', { attempt: 2 })), 'authorize')).toBe('ended rejected');
    expect(standing(orderOf(...idle, rejected('authorize')), 'authorize')).toBe('idle');
  });

  it('counts for nothing beside a call, of another attempt, or behind what it rests on', () => {
    expect(standing(orderOf(asked('authorize'), rejected('authorize')), 'authorize')).toBe('open');
    expect(orderOf(rejected('authorize', { attempt: 2 })).operations).toEqual([]);
    const seen = historyOf(orderOf(...authorized));
    expect(standing(orderOf(...authorized, rejected('capture', { seen })), 'capture')).toBe('ended rejected');
    expect(standing(orderOf(...authorized, asked('void'), rejected('capture', { seen })), 'capture')).toBeUndefined();
  });
});

describe('a call is given up', () => {
  const idle = [asked('authorize'), notExecuted('authorize')];
  const givenUp = (attempt: number, change: object = {}): JournalRecord =>
    ({
      record: 'GIVEN_UP',
      ...inOrder,
      commandId: 'authorize',
      attempt,
      code: 'platform_unavailable',
      message: 'no more',
      ...change,
    }) as JournalRecord;

  it('between two attempts, and its sender may send it again', () => {
    const { events, body, order } = last(...idle, givenUp(2, { retryAfterSeconds: 30 }));
    expect([events, standing(order, 'authorize')]).toEqual([['authorize.rejected'], 'ended given_up']);
    expect(body).toMatchObject({
      faults: [{ path: '', code: 'platform_unavailable', message: 'no more' }],
      retryable: true,
      retryAfterSeconds: 30,
    });
  });

  it.each<[string, JournalRecord[], number]>([
    ['of no operation', [], 2],
    ['beside its call', [asked('authorize')], 1],
    ['of another attempt', idle, 3],
    ['before its first attempt', idle.slice(0, 0), 1],
    ['once it has ended', authorized, 1],
  ])('not %s', (_what, records, attempt) => {
    const { events, order } = last(...records, givenUp(attempt));
    expect([events, order.operations]).toEqual([[], orderOf(...records).operations]);
  });
});

describe('a doubt', () => {
  const doubt = lost('authorize');
  it('says where it comes from: of an answer, or of a process that has gone', () => {
    const { events, body } = last(asked('authorize'), { ...doubt, execCode: '5004' } as JournalRecord);
    expect([events, body]).toMatchObject([
      ['authorize.in_doubt'],
      { origin: 'answer', flags: ['timeout'], message: 'no answer', execCode: '5004' },
    ]);
    const ofGone = { ...doubt, reason: 'owner_lost' } as JournalRecord;
    expect(last(asked('authorize'), ofGone).body).toMatchObject({ origin: 'timer', flags: ['owner_lost'] });
  });

  it.each<[string, JournalRecord[], JournalRecord]>([
    ['of another token', [asked('authorize')], { ...doubt, token: 'other' } as JournalRecord],
    ['of another attempt', [asked('authorize')], { ...doubt, attempt: 2 } as JournalRecord],
    ['that is in doubt already', [asked('authorize'), doubt], { ...doubt, at: later(1) }],
    ['that has ended', authorized, doubt],
  ])('is none of a call %s', (_what, records, record) => {
    expect(last(...records, record).events).toEqual([]);
  });

  it('of a call whose INTENT is lost is told once its command is back, with what was said', () => {
    const said = { ...doubt, execCode: '5004' } as JournalRecord;
    const back = under(2, said, asked('authorize', { token: 'another' }));
    const { events, body, order } = last(...back);
    expect(events).toEqual(['authorize.in_doubt']);
    expect(body).toMatchObject({ origin: 'timer', flags: ['owner_lost'], message: 'no answer', execCode: '5004' });
    expect([order.unmatchedEvidence, order.verdicts]).toEqual([
      [],
      [
        ['authorize#1', 'granted'],
        ['another', 'lost'],
      ],
    ]);
    const own = orderOf(...under(2, said, asked('authorize')));
    expect(own.verdicts).toEqual([['authorize#1', 'granted']]);
  });

  it('of one call is not the doubt of another', () => {
    const other = { ...lost('authorize'), token: 'authorize#2', attempt: 2 } as JournalRecord;
    const order = orderOf(...under(2, answered('authorize', '0000'), other, asked('authorize')));
    expect(standing(order, 'authorize')).toBe('ended succeeded');
  });
});

describe('an INTENT is judged', () => {
  it('once for each token', () => {
    const { order, events } = last(...authorized, asked('authorize-2'), asked('authorize-2'));
    expect([events, order.verdicts]).toEqual([
      [],
      [
        ['authorize#1', 'granted'],
        ['authorize-2#1', 'rejected'],
      ],
    ]);
  });

  it('and takes its amount where a lost call of it is known', () => {
    const lostCapture = answered('capture', '0000', {});
    const order = orderOf(...under(2, ...authorized, lostCapture, asked('capture')));
    expect(findOperation(order, 'capture')).toMatchObject({ amount: 30_000, end: 'succeeded' });
    const refund = asked('refund', { amount: 40_000 });
    const tooMuch = orderOf(...under(2, ...captured, answered('refund', '0000'), refund));
    expect([standing(tooMuch, 'refund'), verdictOf(tooMuch, refund.token)]).toEqual(['ended succeeded', 'granted']);
    expect(findOperation(tooMuch, 'refund')?.amount).toBe(40_000);
  });
});

describe('a reminder', () => {
  const reminded = (name: string, reminder: Reminded['reminder'], at = later(16 * 60_000)): JournalRecord => ({
    ...{ record: 'REMINDED', ...inOrder, at, commandId: name, attempt: 1, reminder },
  });
  const doubtful = [asked('authorize'), lost('authorize')];

  it('of a doubt is told once, with its name', () => {
    const first = reminded('authorize', 'doubt_15_minutes');
    const { events, body, order } = last(...doubtful, first);
    expect([events, body]).toMatchObject([['authorize.in_doubt'], { origin: 'timer', flags: ['doubt_15_minutes'] }]);
    expect(findOperation(order, 'authorize')?.reminded).toEqual(['doubt_15_minutes']);
    const again = last(...doubtful, first, { ...first, at: later(17 * 60_000) });
    expect(again.events).toEqual([]);
    const next = last(...doubtful, first, reminded('authorize', 'doubt_24_hours'));
    expect(findOperation(next.order, 'authorize')?.reminded).toEqual(['doubt_15_minutes', 'doubt_24_hours']);
  });

  it('is none of no operation, nor of a doubt that has ended', () => {
    expect(last(reminded('authorize', 'doubt_15_minutes')).events).toEqual([]);
    const { events, order } = last(...authorized, reminded('authorize', 'doubt_15_minutes'));
    expect([events, findOperation(order, 'authorize')?.reminded]).toEqual([[], undefined]);
  });

  it('of a look-up counts with those before it, while the payment waits', () => {
    const form = [asked('authorize'), answered('authorize', '0002')];
    const { events, order } = last(...form, reminded('authorize', 'look_up_1_hour'));
    expect([events, findOperation(order, 'authorize')?.reminded]).toEqual([
      [],
      ['look_up_15_minutes', 'look_up_1_hour'],
    ]);
    const ended = last(...form, answered('authorize', '0000'), reminded('authorize', 'look_up_1_hour'));
    expect(findOperation(ended.order, 'authorize')?.reminded).toBeUndefined();
  });

  it('of the capture window is told while it is open and the payment not captured', () => {
    const closing = reminded('authorize', 'capture_window', later(6 * 86_400_000));
    expect(last(...authorized, closing)).toMatchObject({
      events: ['capture_window.closing'],
      body: { origin: 'timer' },
    });
    expect(last(...captured, closing).events).toEqual([]);
    expect(last(...authorized, reminded('authorize', 'capture_window', later(8 * 86_400_000))).events).toEqual([]);
  });
});

it('a command that comes again gets the newest event of its operation, and one without an event nothing', () => {
  const repeated: JournalRecord = { record: 'REPEATED', ...inOrder, commandId: 'authorize' };
  expect(last(...authorized, repeated)).toMatchObject({ events: ['authorize.succeeded'] });
  expect(last(asked('authorize'), repeated).events).toEqual([]);
  expect(last(repeated).events).toEqual([]);
});

it('a record that is skipped freezes its order', () => {
  const skipped = { record: 'SKIPPED', ...inOrder } as JournalRecord;
  const { order, events } = last(...authorized, skipped);
  expect([order.isFrozen, events, verdictOf(orderOf(...authorized, skipped, asked('capture')), 'capture#1')]).toEqual([
    true,
    [],
    'rejected',
  ]);
});

it('a payment that waits is expired by the timer of its own attempt, and says by whom', () => {
  const form = [asked('authorize', { method: 'A' }), answered('authorize', '0003')];
  expect(last(...form, expired('authorize'))).toMatchObject({
    events: ['authorize.expired'],
    body: { origin: 'timer' },
  });
  expect(last(...form, expired('authorize', 2)).events).toEqual([]);
  expect(last(expired('authorize')).events).toEqual([]);
});

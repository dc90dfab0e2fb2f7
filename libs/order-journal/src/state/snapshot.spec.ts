import { TOPICS } from '@tranche/contracts';
import {
  answered,
  asked,
  captured,
  folded,
  later,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  START,
} from '../../test/order-story.js';
import { randomLog } from '../../test/rules-lock/random-log.js';
import { eventId } from '../projection/published-event.js';
import { fold } from './fold.js';
import { historyOf } from './history.js';
import { emptyOrder, findOperation, type OperationState, type OrderState, verdictOf } from './order-state.js';
import { encodeRecord, type JournalRecord, type Snapshot, type SnapshotState } from './records.js';
import { snapshotOf } from './snapshot.js';

const DAY_MS = 86_400_000;
const EMPTY = emptyOrder('shop-fr', 'order-1');

const stateOf = (records: readonly JournalRecord[]): OrderState => folded(records).order;
const next = (order: OrderState, record: JournalRecord, by = 1n) => fold(order, record, BigInt(order.lastOffset) + by);
const carried = (order: OrderState, at = later(60 * DAY_MS)): Snapshot => ({
  ...{ record: 'SNAPSHOT', rulesVersion: 1, merchant: order.merchant, orderId: order.orderId, at },
  ...{ seen: historyOf(order), state: snapshotOf(order, at) },
});
const plain = (order: OrderState): object => JSON.parse(JSON.stringify(order)) as object;

describe('a SNAPSHOT record that matches', () => {
  const order = stateOf(captured);
  const whole = next(order, carried(order)).order;
  const fromItAlone = next(EMPTY, carried(order), BigInt(whole.lastOffset) + 1n).order;

  it('gives the same state whether the history is whole, cut, or nothing but the record', () => {
    const cut = next(stateOf(captured.slice(2)), carried(order), 3n).order;
    expect(plain({ ...cut, lastOffset: whole.lastOffset })).toEqual(
      plain({ ...whole, operations: atOffset(whole, whole.lastOffset) }),
    );
    expect(plain(fromItAlone)).toEqual(plain(whole));
  });

  it('lets a refund of what was captured through, and no cent more', () => {
    const verdictOn = (amount: number) =>
      verdictOf(next(whole, asked('refund', { amount, seen: historyOf(whole) })).order, 'refund#1');
    expect([verdictOn(30_000), verdictOn(30_001)]).toEqual(['granted', 'rejected']);
  });

  it('leaves the time of the last transition alone, and publishes nothing', () => {
    const { order: after, effects } = next(order, carried(order));
    expect([after.movedAt, after.snapshotAt, effects]).toEqual([START, later(60 * DAY_MS), []]);
  });

  it('answers a command that comes again by an event of the same id, without its words', () => {
    const latest = findOperation(order, 'capture')!.latest!;
    const { record, rulesVersion, merchant, orderId } = { ...carried(order), record: 'REPEATED' as const };
    const repeated = { record, rulesVersion, merchant, orderId, at: later(61 * DAY_MS), commandId: 'capture' };
    const [effect] = next(whole, repeated).effects;
    expect(effect).toMatchObject({
      isRepeat: true,
      event: { type: latest.type, body: { transactionId: 'T-capture' } },
    });
    expect(eventId(whole, effect!.event)).toBe(eventId(order, latest));
  });

  it('knows the content of its commands, and no token that is long gone', () => {
    expect(whole.verdicts).toEqual([]);
    const again = next(whole, asked('capture', { attempt: 1 })).order;
    expect(verdictOf(again, 'capture#1')).toBe('lost');
    expect(next(whole, answered('capture', '0000')).effects).toEqual([]);
  });

  it('keeps verdicts and tokens of an order that moved in the last 7 days', () => {
    const soon = carried(order, later(6 * DAY_MS));
    const after = next(order, soon).order;
    expect(after.verdicts).toEqual(order.verdicts);
    expect(findOperation(after, 'capture')!.token).toBe('capture#1');
  });
});

/** The offset of carried events is the one of the record that carries them. */
const atOffset = ({ operations }: OrderState, offset: string) =>
  operations.map((operation) => ({ ...operation, latest: { ...operation.latest!, offset } }));

describe('a SNAPSHOT record that does not match', () => {
  const order = stateOf(captured);

  it('is void where the order moved on, and the next one counts', () => {
    const moved = next(order, notified('capture', '0000')).order;
    const void_ = next(moved, carried(order)).order;
    const beside = { history: undefined, standing: undefined, lastOffset: '' };
    expect(plain({ ...void_, ...beside })).toEqual(plain({ ...moved, ...beside }));
    expect([void_.standing, moved.standing]).toEqual([moved.history, undefined]);
    expect(void_.history).not.toBe(moved.history);
    expect(next(void_, carried(void_)).order.snapshotAt).toBeDefined();
  });

  it('is void while a call may be under way', () => {
    const open = next(order, asked('refund', { amount: 1 })).order;
    expect(next(open, carried(open)).order.snapshotAt).toBeUndefined();
  });

  it('holds provisionally where it is the first record that is kept, until one matches', () => {
    const moved = next(next(order, asked('refund', { amount: 30_000 })).order, answered('refund', '0000')).order;
    const first = carried(order);
    const whole = next(moved, first).order;
    const second = carried(whole, later(61 * DAY_MS));
    const cut = next(EMPTY, first, 7n).order;
    expect([findOperation(cut, 'capture')?.end, findOperation(cut, 'refund')]).toEqual(['succeeded', undefined]);
    const [all, some] = [next(whole, second).order, next(cut, second).order];
    expect(verdictOf(next(some, asked('refund-2', { amount: 1 })).order, 'refund-2#1')).toBe('rejected');
    expect([some.history, some.operations.length]).toEqual([all.history, all.operations.length]);
  });

  it('is adopted and reported, without values, where the history is the same and a detail of the state is not', () => {
    const written = carried(order);
    const [authorize, capture] = written.state.operations as [OperationState, OperationState];
    written.state.operations = [authorize, { ...capture, flags: ['SECRET'], latest: undefined }];
    const { order: after, effects, mismatch } = next(order, written);
    const fields = ['operations.flags', 'operations.latest'];
    expect(mismatch).toEqual({
      merchant: 'shop-fr',
      orderId: 'order-1',
      fields: expect.arrayContaining(fields) as string[],
      isFrozen: false,
    });
    expect([mismatch!.fields.length, JSON.stringify(mismatch).includes('SECRET'), effects]).toEqual([2, false, []]);
    expect(plain({ ...after })).toEqual(plain({ ...next(EMPTY, written, BigInt(after.lastOffset) + 1n).order }));
  });

  it.each<[string, (state: SnapshotState) => void]>([
    ['an operation is missing', ({ operations }) => operations.pop()],
    ['an attempt is missing', ({ operations }) => (operations[1]!.attempts = [])],
    ['it ended otherwise', ({ operations }) => (operations[1]!.end = 'refused')],
    [
      'it is between two attempts',
      ({ operations }) => Object.assign(operations[1]!, { phase: 'idle', end: undefined }),
    ],
    ['less was captured', ({ operations }) => (operations[1]!.amount = 1)],
    ['a refund of the back office is missing', ({ external }) => external.pop()],
  ])('freezes the order and forgets nothing where what was done differs: %s', (_what, change) => {
    const refund = notifiedElsewhere('refund', '0000', { transactionId: 'T-x', amount: 10_000 });
    const known = next(order, refund).order;
    const wrong = carried(known);
    change(wrong.state);
    const { order: after, mismatch } = next(known, wrong);
    expect(mismatch).toMatchObject({ isFrozen: true });
    expect([after.operations.map(({ end }) => end), after.external.length]).toEqual([['succeeded', 'succeeded'], 1]);
    const again = next(after, asked('capture-2', { seen: historyOf(after) })).order;
    expect(verdictOf(again, 'capture-2#1')).toBe('rejected');
    expect(findOperation(again, 'capture-2')!.latest!.body.faults).toMatchObject([{ code: 'order_frozen' }]);
    expect(after.history).toBe(next(EMPTY, wrong, BigInt(after.lastOffset) + 1n).order.history);
  });
});

it('holds no message, descriptor, EXTRADATA, page, operator or reason', () => {
  const said = { message: 'SECRET', descriptor: 'SECRET', transactionId: 'T-authorize' };
  const stories = [
    [asked('authorize'), answered('authorize', '0002', { ...said, redirectHtml: 'SECRET' })],
    [asked('authorize'), { ...lost('authorize'), message: 'SECRET' }],
    [
      asked('authorize'),
      lost('authorize'),
      { ...operatorSays('authorize', 'succeeded', said), actor: 'SECRET', reason: 'SECRET' },
    ],
    [
      asked('authorize', { tag: undefined }),
      { ...notified('authorize', '0000', { answer: said }), extraData: 'SECRET', tag: undefined },
    ],
    [...captured, { ...notified('refund', '0000', { answer: { ...said, transactionId: 'T' } }), extraData: 'SECRET' }],
    [
      ...captured,
      asked('capture-2'),
      { ...asked('void'), record: 'REJECTED', faults: [{ path: '', code: 'c', message: 'SECRET' }] },
    ],
  ] as JournalRecord[][];
  for (const records of stories)
    for (const at of [later(DAY_MS), later(60 * DAY_MS)]) {
      const order = stateOf(records);
      expect(JSON.stringify(snapshotOf(order, at))).not.toContain('SECRET');
    }
});

describe('the state that a snapshot holds', () => {
  it('has nothing that its record gives, and no statements of people', () => {
    const order = { ...stateOf(captured), standing: 'b.c.l.3', snapshotAt: START, settlements: [] };
    const state = snapshotOf(order, later(DAY_MS));
    const left = ['merchant', 'orderId', 'settlements', 'beganAt', 'snapshotAt', 'history', 'standing', 'lastOffset'];
    for (const name of left) expect(state).not.toHaveProperty(name);
    for (const operation of state.operations)
      for (const name of ['events', 'resolvedBy', 'statements', 'lookUps']) expect(operation).not.toHaveProperty(name);
  });

  it('has verdicts and tokens of an order that moved seven days ago, and not of one that moved before', () => {
    const order = stateOf(captured);
    const [at, behind] = [snapshotOf(order, later(7 * DAY_MS)), snapshotOf(order, later(7 * DAY_MS + 1))];
    expect([at.verdicts.length, behind.verdicts.length]).toEqual([2, 0]);
    expect([at.operations[1]?.token, behind.operations[1]?.token]).toEqual(['capture#1', undefined]);
    expect([at.operations[1]?.attempts[0]?.token, behind.operations[1]?.attempts[0]?.token]).toEqual(['capture#1', '']);
  });

  it('has the reports that wait, without their texts and their time', () => {
    const told = notifiedElsewhere('refund', '0000', { transactionId: 'T-x', amount: 5, message: 'SECRET' });
    const waits = { ...told, at: later(1), extraData: 'SECRET' };
    const order = stateOf([...captured, asked('refund', { tag: undefined }), lost('refund'), waits]);
    expect(order.unmatchedEvidence).toHaveLength(1);
    expect(snapshotOf(order, later(DAY_MS)).unmatchedEvidence).toEqual([
      {
        ...{ source: 'notification', operation: 'refund', result: 'succeeded' },
        answer: { execCode: '0000', transactionId: 'T-x', amount: 5 },
      },
    ]);
  });

  it('has the code of a fault, and not its words', () => {
    const { token: _token, ...terms } = asked('void');
    const faults = [{ path: 'transactionId', code: 'transaction_unknown', message: 'SECRET' }];
    const order = stateOf([{ ...terms, record: 'REJECTED', faults } as JournalRecord]);
    expect(snapshotOf(order, later(DAY_MS)).operations[0]?.latest?.body.faults).toEqual([
      { path: 'transactionId', code: 'transaction_unknown', message: 'transaction_unknown' },
    ]);
  });
});

describe('a reader that knows the same records compares', () => {
  const form = stateOf([asked('pay'), answered('pay', '0000'), notified('pay', '4001')]);
  const refunds = ['0000', '4001'].map((code) =>
    notifiedElsewhere('refund', code, { transactionId: `T-${code}`, amount: 5 }),
  );
  const stray = { ...answered('pay', '0000', { transactionId: 'T-stray' }), token: 'stray' };
  const waits = notifiedElsewhere('refund', '0000', { transactionId: 'T-x', amount: 5 });
  const known = stateOf([
    ...[...captured, ...refunds, stray, asked('refund', { tag: undefined }), lost('refund'), waits],
  ]);
  const mismatchOf = (order: OrderState, change: (state: SnapshotState) => unknown) => {
    const record = carried(order);
    change(record.state);
    return next(order, record).mismatch;
  };

  it('and says nothing where the state is the same', () => {
    for (const order of [form, known]) expect(mismatchOf(order, () => undefined)).toBeUndefined();
    expect(known.unmatchedEvidence.length + known.external.length).toBe(3);
    expect([known.unauthorizedOutcomes?.length, form.operations[0]?.conflictingReports?.length]).toEqual([1, 1]);
  });

  it('names fields of the order beside those of its operations', () => {
    const mismatch = mismatchOf(known, (state) => {
      state.operations[0]!.flags = ['x'];
      state.movedAt = later(5);
    });
    expect(mismatch?.fields.toSorted()).toEqual(['movedAt', 'operations.flags']);
    expect(mismatchOf(known, ({ operations }) => operations.pop())?.fields).toEqual(['operations']);
  });

  it.each<[string, OrderState, (state: SnapshotState) => unknown]>([
    ['an attempt was not sent', known, ({ operations }) => (operations[0]!.attempts[0]!.closed = 'unsent')],
    ['an attempt has another name', known, ({ operations }) => (operations[0]!.attempts[0]!.attempt = 2)],
    ['an attempt is another transaction', known, ({ operations }) => (operations[0]!.attempts[0]!.transactionId = 'T')],
    ['a report said otherwise', form, ({ operations }) => (operations[0]!.conflictingReports![0]!.result = 'pending')],
    ['a report named another', form, ({ operations }) => (operations[0]!.conflictingReports![0]!.transactionId = 'T')],
    ['elsewhere it is another kind', known, ({ external }) => (external[0]!.operation = 'void')],
    ['elsewhere it ended otherwise', known, ({ external }) => (external[0]!.result = 'refused')],
    ['elsewhere it is another amount', known, ({ external }) => (external[0]!.amount = 6)],
    ['elsewhere two people overruled it', known, ({ external }) => (external[0]!.isOverruled = true)],
    ['a stray call is missing', known, (state) => (state.unauthorizedOutcomes = [])],
    ['a stray call is of another', known, (state) => (state.unauthorizedOutcomes![0]!.commandId = 'other')],
    ['a stray call was refused', known, (state) => (state.unauthorizedOutcomes![0]!.result = 'refused')],
    ['a stray call was settled', known, (state) => (state.unauthorizedOutcomes![0]!.settled = 'refused')],
    ['a report that waits is of another', known, (state) => (state.unmatchedEvidence[0]!.answer.transactionId = 'T')],
    ['a report that waits says otherwise', known, (state) => (state.unmatchedEvidence[0]!.result = 'refused')],
    ['money was given back', known, (state) => (state.repairs = [{ transactionId: 'T', amount: 1, reference: 'r' }])],
    ['it was frozen', known, (state) => (state.isFrozen = true)],
  ])('and freezes the order where %s', (_what, order, change) => {
    expect(mismatchOf(order, change)).toMatchObject({ isFrozen: true });
  });
});

it('a state behind a snapshot has the version of the rules where it is not the first one', () => {
  const order = stateOf(captured);
  const at = (rulesVersion: number, ofState?: number) => {
    const record = { ...carried(order), rulesVersion };
    if (ofState !== undefined) record.state.rulesVersion = ofState;
    return next(EMPTY, record, 9n).order;
  };
  expect(at(1)).not.toHaveProperty('rulesVersion');
  expect(at(1, 1)).not.toHaveProperty('rulesVersion');
  expect([at(2).rulesVersion, at(1, 2).rulesVersion, at(2, 1).rulesVersion]).toEqual([2, 2, 2]);
});

it('takes 2,300 bytes at most where the order was authorized and captured', () => {
  const uuid = (name: string) => name.padEnd(36, '-');
  const records = captured.map((record) => ({
    ...record,
    ...('token' in record && { commandId: uuid(record.commandId), token: uuid(record.token) }),
    ...(record.record === 'INTENT' && { contentHash: 'x'.repeat(27), correlationId: uuid('c') }),
  }));
  const order = stateOf(records);
  expect(order.operations.map(({ end }) => end)).toEqual(['succeeded', 'succeeded']);
  expect(encodeRecord(carried(order)).length).toBeLessThanOrEqual(2_300);
});

it('of an order with 200 operations and 20 attempts of each, all of them lately, is far below what the journal’s topic takes', () => {
  const id = (name: string) => name.padEnd(64, '-');
  const records = Array.from({ length: 200 }, (_, at) => at).flatMap((at) => {
    const name = at === 0 ? 'authorize' : at === 1 ? 'capture' : `refund-${at}`;
    const ids = { commandId: id(name), contentHash: 'h'.repeat(27), correlationId: id('c') };
    const tries = Array.from({ length: 20 }, (__, tried) => ({
      attempt: tried + 1,
      token: id(`${name}#${tried + 1}`),
    }));
    return tries.flatMap(
      (one) =>
        [
          { ...asked(name, one), ...ids, ...(at > 1 && { amount: 1 }) },
          one.attempt < 20
            ? { ...notExecuted(name), ...one, commandId: ids.commandId }
            : { ...answered(name, '0000', { message: 'm'.repeat(500) }), ...one, commandId: ids.commandId },
        ] as JournalRecord[],
    );
  });
  const order = stateOf(records);
  expect(order.operations.filter(({ end, attempts }) => end === 'succeeded' && attempts.length === 20)).toHaveLength(
    200,
  );
  const bytes = encodeRecord(carried(order, later(DAY_MS))).length;
  expect([bytes > 100_000, bytes < TOPICS.journal.maxMessageBytes / 4]).toEqual([true, true]);
});

/** Records with what each has seen, as writers name it that know the whole order. */
function historyLog(seed: number): JournalRecord[] {
  let order = emptyOrder('shop-fr', 'o');
  return randomLog(seed).flatMap(([, bare], at) => {
    if (bare.record === 'TOMBSTONE') return [];
    const seen =
      'seen' in bare && bare.seen !== undefined ? { seen: bare.seen === '0' ? 'x.y.z' : historyOf(order) } : {};
    const record = { ...bare, rulesVersion: 1, ...seen } as JournalRecord;
    order = fold(order, record, BigInt(at)).order;
    return [record];
  });
}

/** Seeded orders that each comparison below draws. */
const SEEDED = process.env.NIGHTLY ? 500 : 150;

it(`${SEEDED} seeded orders: whoever begins anywhere before a match has the same state behind it, and tells the same`, () => {
  let compared = 0;
  for (let seed = 9_000_000; seed < 9_000_000 + SEEDED; seed++) {
    const log = historyLog(seed);
    const carryAt = 1 + (seed % log.length);
    const from = seed % (carryAt + 1);
    let whole = emptyOrder('shop-fr', 'o');
    let cut = emptyOrder('shop-fr', 'o');
    const take = (record: JournalRecord, at: number, isKept: boolean) => {
      const one = fold(whole, record, BigInt(at));
      whole = one.order;
      if (!isKept) return;
      const other = fold(cut, record, BigInt(at));
      cut = other.order;
      if (at > log.length) expect(other.effects).toEqual(one.effects);
    };
    log.slice(0, carryAt).forEach((record, at) => take(record, at, at >= from));
    const at = new Date(Date.parse(log.at(-1)!.at) + (seed % 3) * 30 * DAY_MS).toISOString();
    const isOpen = whole.operations.some(({ phase }) => phase === 'open');
    take(carried(whole, at), log.length + 1, true);
    if (isOpen) continue;
    compared++;
    expect({ seed, ...plain(cut) }).toEqual({
      seed,
      ...plain(whole),
    });
    log
      .slice(carryAt)
      .forEach((record, n) =>
        take(
          { ...record, ...('seen' in record && record.seen ? { seen: historyOf(whole) } : {}) },
          log.length + 2 + n,
          true,
        ),
      );
    if (!cut.operations.some(({ phase }) => phase === 'open')) take(carried(whole, at), 3 * log.length + 2, true);
    expect(plain(cut)).toEqual(plain(whole));
  }
  expect(compared).toBeGreaterThan(SEEDED / 2);
});

it(`${SEEDED} seeded orders that moved lately: being carried over changes no verdict and no event`, () => {
  let compared = 0;
  for (let seed = 9_100_000; seed < 9_100_000 + SEEDED; seed++) {
    const log = historyLog(seed);
    const carryAt = 1 + (seed % log.length);
    const published = (isCarried: boolean): string[] => {
      let order = emptyOrder('shop-fr', 'o');
      const lines: string[] = [];
      const take = (record: JournalRecord, at: number) => {
        const seen = 'seen' in record && record.seen !== undefined && record.record !== 'SNAPSHOT';
        const named = seen ? { ...record, seen: historyOf(order) } : record;
        const { order: after, effects } = fold(order, named, BigInt(at));
        order = after;
        const events = effects.map(({ event: { type, body } }) => [type, { ...body, message: '', faults: '' }]);
        const verdict = record.record === 'INTENT' ? verdictOf(order, record.token) : '';
        lines.push(JSON.stringify([at, verdict, ...events]));
      };
      log.slice(0, carryAt).forEach(take);
      if (isCarried) {
        if (order.operations.some(({ phase }) => phase === 'open')) return [];
        take(carried(order, order.movedAt), log.length + 1);
        lines.pop();
        compared++;
      }
      log.slice(carryAt).forEach((record, n) => take(record, log.length + 2 + n));
      return lines;
    };
    const withIt = published(true);
    if (withIt.length > 0) expect({ seed, told: withIt }).toEqual({ seed, told: published(false) });
  }
  expect(compared).toBeGreaterThan(SEEDED / 2);
});

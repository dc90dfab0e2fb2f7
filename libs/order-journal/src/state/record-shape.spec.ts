import { asked, authorized, expired, folded, notified } from '../../test/order-story.js';
import { historyOf } from './history.js';
import { type JournalRecord, recordHash, type SnapshotState, UnreadableJournalError } from './records.js';
import { snapshotOf } from './snapshot.js';
import { decodeRecord, UnknownRulesVersionError } from './versions.js';

/** A reader says this of the bytes; undefined: it can read them. */
function faultOf(record: unknown): string | undefined {
  try {
    decodeRecord(Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)));
    return undefined;
  } catch (error) {
    if (!(error instanceof UnreadableJournalError)) throw error;
    return error.message;
  }
}
const wrong = (field: string) => `A journal record has no valid ${field}`;

const intent = asked('authorize', { mayLookUp: true, captureReminderHours: 24 });
const evidence = notified('authorize', '0000', {
  flags: ['invalid_amount'],
  languageOf: ['A'],
  executedAt: intent.at,
});
const { order } = folded(authorized);
const { merchant, orderId, at, rulesVersion } = intent;
const inOrder = { rulesVersion, merchant, orderId, at };
const state = snapshotOf(order, at);
const snapshot = (change: object = {}) => ({
  record: 'SNAPSHOT',
  ...inOrder,
  seen: historyOf(order),
  state: { ...state, ...change },
});
const operationWith = (change: object) => snapshot({ operations: [{ ...state.operations[0], ...change }] });

describe('bytes that are no record', () => {
  it.each<[string, unknown]>([
    ['A journal record is not JSON', '{'],
    ['A journal record is not JSON', ''],
    ['A journal record is of an unknown kind', 'null'],
    ['A journal record is of an unknown kind', { ...intent, record: 'PAID' }],
    ['A journal record is of an unknown kind', { ...intent, record: undefined }],
    ['A journal record has no rules version; this release knows 1, 2', { ...intent, rulesVersion: undefined }],
    [
      'A journal record was written under rules version 9; this release knows 1, 2',
      { record: 'NEWER', rulesVersion: 9 },
    ],
  ])('are told: %s', (message, record) => {
    expect(faultOf(record)).toBe(message);
  });

  it('are nothing at all where the record has no value', () => {
    expect(() => decodeRecord(null)).toThrow('is not JSON');
  });

  it('keep the reason why they are no JSON', () => {
    expect(() => decodeRecord(Buffer.from('{'))).toThrow(
      expect.objectContaining({ name: 'UnreadableJournalError', cause: expect.any(SyntaxError) as unknown }),
    );
  });

  it('are of a newer release, and so not to be skipped, where their version is not known', () => {
    const newer = () => decodeRecord(Buffer.from(JSON.stringify({ record: 'NEWER', rulesVersion: 9 })));
    expect(newer).toThrow(UnknownRulesVersionError);
    expect(newer).toThrow(expect.objectContaining({ name: 'UnknownRulesVersionError' }));
  });
});

describe('a field of a record', () => {
  it.each<[string, JournalRecord]>([
    ['INTENT', intent],
    ['EVIDENCE', evidence],
    ['SNAPSHOT', snapshot() as JournalRecord],
    ['EXPIRED', expired('authorize')],
  ])('is read as it was written: %s', (_kind, record) => {
    expect(decodeRecord(Buffer.from(JSON.stringify(record)))).toEqual(JSON.parse(JSON.stringify(record)));
  });

  it.each<[string, object]>([
    ['commandId', { commandId: 7 }],
    ['commandId', { commandId: undefined }],
    ['attempt', { attempt: '1' }],
    ['attempt', { attempt: null }],
    ['at', { at: 'today' }],
    ['at', { at: 7 }],
    ['at', { at: undefined }],
    ['mayLookUp', { mayLookUp: 'true' }],
    ['supersedesDoubt', { supersedesDoubt: 1 }],
    ['amount', { amount: '30000' }],
    ['transactionId', { transactionId: null }],
  ])('is refused where it is something else: %s', (field, change) => {
    expect(faultOf({ ...intent, ...change })).toBe(wrong(field));
  });

  it('may be absent where older releases wrote none', () => {
    for (const field of ['amount', 'transactionId', 'tag', 'mayLookUp', 'captureReminderHours'])
      expect(faultOf({ ...intent, [field]: undefined })).toBeUndefined();
    expect(faultOf({ ...intent, hash: 7 })).toBeUndefined();
  });

  it.each<[string, object]>([
    ['answer', { answer: 'done' }],
    ['answer', { answer: null }],
    ['answer', { answer: [] }],
    ['answer', { answer: undefined }],
    ['flags', { flags: 'invalid_amount' }],
    ['flags', { flags: {} }],
    ['flags', { flags: ['invalid_amount', 7] }],
    ['executedAt', { executedAt: 'yesterday' }],
  ])('of evidence is refused: %s', (field, change) => {
    expect(faultOf({ ...evidence, ...change })).toBe(wrong(field));
  });

  it.each<[unknown, boolean]>([
    ['tr1', true],
    [{ operation: 'tr1', attempt: 1 }, true],
    [7, false],
    [null, false],
    [[], false],
    [{}, false],
    [{ operation: 'tr1' }, false],
    [{ attempt: 1 }, false],
    [{ operation: 1, attempt: 1 }, false],
    [{ operation: 'tr1', attempt: '1' }, false],
  ])('that is a tag, such as %j, is one: %p', (tag, isOne) => {
    expect(faultOf({ ...evidence, tag })).toBe(isOne ? undefined : wrong('tag'));
  });

  it('of a tombstone that says how long its order is kept may be anything: the fold voids it then', () => {
    const tombstone = { record: 'TOMBSTONE', ...inOrder, seen: historyOf(order) };
    expect([faultOf({ ...tombstone, refundableDays: 'x' }), faultOf(tombstone)]).toEqual([undefined, undefined]);
  });
});

describe('the state of a snapshot', () => {
  it('is refused where it is none', () => {
    for (const one of [null, [], 'state', undefined])
      expect(faultOf({ ...snapshot(), state: one })).toBe(wrong('state'));
  });

  const REFUSED: Partial<Record<keyof SnapshotState, unknown[]>> = {
    operations: [undefined, null, {}, 'x', [7], [null], [[]]],
    verdicts: [undefined, ['t'], [['t']], [['t', 'granted', 'x']], [['t', 7]], [{ length: 2 }]],
    unmatchedEvidence: [undefined, [7], [{}], [{ answer: null }], [{ answer: [] }], [null]],
    external: [undefined, [7], [null], {}],
    unauthorizedOutcomes: [[7], {}],
    settled: [[7], 'fact'],
    repairs: [[7], {}],
    rulesVersion: ['1'],
    movedAt: ['today', 7],
    isPartial: [1],
    isFrozen: ['true'],
  };
  it.each(Object.entries(REFUSED).flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    'is refused where its %s is %j',
    (field, value) => {
      expect(faultOf(snapshot({ [field]: value }))).toBe(wrong('state'));
    },
  );

  it('may lack what not every order has', () => {
    const seldom = ['unauthorizedOutcomes', 'settled', 'repairs', 'rulesVersion', 'movedAt', 'isPartial', 'isFrozen'];
    for (const field of seldom) expect(faultOf(snapshot({ [field]: undefined }))).toBeUndefined();
    const all = { unauthorizedOutcomes: [{}], settled: ['fact'], repairs: [{}], isPartial: true, isFrozen: false };
    expect(faultOf(snapshot({ ...all, rulesVersion: 2, movedAt: at }))).toBeUndefined();
    const lists = { verdicts: [['t', 'granted']], unmatchedEvidence: [{ answer: {} }], external: [{}] };
    expect(faultOf(snapshot(lists))).toBeUndefined();
  });

  it.each<[string, object]>([
    ...['commandId', 'operation', 'method', 'contentHash', 'phase'].map(
      (name) => [name, { [name]: 7 }] as [string, object],
    ),
    ['attempt', { attempt: '1' }],
    ['attempts', { attempts: [7] }],
    ['attempts', { attempts: undefined }],
    ['since', { since: 'today' }],
    ['firstIntentAt', { firstIntentAt: 7 }],
    ['endedAt', { endedAt: 'then' }],
  ])('is refused where %s of an operation is something else', (_name, change) => {
    expect(faultOf(operationWith(change))).toBe(wrong('state'));
  });

  it('may have an operation without times', () => {
    const times = { since: undefined, firstIntentAt: undefined, endedAt: undefined };
    expect(faultOf(operationWith(times))).toBeUndefined();
    expect(faultOf(operationWith({ since: at, firstIntentAt: at, endedAt: at }))).toBeUndefined();
  });
});

it('a record is named by its bytes, and one without any as an empty one', () => {
  const hashes = [recordHash(Buffer.from('{}')), recordHash(Buffer.from('[]')), recordHash(null)];
  expect(hashes).toEqual(['RBNvo1WzZ4oR', 'T1PNoYwrqgwD', recordHash(Buffer.alloc(0))]);
});

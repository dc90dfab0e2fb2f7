import { intent, inOrder, recordsOf, redirect, repeated } from '../../test/journal-records.js';
import { OneOwner, type OneOwnerSettings } from '../../test/one-owner.js';
import { asOrderState } from '../projection/index-format.js';
import { RecordJudge } from '../recovery/partition-health.js';
import { SkipList } from '../recovery/recovery-record.js';
import { timersOf } from '../timers/timer-watch.js';
import { fold } from '../state/fold.js';
import { emptyOrder } from '../state/order-state.js';
import { encodeRecord, RECORD_KINDS, recordHash, type JournalRecord } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';
import { decodeRecord, WRITTEN_SINCE } from '../state/versions.js';

const KEY = 'shop-fr/o';
const { at } = inOrder;
const order = [intent, redirect].reduce(
  (state, record, offset) => fold(state, record, BigInt(offset)).order,
  emptyOrder('shop-fr', 'o'),
);
const state = snapshotOf(order, at);

/** A value that every release might write, for each field. */
const VALUES: Record<string, unknown> = {
  ...{ ...inOrder, commandId: 'a', attempt: 1, token: 't', seen: order.history, hash: 'h', message: 'm', code: 'c' },
  ...{ operation: 'authorize', operationType: '7', method: 'A', currency: 'EUR', amount: 100, transactionId: 'A1' },
  ...{ supersedes: 'z', contentHash: 'h', correlationId: 'c', mayLookUp: true, supersedesDoubt: true, partial: true },
  ...{ mayBeDone: true, result: 'succeeded', reason: 'timeout', execCode: '0000', answer: { execCode: '0000' } },
  ...{ retryAfterSeconds: 5, source: 'notification', actor: 'p', approvedBy: 'q', proposal: 'r', notBefore: at },
  ...{ extraData: 'e', externalEntityId: 'e', externalReference: 'e', flags: ['f'], language: 'fr', languageOf: ['A'] },
  ...{ maskedCard: '4…1', cardBrand: 'CB', cardCountry: 'FR', executedAt: at, reminder: 'doubt_15_minutes', state },
  ...{ faults: [{ path: '', code: 'c', message: 'm' }], refundableDays: 400, tag: 'x' },
  ...{ conflict: 'c', outcome: 'kept', reference: 'r' },
};
const OTHERS = [null, 7, true, [null], { a: null }, 'far too long '.repeat(5_000)];

const sampleOf = (kind: JournalRecord['record']): Record<string, unknown> => {
  const names = Object.keys(WRITTEN_SINCE[kind]);
  const values = names.flatMap((name) => (name === 'record' ? [] : [[name, VALUES[name]] as const]));
  const tag = kind === 'EVIDENCE' ? { tag: { operation: 'x', attempt: 1 }, operationType: undefined } : {};
  return { record: kind, rulesVersion: 1, ...Object.fromEntries(values), ...tag };
};

/** `npm test` tries every fourth record, other ones for each `SIMULATED_SEED`, `npm run test:all` every one. */
const EVERY = process.env.NIGHTLY ? 1 : 4;
const isDrawn = (_record: unknown, at: number): boolean =>
  at % EVERY === Number(process.env.SIMULATED_SEED ?? 1) % EVERY;

/** Each kind of record with each of its fields missing, null, of another type, or far too long. */
const broken = RECORD_KINDS.flatMap((kind) => {
  const sample = sampleOf(kind);
  const with_ = (name: string, value: unknown) => ({ what: `${kind} ${name}`, record: { ...sample, [name]: value } });
  const ofState = (name: string, value: unknown) => with_('state', { ...state, [name]: value });
  const values = [undefined, ...OTHERS];
  const all = Object.keys(sample).flatMap((name) => values.map((value) => with_(name, value)));
  if (kind === 'SNAPSHOT')
    all.push(...Object.keys({ ...state, external: 1 }).flatMap((name) => values.map((one) => ofState(name, one))));
  return all as unknown as { what: string; record: JournalRecord }[];
});
const later: JournalRecord = { ...intent, commandId: 'b', token: 'u' } as JournalRecord;

type Met = (before: JournalRecord[], record: JournalRecord, settings: OneOwnerSettings) => Promise<OneOwner>;
const inMemory: Met = async (before, record, settings) => {
  const one = await new OneOwner({ records: before, ...settings }).settled(12);
  await one.journal.read('shop-fr', 'o');
  for (const appended of [record, later, repeated]) one.append(appended);
  return one.settled(25);
};
const outOfMemory: Met = (before, record, settings) =>
  new OneOwner({ records: [...before, record, later, repeated], ...settings }).settled(25);
const rebuilt: Met = (before, record, settings) => {
  const records = [...before, record, later, repeated];
  return new OneOwner({ records, committed: BigInt(records.length), ...settings }).settled(40);
};

it('is a valid record, with every field', () => {
  for (const kind of RECORD_KINDS)
    expect(decodeRecord(Buffer.from(JSON.stringify(sampleOf(kind))))).toMatchObject({ record: kind });
  expect(broken.length).toBeGreaterThan(500);
});

/** Returns `folded` where the index takes all states, `stopped` where the partition stopped at the record. */
function endOf(one: OneOwner, offset: number): string {
  const { state: is, stoppedBecause = '' } = one.owner;
  if (is === 'stopped') {
    const isNamed = stoppedBecause.includes(`stopped at offset ${offset}: `);
    const isNewer = stoppedBecause.includes('start a release that reads it');
    return isNamed && (isNewer || stoppedBecause.includes(`--offset ${offset} --hash `)) ? 'stopped' : stoppedBecause;
  }
  if (is !== 'serve' || one.index.marker !== one.high - 1n) return `${is} at ${one.index.marker}`;
  for (const [key, stored] of one.index.orders) {
    if (asOrderState(JSON.parse(JSON.stringify(stored)), key) === undefined) return 'no valid state';
    if (timersOf(stored).some(({ atMs }) => !Number.isFinite(atMs))) return 'a timer without a time';
  }
  return 'folded';
}

const isJudgedUnreadable = (records: JournalRecord[]): boolean => {
  const judge = new RecordJudge();
  const judged = recordsOf(0n, ...records).map((entry) => judge.whyUnreadable({ ...entry, key: KEY }));
  return judged.at(-1) !== undefined;
};

describe.each([
  ['of an order in memory', inMemory],
  ['of an order out of memory', outOfMemory],
  ['in a rebuild', rebuilt],
])('a record with a wrong field, %s', (_where, meet) => {
  it('is folded to a valid state, or stops its partition there; and once it is skipped, the partition goes on', async () => {
    const wrong: string[] = [];
    const ends = { folded: 0, stopped: 0 };
    for (const { what, record } of broken.filter(isDrawn)) {
      const before = ['EXPIRED', 'REMINDED', 'SNAPSHOT'].includes(record.record) ? [intent, redirect] : [intent];
      const end = endOf(await meet(before, record, { key: KEY }), before.length);
      if (isJudgedUnreadable([...before, record]) !== (end === 'stopped'))
        wrong.push(`${what}: \`tranche journal status\` judges it otherwise`);
      if (end in ends) ends[end as keyof typeof ends]++;
      if (end === 'folded') continue;
      if (end !== 'stopped') wrong.push(`${what} ${JSON.stringify(record).slice(-120)}: ${end}`);
      const skipped = new SkipList();
      skipped.add(recordHash(encodeRecord(record)));
      const healed = await meet(before, record, { key: KEY, skipped });
      const isFrozen = healed.index.orders.get(KEY)?.isFrozen;
      const after = endOf(healed, before.length);
      if (after !== 'folded' || isFrozen !== true) wrong.push(`${what}, skipped: ${after}`);
    }
    expect(wrong).toEqual([]);
    expect([ends.folded, ends.stopped].every((times) => times > 100 / EVERY)).toBe(true);
  });
});

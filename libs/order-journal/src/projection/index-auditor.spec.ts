import { silentLog } from '@tranche/runtime';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { encodeRecord, type JournalRecord, recordHash } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';
import { IndexAuditor, type AuditResult } from './index-auditor.js';
import { JournalReplacedError } from '../journal/journal-faults.js';
import type { JournalEntry, JournalReader } from '../journal/ports.js';

const at = '2026-03-01T10:00:00.000Z';
const intentOf = (orderId: string): JournalRecord => ({
  ...{
    record: 'INTENT',
    rulesVersion: RULES_VERSION,
    merchant: 'shop-fr',
    orderId,
    at,
    commandId: 'a',
    attempt: 1,
    token: `t ${orderId}`,
  },
  ...{ operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'h' },
});
const refusedOf = (orderId: string): JournalRecord => ({
  ...{
    record: 'OUTCOME',
    rulesVersion: RULES_VERSION,
    merchant: 'shop-fr',
    orderId,
    at,
    commandId: 'a',
    attempt: 1,
    token: `t ${orderId}`,
  },
  ...{ result: 'refused', answer: { execCode: '4001' } },
});
const ORDERS = Array.from({ length: 30 }, (_, number) => `o-${number}`);
const RECORDS = [...ORDERS.map(intentOf), ...ORDERS.map(refusedOf)];
const PARTITION = 3;

/** The journal from `first` on, the index made from it up to `marker`, and an auditor of both. */
class Bench {
  readonly entries: JournalEntry[];
  readonly index = new Map<string, OrderState>();
  readonly logged: string[] = [];
  readonly audited: AuditResult[] = [];
  /** States with which the projection was asked to replace differing ones. */
  readonly repaired: OrderState[] = [];
  marker: bigint | undefined;
  hash: string | undefined;
  isEnded = false;
  readBefore: () => void = () => undefined;

  constructor({
    records = RECORDS,
    first = 0n,
    marker: last,
  }: { records?: JournalRecord[]; first?: bigint; marker?: bigint } = {}) {
    const marker = last ?? first + BigInt(records.length) - 1n;
    this.entries = records.map((record, number) => ({
      key: `shop-fr/${record.orderId}`,
      offset: first + BigInt(number),
      value: encodeRecord(record),
    }));
    this.marker = marker;
    for (const [number, record] of records.entries())
      if (first + BigInt(number) <= marker) this.project(record, first + BigInt(number));
  }

  /** Stores states as JSON after each record, as the store does. */
  project(record: JournalRecord, offset: bigint): void {
    const key = `shop-fr/${record.orderId}`;
    const before = this.index.get(key) ?? emptyOrder('shop-fr', record.orderId);
    this.index.set(key, JSON.parse(JSON.stringify(fold(before, record, offset).order)) as OrderState);
  }

  async audit(): Promise<AuditResult | undefined> {
    const { entries } = this;
    const journal: JournalReader = {
      firstKept: () => Promise.resolve(entries[0]!.offset),
      end: () => Promise.resolve(entries.at(-1)!.offset + 1n),
      async *read(_partition, from, until) {
        const wanted = entries.filter(({ offset }) => offset >= from && offset < until);
        for (let start = 0; start < wanted.length; start += 7)
          yield await Promise.resolve(wanted.slice(start, start + 7));
      },
    };
    const { isEnded } = this;
    const repair = async (folded: (until: bigint) => Promise<OrderState[] | undefined>) => {
      this.repaired.push(...((await folded(this.marker! + 1n)) ?? []));
    };
    const auditor = new IndexAuditor({
      projector: {
        assigned: [{ partition: PARTITION, projection: { isEnded, repair } as never }],
      },
      index: {
        readTogether: (_partition, keys) => {
          if (keys.length > 0) this.readBefore();
          const { marker, hash } = this;
          if (marker === undefined) return Promise.resolve({ orders: keys.map(() => undefined) });
          return Promise.resolve({
            marker,
            ...(hash === undefined ? {} : { hash }),
            orders: keys.map((key) => this.index.get(key)),
          });
        },
      },
      journal,
      timing: { sleep: () => Promise.resolve() },
      logger: { ...silentLog, error: (_fields, message) => void this.logged.push(message) },
      random: () => 0,
      recordsPerSecond: 1_000,
      onAudited: (result) => void this.audited.push(result),
    });
    return auditor.auditNext(new AbortController().signal);
  }
}

it('finds nothing in an index that agrees with the journal', async () => {
  const bench = new Bench();
  expect(await bench.audit()).toEqual({ partition: PARTITION, orders: 30, differing: [] });
  expect([bench.repaired, bench.logged, bench.audited.length]).toEqual([[], [], 1]);
});

it.each<[string, (index: Map<string, OrderState>) => void]>([
  ['that is missing', (index) => index.delete('shop-fr/o-7')],
  [
    'that lacks its last record',
    (index) => index.set('shop-fr/o-7', fold(emptyOrder('shop-fr', 'o-7'), intentOf('o-7'), 7n).order),
  ],
  ['with another amount', (index) => void (index.get('shop-fr/o-7')!.operations[0]!.amount = 99)],
])('finds an order %s under a valid marker, says so and mends it', async (_what, plant) => {
  const bench = new Bench();
  plant(bench.index);
  expect(await bench.audit()).toEqual({ partition: PARTITION, orders: 30, differing: ['shop-fr/o-7'] });
  expect(bench.logged).toEqual(['The index holds another state than the journal: it is repaired']);
  expect(bench.repaired.map(({ orderId, lastOffset }) => [orderId, lastOffset])).toEqual([['o-7', '37']]);
});

it('compares at the marker that it reads with the states, though the index moved on meanwhile', async () => {
  const bench = new Bench({ marker: 39n });
  bench.readBefore = () => {
    bench.readBefore = () => undefined;
    for (let offset = 40; offset < 60; offset++) bench.project(RECORDS[offset]!, BigInt(offset));
    bench.marker = 59n;
  };
  expect(await bench.audit()).toMatchObject({ orders: 30, differing: [] });
});

it('reports nothing about an index that was lost, was restored from an older copy, or is another process’s by now', async () => {
  const lost = new Bench();
  lost.readBefore = () => void (lost.marker = undefined);
  const older = new Bench();
  older.readBefore = () => void (older.marker = 3n);
  const ended = new Bench();
  ended.index.clear();
  ended.isEnded = true;
  expect([await lost.audit(), await older.audit(), await ended.audit()]).toEqual([undefined, undefined, undefined]);
  expect([lost, older, ended].flatMap(({ repaired }) => repaired)).toEqual([]);
});

it('says nothing of orders whose beginning the journal keeps no more: there the index rightly knows more', async () => {
  const bench = new Bench({ records: RECORDS.slice(10), first: 10n });
  // The index was made from the whole journal.
  bench.index.clear();
  for (const [number, record] of RECORDS.entries()) bench.project(record, BigInt(number));
  // The kept journal of ten orders begins with their OUTCOME.
  expect(await bench.audit()).toEqual({ partition: PARTITION, orders: 20, differing: [] });
  bench.index.delete('shop-fr/o-15');
  expect(await bench.audit()).toMatchObject({ differing: ['shop-fr/o-15'] });
});

it('leaves an index alone whose journal was replaced: a person decides', async () => {
  const bench = new Bench();
  bench.index.clear();
  bench.hash = recordHash(Buffer.from('another record'));
  await expect(bench.audit()).rejects.toThrow(JournalReplacedError);
  expect(bench.repaired).toEqual([]);
});

it('repairs nothing from a log that lacks the record at the marker: it went back while it was read', async () => {
  const bench = new Bench();
  bench.hash = recordHash(bench.entries.at(-1)!.value);
  bench.entries.splice(-10);
  await expect(bench.audit()).rejects.toBeInstanceOf(JournalReplacedError);
  expect([bench.repaired, bench.logged]).toEqual([[], []]);
});

import { BEHIND_AT_MOST_MS, TailBuffer, TailPosition, type ConsumedRecord } from '@tranche/kafka';
import {
  emptyOrder,
  encodeRecord,
  fold,
  JOURNAL_PARTITIONS,
  journalPartition,
  recordHash,
  RULES,
  RULES_VERSION,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { Health, Metrics, type ServiceLogger } from '@tranche/service-kit';
import { waitFor } from '@tranche/testing';
import type { GatewayConfig } from '../gateway.config.js';
import { STANDS_STILL_MS } from './index-wait.js';
import { CommandGate } from './command-gate.service.js';
import { Journal } from './journal.service.js';
import type { JournalTopic } from './journal-topic.producer.js';
import type { ProjectorService } from './projector.service.js';
import type { OrderIndexStore } from './order-index.store.js';

const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' } as const;
const intent = (token: string): JournalRecord => ({
  record: 'INTENT',
  ...inOrder,
  commandId: 'a',
  attempt: 1,
  token,
  ...terms,
});
const PARTITION = journalPartition('shop-fr/o');
interface Callbacks {
  known?: Map<number, bigint>;
  onPlaced: (partition: number, from: bigint) => void;
  onRecords: (partition: number, records: ConsumedRecord[]) => void;
  onFault: (partition: number, fault: string) => void;
  onUnverified: (partition: number, isUnverified: boolean) => void;
}
/** An order of another journal partition. */
const ORDER_ELSEWHERE = ['a', 'b', 'c'].find((orderId) => journalPartition(`shop-fr/${orderId}`) !== PARTITION)!;

/** Topic and index in memory. The tail receives the records given to `bring`, and rejects the same records as the real one. */
function journal(
  settings: {
    low?: bigint;
    high?: bigint;
    marker?: bigint;
    hash?: string;
    /** Offset behind the last record whose events were published. */
    published?: bigint;
    open?: string[];
    orders?: Map<string, OrderState>;
  } = {},
) {
  const { low = 0n, high = 0n, marker, published, orders = new Map<string, OrderState>() } = settings;
  let onRecords: (partition: number, records: ConsumedRecord[]) => void = () => undefined;
  let onFault: (partition: number, fault: string) => void = () => undefined;
  let onUnverified: Callbacks['onUnverified'] = () => undefined;
  let followed: () => void;
  const following = new Promise<void>((resolve) => (followed = resolve));
  let appended = high;
  const offsets = new Map(
    Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => [
      partition,
      partition === PARTITION ? { low, high } : { low: 0n, high: 0n },
    ]),
  );
  const bring = (offset: bigint, value: Buffer) =>
    onRecords(PARTITION, [
      { topic: '', partition: PARTITION, offset, key: 'shop-fr/o', rawKey: null, value, headers: {}, timestampMs: 0 },
    ]);
  const positions = new Map<number, TailPosition>();
  const compareAt = async (nowMs: number) => {
    for (const [partition, ends] of await topic.offsets()) {
      const position = positions.get(partition)!;
      const { isVerified: wasVerified } = position;
      position.compare(ends, nowMs);
      if (position.isVerified !== wasVerified) onUnverified(partition, wasVerified);
      if (position.fault !== undefined) onFault(partition, position.fault);
    }
  };
  const index: { stored: bigint | undefined; asked: number; onRead(): void } = { stored: marker, asked: 0, onRead: () => undefined }; // prettier-ignore
  let lagging = 1;
  const written: JournalRecord[] = [];
  const topic = {
    offsets: () => Promise.resolve(offsets),
    follow: async (from: Map<number, bigint>, callbacks: Callbacks) => {
      ({ onRecords, onFault, onUnverified } = callbacks);
      for (const [partition, ends] of await topic.offsets()) {
        const wanted = { from: from.get(partition), known: callbacks.known?.get(partition) };
        const position = TailPosition.placed(`journal/${partition}`, ends, wanted, 0);
        positions.set(partition, position);
        callbacks.onPlaced(partition, position.next);
        if (position.fault !== undefined) onFault(partition, position.fault);
      }
      followed();
      return { stop: () => Promise.resolve() };
    },
    append: (record: JournalRecord) => {
      written.push(record);
      const offset = appended++;
      setImmediate(() => bring(offset, encodeRecord(record)));
      return Promise.resolve(offset);
    },
  } as unknown as JournalTopic;
  const store = {
    marks: () =>
      Promise.resolve(
        new Map(index.stored === undefined ? [] : [[PARTITION, { marker: index.stored, hash: settings.hash }]]),
      ),
    markers: () => Promise.resolve(new Map(index.stored === undefined ? [] : [[PARTITION, index.stored]])),
    // The first answer comes from a lagging replica.
    openOrders: () => {
      index.asked++;
      return Promise.resolve({
        orderKeys: lagging-- > 0 ? [] : (settings.open ?? []),
        marker: lagging >= 0 ? 0n : index.stored,
      });
    },
    read: (key: string) => {
      index.onRead();
      return Promise.resolve({ order: orders.get(key), marker: index.stored });
    },
  } as unknown as OrderIndexStore;
  const health = new Health();
  const buffer = new TailBuffer();
  const log = silentLog as ServiceLogger;
  const commandGate = new CommandGate(health, log);
  let elapsedMs = 0;
  const clock = {
    nowMs: () => 0,
    monotonicMs: () => elapsedMs,
    sleep: (_ms: number, signal?: AbortSignal) =>
      signal?.aborted ? Promise.reject(signal.reason as Error) : new Promise<void>((resolve) => setImmediate(resolve)),
  };
  const stoppedProjections: [number, string][] = [];
  const projection = {
    stopped: new Map<number, string>(),
    published: () => Promise.resolve(new Map(published === undefined ? [] : [[PARTITION, published]])),
    projector: {
      stop: (partition: number, why: string) => void stoppedProjections.push([partition, why]),
      setUnverified: () => undefined,
    },
  } as unknown as ProjectorService;
  return {
    topic,
    commandGate,
    service: new Journal(
      ...([topic, store, clock, log, health, new Metrics('spec'), buffer] as const),
      ...([{ rulesVersion: 2 } as GatewayConfig, commandGate, projection] as const),
    ),
    stoppedProjections,
    buffer,
    bring,
    fault: (text: string) => onFault(PARTITION, text),
    written,
    following,
    compareAt,
    health,
    index,
    passes: (ms: number) => void (elapsedMs += ms),
  };
}

// No release has version 2, so it shows that the setting decides the version.
beforeEach(() => void jest.replaceProperty(RULES, 'versions', [1, 2]));
afterEach(() => jest.restoreAllMocks());

it('reads an order back to the record that was appended', async () => {
  const { service } = journal();
  await service.start();
  const order = await service.appendAndRead(intent('t'));
  expect(order.verdicts).toEqual([['t', 'granted']]);
  await service.stop();
});

it('writes records under the rules version of its settings', async () => {
  const { service, written } = journal();
  await service.start();
  await service.appendAndRead({ ...intent('t'), rulesVersion: 1 });
  expect(written.map(({ rulesVersion }) => rulesVersion)).toEqual([2]);
  await service.stop();
});

it('stops a partition at a record that it can not read, and is not ready', async () => {
  const { service, bring, health } = journal();
  await service.start();
  bring(0n, Buffer.from('{"record":"INTENT","rulesVersion":99}'));
  await expect(service.read('shop-fr', 'o')).rejects.toThrow('rules version 99');
  expect(health.notReady()[0]?.reason).toContain(`partition ${PARTITION} is stopped at offset 0`);
  await service.stop();
});

it.each([
  ['ends at the index’s last record', 5n, undefined],
  ['ends at the index’s last record, whose hash is known', 5n, 'hash'],
  ['ends long before it, and the hash is known', 27n, 'hash'],
])('starts, and after a minute stops the one partition whose journal %s', async (_what, marker, hash) => {
  const { service, health, compareAt } = journal({ high: 5n, marker, ...(hash && { hash }) });
  await service.start();
  await compareAt(BEHIND_AT_MOST_MS - 1);
  expect(health.notReady()).toEqual([]);
  await expect(service.read('shop-fr', 'o')).rejects.toThrow('ends before what the index holds');
  await compareAt(BEHIND_AT_MOST_MS);
  await expect(service.read('shop-fr', 'o')).rejects.toThrow('the log was lost or replaced');
  expect(health.notReady()[0]?.reason).toContain(`partition ${PARTITION} is stopped`);
  expect((await service.read('shop-fr', ORDER_ELSEWHERE)).operations).toEqual([]);
  await service.stop();
});

it('starts after a clean election: the journal ends before the index for a moment only', async () => {
  const { service, health, topic, compareAt } = journal({ high: 5n, marker: 4n });
  const offsets = await topic.offsets();
  const short = new Map([...offsets].map(([partition]) => [partition, { low: 0n, high: 0n }]));
  topic.offsets = () => Promise.resolve(short);
  await service.start();
  await compareAt(BEHIND_AT_MOST_MS - 1);
  await expect(service.read('shop-fr', 'o')).rejects.toThrow('ends before what the index holds');
  topic.offsets = () => Promise.resolve(offsets);
  await compareAt(BEHIND_AT_MOST_MS);
  await compareAt(2 * BEHIND_AT_MOST_MS);
  expect([health.notReady(), (await service.read('shop-fr', 'o')).operations]).toEqual([[], []]);
  await service.stop();
});

it('stops a partition of which records behind the index are deleted while the tail begins', async () => {
  const { service, health, topic } = journal({ high: 9n, marker: 4n });
  const offsets = await topic.offsets();
  const cut = new Map([...offsets].map(([partition, { high }]) => [partition, { low: high, high }]));
  let asked = 0;
  topic.offsets = () => Promise.resolve(++asked <= 2 ? offsets : cut);
  await service.start();
  expect(health.notReady()[0]?.reason).toContain('were deleted before they were read');
  await service.stop();
});

it('does not wait for the intents of an index that is older than the kept journal: its partition may be stopped for good', async () => {
  const { service, topic } = journal({ high: 9n, marker: 2n, published: 9n });
  const offsets = await topic.offsets();
  offsets.set(PARTITION, { low: 9n, high: 9n });
  await service.start();
  expect((await service.read('shop-fr', ORDER_ELSEWHERE)).operations).toEqual([]);
  await service.stop();
});

it('stops reading open intents from an index that is older than the kept journal, once its partition is stopped', async () => {
  const { service, topic, index, fault } = journal({ high: 9n, marker: 2n, published: 9n });
  const offsets = await topic.offsets();
  offsets.set(PARTITION, { low: 9n, high: 9n });
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    return index.asked;
  };
  await service.start();
  const before = await turns();
  expect(await turns()).toBeGreaterThan(before);
  fault('the log was lost or replaced');
  const after = await turns();
  expect(await turns()).toBe(after);
  await service.stop();
});

it('reads no order from an index that is older than the kept journal, until it was rebuilt', async () => {
  const { service, index, topic } = journal({ high: 9n, marker: 2n, published: 9n });
  const offsets = await topic.offsets();
  topic.offsets = () => Promise.resolve(offsets);
  offsets.set(PARTITION, { low: 9n, high: 9n });
  const starting = service.start();
  index.stored = 8n;
  await starting;
  expect((await service.read('shop-fr', 'o')).operations).toEqual([]);
  index.stored = 2n;
  await expect(service.read('shop-fr', 'p')).rejects.toThrow('is behind');
  await service.stop();
});

describe('an index that lacks more than 50,000 records of one partition', () => {
  const LACKING = { low: 100_000n, high: 200_000n };
  const turns = async (count = 20) => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const begun = (settings: Parameters<typeof journal>[0]) => {
    const made = journal(settings);
    let isUp = false;
    const starting = made.service.start().then(
      () => void (isUp = true),
      () => undefined,
    );
    const end = () => made.service.stop().then(() => starting);
    return { ...made, starting, isUp: () => isUp, end };
  };

  it.each([
    ['its marker', { marker: 5n }],
    ['what was published', { published: 6n }],
    ['both', { marker: 5n, published: 3n }],
  ])(
    'is not waited for where the records behind %s are deleted, whichever instance projects it',
    async (_what, known) => {
      const { starting, service, health, stoppedProjections, end } = begun({ ...LACKING, ...known });
      await starting;
      expect(health.notReady()[0]?.reason).toContain('the records from 6 on were deleted before they were projected');
      expect(stoppedProjections.map(([partition]) => partition)).toEqual([PARTITION]);
      await expect(service.read('shop-fr', 'o')).rejects.toThrow(`partition ${PARTITION} is stopped`);
      expect((await service.read('shop-fr', ORDER_ELSEWHERE)).operations).toEqual([]);
      await end();
    },
  );

  it('is waited for where it is only older than the committed offset: its projector restores it', async () => {
    const { starting, isUp, index, health, passes, end } = begun({ ...LACKING, marker: 5n, published: 200_000n });
    await turns();
    expect(isUp()).toBe(false);
    // A rebuild starts by removing the marker.
    index.stored = undefined;
    passes(10 * STANDS_STILL_MS);
    await turns();
    passes(10 * STANDS_STILL_MS);
    await turns();
    expect(isUp()).toBe(false);
    index.stored = 199_999n;
    await starting;
    expect(health.notReady()).toEqual([]);
    await end();
  });

  it('is waited for while its marker moves, and no longer than a minute where it stands still', async () => {
    const { starting, isUp, index, health, passes, stoppedProjections, end } = begun({ ...LACKING, marker: 100_004n });
    for (let moved = 0; moved < 3; moved++) {
      await turns();
      index.stored! += 1n;
      passes(STANDS_STILL_MS - 1);
    }
    await turns();
    expect(isUp()).toBe(false);
    passes(STANDS_STILL_MS);
    await starting;
    expect(health.notReady()[0]?.reason).toContain('its index lacks 99992 records and stands still');
    // Its log has not changed, so this instance may project the partition later.
    expect(stoppedProjections).toEqual([]);
    await end();
  });
});

it('takes no commands while the index is more than 50,000 records behind, as when Redis is full, and takes them again afterwards', async () => {
  const { service, commandGate, health, index, bring } = journal({ high: 5n, marker: 4n });
  await service.start();
  bring(50_004n, encodeRecord(intent('t')));
  await service.forgetIndexed();
  expect(commandGate.blockedBecause).toBeUndefined();
  bring(50_005n, encodeRecord(intent('u')));
  await service.forgetIndexed();
  expect(health.notReady()[0]?.reason).toContain('the index is 50001 records behind the journal');
  index.stored = 5n;
  await service.forgetIndexed();
  expect(health.notReady()).toEqual([]);
  await service.stop();
});

it('takes no commands while more than 64 MiB of records are in memory that the index lacks; their pages do not count, for they are not kept', async () => {
  const { service, commandGate, health, bring } = journal({ high: 5n, marker: 4n });
  await service.start();
  const MEBIBYTE = 1024 * 1024;
  const answer = { execCode: '0002', redirectHtml: 'P'.repeat(MEBIBYTE) };
  const page = encodeRecord({ ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't' }, result: 'redirect_required', answer }); // prettier-ignore
  for (let at = 5n; at < 75n; at++) bring(at, page);
  await service.forgetIndexed();
  expect(commandGate.blockedBecause).toBeUndefined();
  const large = Buffer.concat([encodeRecord(intent('t')), Buffer.alloc(MEBIBYTE, ' ')]);
  for (let at = 75n; at < 139n; at++) bring(at, large);
  await service.forgetIndexed();
  expect(health.notReady()[0]?.reason).toContain('bytes of them are in memory');
  await service.stop();
});

it('takes commands of other partitions while one that waits for its index, or is stopped, holds more than 64 MiB of records in memory', async () => {
  const { service, commandGate, bring, index, fault } = journal({ high: 5n, marker: 4n });
  await service.start();
  const large = Buffer.concat([encodeRecord(intent('t')), Buffer.alloc(1024 * 1024, ' ')]);
  for (let at = 5n; at < 75n; at++) bring(at, large);
  await service.forgetIndexed();
  expect(commandGate.blockedBecause).toContain('bytes of them are in memory');
  index.stored = undefined;
  await service.forgetIndexed();
  expect(commandGate.blockedBecause).toBeUndefined();
  index.stored = 4n;
  await service.forgetIndexed();
  expect(commandGate.blockedBecause).toContain('bytes of them are in memory');
  fault('the log was lost or replaced');
  await service.forgetIndexed();
  expect(commandGate.blockedBecause).toBeUndefined();
  await service.stop();
});

it('takes no commands while memory alone holds a log of more than 64 MiB that has no index: its commands go on, and nothing would end them', async () => {
  const { service, commandGate, bring } = journal();
  await service.start();
  const large = Buffer.concat([encodeRecord(intent('t')), Buffer.alloc(1024 * 1024, ' ')]);
  for (let at = 0n; at < 65n; at++) bring(at, large);
  await service.forgetIndexed();
  expect(commandGate.blockedBecause).toContain('bytes of them are in memory');
  await service.stop();
});

it('stops a partition where the tail reports that its log has changed: waits reject, and nothing is read', async () => {
  const { service, fault, health } = journal();
  await service.start();
  await service.read('shop-fr', 'o');
  const waiting = service.view.waitForRecordAfter('shop-fr', 'o', 7n);
  const refused = expect(waiting).rejects.toThrow('the log was lost or replaced');
  fault('the log was lost or replaced');
  await refused;
  await expect(service.read('shop-fr', 'o')).rejects.toThrow('docs/runbook.md, "A journal partition is stopped"');
  expect(health.notReady()[0]?.reason).toContain(`Journal partition ${PARTITION} is stopped: the log was lost`);
  await service.stop();
});

describe('the record at the index’s marker', () => {
  const started = async (hash: string) => {
    const { service, bring, following, health } = journal({ high: 5n, marker: 4n, hash });
    const begun = service.start();
    await following;
    // The tail's first record is this one; no other record needs to be read.
    bring(4n, encodeRecord(intent('t')));
    await begun;
    return { service, health };
  };

  it('is compared with the index’s hash, and not folded twice', async () => {
    const { service, health } = await started(recordHash(encodeRecord(intent('t'))));
    expect([health.notReady(), service.view.ordersInMemory]).toEqual([[], 0]);
    await service.stop();
  });

  it('stops its partition when it is another one: the journal was replaced', async () => {
    const { service, health } = await started(recordHash(encodeRecord(intent('another'))));
    await waitFor(() => health.notReady().length > 0, { what: 'the record at the marker' });
    expect(health.notReady()[0]?.reason).toContain('the journal was lost or replaced');
    await expect(service.read('shop-fr', 'o')).rejects.toThrow('replaced');
    await service.stop();
  });
});

it('watches the open intents below its tail, from an index that is as far as its marker', async () => {
  const open = fold(emptyOrder('shop-fr', 'o'), intent('t'), 4n).order;
  const { service } = journal({ high: 5n, marker: 4n, open: ['shop-fr/o'], orders: new Map([['shop-fr/o', open]]) });
  await service.start();
  expect(service.view.openIntents.size).toBe(1);
  await service.stop();
});

it('uses no state of an index with a gap to memory', async () => {
  const { service, index } = journal({ high: 5n, marker: 4n });
  await service.start();
  index.stored = 3n;
  await expect(service.read('shop-fr', 'o')).rejects.toThrow('is behind');
  index.stored = undefined;
  await expect(service.read('shop-fr', 'o')).rejects.toThrow('is behind');
  await service.stop();
});

it('resolves when an index that was lost can be read again', async () => {
  const { service, index } = journal({ high: 5n, marker: 4n });
  await service.start();
  index.stored = undefined;
  let looks = 0;
  index.onRead = () => {
    if (++looks === 3) index.stored = 4n;
  };
  await service.view.whenReadable('shop-fr', 'o', new AbortController().signal);
  expect(looks).toBe(3);
  expect((await service.read('shop-fr', 'o')).operations).toEqual([]);
  await service.stop();
});

it('rejects every wait when it is closed', async () => {
  const { service } = journal();
  await service.start();
  const past = service.view.waitForRecordAfter('shop-fr', 'o', 7n);
  past.catch(() => undefined);
  await service.stop();
  await expect(past).rejects.toThrow('the journal is closing');
});

it('leaves neither tail nor interval behind when it is stopped while it starts', async () => {
  const intervals = jest.spyOn(globalThis, 'setInterval');
  const { service, topic } = journal();
  let stops = 0;
  let begin: () => void = () => undefined;
  topic.follow = () => new Promise((resolve) => (begin = () => resolve({ stop: () => Promise.resolve(void stops++) })));
  const starting = expect(service.start()).rejects.toThrow('the journal is closing');
  await new Promise((resolve) => setImmediate(resolve));
  await service.stop();
  begin();
  await starting;
  expect([stops, intervals.mock.calls]).toEqual([1, []]);
  intervals.mockRestore();
});

import { silentLog } from '@tranche/runtime';
import { inOrder, intent, recordsOf, redirect } from '../../test/journal-records.js';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { OpenIntents } from '../journal/open-intents.js';
import { MarkerMovedError, type JournalEntry, type Projection } from '../journal/ports.js';
import { fold } from '../state/fold.js';
import { historyOf } from '../state/history.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { recordHash, type Intent, type JournalRecord } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';
import { OwnerNotServingError, type JournalFollower, type OwnerParts } from './owner-ports.js';
import type { PartitionOwner } from './partition-owner.js';
import { PlacedPartition } from './placed-partition.js';
import type { Place } from './placement.js';

const PARTITION = 7;
const never = new AbortController().signal;
const outcome: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
};
const intentOf = (orderId: string): JournalRecord => ({ ...(intent as Intent), orderId, token: `t-${orderId}` });

type Reader = Parameters<JournalFollower['follow']>[1];

/** One placement, with its owner, reader, index and events in memory. */
class World {
  /** Steps of the placement, in order. */
  readonly told: unknown[] = [];
  readonly assignment = new AbortController();
  readonly orders = new Map<string, OrderState>();
  readonly owner = {
    partition: PARTITION,
    openIntents: new OpenIntents(),
    acknowledged: undefined as bigint | undefined,
    caughtUp: () => void this.told.push('caught up'),
    stop: (why: string) => void this.told.push(`stop: ${why}`),
    stopFor: (error: unknown) => (this.told.push(`stop for ${(error as Error).name}`), true),
    afterPublished: (offset: bigint) => void this.told.push(`commit ${offset}`),
    untilDone: <T>(ask: () => Promise<T>): Promise<T> => ask(),
  };
  marker: bigint | undefined;
  /** Called before events are published; may wait. */
  onPublish = (): Promise<void> => Promise.resolve();
  /** Called before an order is read from the index; may wait. */
  onRead = (): Promise<void> => Promise.resolve();
  readonly placed: PlacedPartition;
  reader: Reader | undefined;

  /** The log begins at 0 and ends at `high`; the index holds the records up to `marker`. */
  constructor({ high = 0n, marker = -1n, hash }: { high?: bigint; marker?: bigint; hash?: string } = {}) {
    this.marker = marker;
    const mark = { marker, ...(hash === undefined ? {} : { hash }) };
    const place: Place = { low: 0n, high, mark, publishFrom: 0n };
    this.placed = new PlacedPartition(
      this.owner as unknown as PartitionOwner,
      this.#parts,
      place,
      this.assignment.signal,
      undefined,
    );
    this.placed.follow();
  }

  take(first: bigint, ...records: JournalRecord[]): void {
    this.bring(recordsOf(first, ...records));
  }

  bring(entries: JournalEntry[], next = entries.at(-1)!.offset + 1n): void {
    this.reader!.onRecords(entries, next);
  }

  /** Publishes what was read, and all that comes; resolves with how that ended. */
  project(): Promise<unknown> {
    return this.placed.project().catch((error: unknown) => error);
  }

  /** Steps since the last call. */
  since(): unknown[] {
    return this.told.splice(0);
  }

  get #parts(): OwnerParts {
    const say = (what: string) => () => void this.told.push(what);
    return {
      follower: {
        follow: (_partition: number, reader: Reader) => void (this.reader = reader),
        unfollow: say('unfollow'),
        hold: say('hold'),
        goOn: say('go on'),
      },
      index: {
        readTogether: (_partition: number, keys: string[]) => {
          this.told.push(['look at the index', ...keys]);
          return Promise.resolve({ ...this.#mark, orders: [] });
        },
        read: async (key: string) => {
          this.told.push(`read ${key}`);
          await this.onRead();
          const order = this.orders.get(key);
          return { ...this.#mark, ...(order && { order }) };
        },
        readAll: (_partition: number, _marker: bigint, keys: string[]) =>
          Promise.resolve(keys.map((key) => this.orders.get(key))),
        write: ({ to, orders }: Projection) => {
          for (const order of orders) this.orders.set(`${order.merchant}/${order.orderId}`, order);
          this.marker = to;
          return Promise.resolve();
        },
        redirectHtml: () => Promise.resolve(undefined),
      },
      events: { publish: () => this.onPublish() },
      timing: { nowMs: () => 0, monotonicMs: () => 1_234, sleep: () => Promise.resolve() },
      logger: silentLog,
      onPublished: (published: readonly unknown[]) => void this.told.push(`published ${published.length}`),
    } as unknown as OwnerParts;
  }

  get #mark(): { marker?: bigint } {
    return this.marker === undefined ? {} : { marker: this.marker };
  }
}

/** Lets everything go on that waits for nothing. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A promise, and what resolves it. */
function gate() {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  return { held, letGo };
}

/** A wait, and if it is over. */
function watched(wait: Promise<unknown>): { isOver: boolean } {
  const state = { isOver: false };
  void wait.then(() => (state.isOver = true));
  return state;
}

const o = { merchant: inOrder.merchant, orderId: 'o' };

describe('a fault of its reader', () => {
  it.each<[string, boolean, boolean, unknown[]]>([
    ['stops the partition', false, false, ['stop: gone']],
    ['stops the partition also where its assignment is over', false, true, ['stop: gone']],
    ['stops the partition where retention cut the log after its assignment', true, true, ['stop: gone']],
    ['ends only the reading where retention cut the log', true, false, ['unfollow']],
  ])('%s', (_what, isCut, isOver, expected) => {
    const world = new World();
    world.since();
    if (isOver) world.assignment.abort();
    world.reader!.onFault('gone', isCut);
    expect(world.since()).toEqual(expected);
  });

  it('ends the projection where retention cut the log', async () => {
    const world = new World();
    const projected = world.project();
    world.reader!.onFault('gone', true);
    expect(await projected).toEqual(new MarkerMovedError('gone'));
  });
});

describe('a placement that was dropped', () => {
  const dropped = () => {
    const world = new World();
    world.placed.drop(new OwnerNotServingError(PARTITION));
    expect(world.since()).toEqual(['caught up', 'unfollow']);
    return world;
  };

  it.each([true, false])('ignores faults of its reader (cut: %s)', (isCut) => {
    const world = dropped();
    world.reader!.onFault('gone', isCut);
    expect(world.since()).toEqual([]);
  });

  it('ignores records', () => {
    const world = dropped();
    world.take(0n, intent);
    expect([world.placed.position, world.placed.backlog, world.owner.openIntents.size]).toEqual([
      0n,
      { records: 0, bytes: 0, orders: 0 },
      0,
    ]);
  });

  it('gives no order to a call that was reading it from the index', async () => {
    const world = new World();
    const { held, letGo } = gate();
    world.onRead = () => held;
    const read = world.placed.read(o);
    world.placed.drop(new Error('dropped'));
    letGo();
    await expect(read).rejects.toMatchObject({ name: 'OwnerNotServingError' });
  });

  it('lets nobody wait', async () => {
    const { held } = gate();
    const world = new World();
    world.onPublish = () => held;
    world.take(0n, intent);
    const wait = watched(world.placed.settled());
    const end = world.placed.readTo(5n, never);
    world.placed.drop(new Error('dropped'));
    await expect(end).rejects.toThrow('dropped');
    await settled();
    expect(wait.isOver).toBe(true);
  });
});

describe('the records of the log', () => {
  it('are taken once, though the reader brings some again', () => {
    const world = new World();
    world.take(0n, intent, outcome);
    world.take(0n, intent, outcome, intentOf('another'));
    expect([world.placed.position, world.placed.backlog]).toMatchObject([3n, { records: 3, orders: 2 }]);
  });

  it('begin with the one that the index holds, which is compared and not taken', () => {
    const [marked] = recordsOf(0n, intent);
    const world = new World({ high: 1n, marker: 0n, hash: recordHash(marked!.value) });
    expect(world.reader).toMatchObject({ from: 0n, known: 1n });
    expect(world.placed.isCaughtUp).toBe(false);
    world.bring([marked!]);
    expect([world.placed.isCaughtUp, world.placed.position, world.placed.backlog.records]).toEqual([true, 1n, 0]);
  });

  it('end the reading where the one that the index holds is absent', async () => {
    const world = new World({ high: 2n, marker: 0n, hash: 'h' });
    const projected = world.project();
    world.take(1n, intent);
    expect(world.since()).toEqual(['unfollow']);
    expect(await projected).toMatchObject({ name: 'MarkerMovedError', absentAt: 0n });
  });

  it('are not published after the assignment, but are folded for who waits for them', async () => {
    const world = new World();
    await world.placed.read(o);
    const read = world.placed.waitForRecordAfter(o, -1n, never);
    world.assignment.abort();
    world.take(0n, intent);
    expect((await read).operations.map(({ phase }) => phase)).toEqual(['open']);
    expect([world.placed.position, world.placed.backlog.records]).toEqual([1n, 0]);
  });

  it('stop the partition at one that cannot be read, behind the last one that was', () => {
    const world = new World();
    world.since();
    const [first, second] = recordsOf(0n, intent, outcome);
    world.bring([first!, { ...second!, value: Buffer.from('?') }]);
    expect(world.since()).toEqual(['stop for EntryUnreadableError']);
    expect(world.placed.position).toBe(1n);
  });

  it('may be followed by offsets without records, and the position never falls', () => {
    const world = new World();
    world.take(0n, intent);
    world.bring([], 4n);
    expect(world.placed.position).toBe(4n);
    world.bring([], 2n);
    expect(world.placed.position).toBe(4n);
  });
});

describe('the reader', () => {
  const page = { ...redirect, answer: { redirectHtml: 'x'.repeat(16 * 1024 * 1024) } } as JournalRecord;
  const large = recordsOf(0n, page);

  it('is held while too much was read before the partition is caught up, and goes on from then on', () => {
    const world = new World({ high: 2n });
    world.bring(large);
    expect(world.since()).toEqual(['hold']);
    world.take(1n, intent);
    expect(world.since()).toEqual(['go on', 'caught up']);
  });

  it('is not held before there is too much', () => {
    const world = new World({ high: 2n });
    world.take(0n, intent);
    expect(world.since()).toEqual([]);
  });

  it('is not held once the partition is caught up, because commands wait for their records', () => {
    const world = new World();
    world.bring(large);
    expect(world.since()).toEqual(['caught up']);
  });
});

describe('the projection', () => {
  it('tells of published events and of the commit, and looks at no index that nobody doubts', async () => {
    const world = new World();
    void world.project();
    world.take(0n, intent);
    await settled();
    expect(world.since()).toEqual(['caught up', 'commit 1']);
    world.take(1n, outcome);
    await settled();
    expect(world.since()).toEqual(['published 1', 'commit 2']);
    expect([world.owner.acknowledged, world.marker]).toEqual([2n, 1n]);
  });

  it('goes on at a snapshot that differs, where nobody wants to know of it', async () => {
    const order = [intent, outcome].reduce(
      (state, record, offset) => fold(state, record, BigInt(offset)).order,
      emptyOrder(inOrder.merchant, inOrder.orderId),
    );
    const state = { ...snapshotOf(order, inOrder.at), movedAt: '2026-03-02T10:00:00.000Z' };
    const world = new World();
    void world.project();
    world.take(0n, intent, outcome, { record: 'SNAPSHOT', ...inOrder, seen: historyOf(order), state });
    await settled();
    expect([world.owner.acknowledged, world.marker]).toEqual([3n, 2n]);
  });

  it('drops orders from memory before the partition is caught up', async () => {
    const world = new World({ high: 9n });
    void world.project();
    for (const [offset, orderId] of ['a', 'b', 'c'].entries()) {
      world.take(BigInt(offset), intentOf(orderId));
      await settled();
    }
    expect(world.placed.backlog).toEqual({ records: 0, bytes: 0, orders: 1 });
  });

  it('keeps orders in memory once the partition is caught up, until it is told to forget', async () => {
    const world = new World();
    void world.project();
    for (const [offset, orderId] of ['a', 'b', 'c'].entries()) {
      world.take(BigInt(offset), intentOf(orderId));
      await settled();
    }
    expect(world.placed.backlog.orders).toBe(3);
    world.placed.forget();
    expect(world.placed.backlog.orders).toBe(3);
    world.placed.forget();
    expect(world.placed.backlog.orders).toBe(0);
  });

  it('ends with its assignment, and leaves what was read to the next owner', async () => {
    const world = new World();
    const { held, letGo } = gate();
    world.onPublish = () => held;
    const projected = world.project();
    world.take(0n, intent);
    const wait = watched(world.placed.settled());
    await settled();
    expect(wait.isOver).toBe(false);
    world.assignment.abort();
    world.placed.leave();
    await settled();
    expect([wait.isOver, world.placed.backlog.records, world.placed.backlog.bytes]).toEqual([true, 0, 0]);
    letGo();
    expect(await projected).toBeUndefined();
  });

  it('ends with its assignment also where it waits for records', async () => {
    const world = new World();
    const projected = watched(world.project());
    await settled();
    expect(projected.isOver).toBe(false);
    world.assignment.abort();
    world.placed.leave();
    await settled();
    expect(projected.isOver).toBe(true);
  });
});

describe('a drain', () => {
  it('is over at once where nothing is left to publish', async () => {
    const wait = watched(new World().placed.settled());
    await settled();
    expect(wait.isOver).toBe(true);
  });

  it('of a partition that serves lasts until everything is published that was read', async () => {
    const world = new World();
    const gates = [gate(), gate()];
    const left = [...gates];
    world.onPublish = () => left.shift()!.held;
    void world.project();
    world.take(0n, intent);
    await settled();
    world.take(1n, outcome);
    const wait = watched(world.placed.settled());
    gates[0]!.letGo();
    await settled();
    expect([world.marker, wait.isOver]).toEqual([0n, false]);
    gates[1]!.letGo();
    await settled();
    expect([world.marker, wait.isOver]).toEqual([1n, true]);
  });
});

describe('an index that is in doubt', () => {
  /** Its index holds the records up to 1. */
  const serving = async () => {
    const world = new World();
    const ended = world.project();
    world.take(0n, intent, outcome);
    await settled();
    world.since();
    return { world, ended };
  };

  it.each([1n, 2n])('is not looked at where its marker %s is not older than what was written', async (marker) => {
    const { world } = await serving();
    world.placed.doubtIndex(marker);
    await settled();
    expect(world.since()).toEqual([]);
  });

  it.each([0n, undefined])(
    'is looked at once where its marker %s is older or gone, and may be whole',
    async (marker) => {
      const { world } = await serving();
      world.placed.doubtIndex(marker);
      await settled();
      expect(world.since()).toEqual([['look at the index']]);
      world.take(2n, intentOf('another'));
      await settled();
      expect(world.since()).toEqual(['commit 3']);
    },
  );

  it.each([0n, undefined])('ends the projection where it is at %s', async (marker) => {
    const { world, ended } = await serving();
    world.marker = marker;
    world.placed.doubtIndex(marker);
    const message = `The index of journal partition ${PARTITION} is at ${marker ?? 'nothing'}`;
    expect(await ended).toEqual(new MarkerMovedError(message));
  });
});

describe('an order', () => {
  it('is read from the index once, and from memory from then on', async () => {
    const world = new World();
    await world.placed.read(o);
    world.take(0n, intent);
    expect((await world.placed.read(o)).operations.map(({ phase }) => phase)).toEqual(['open']);
    expect(world.since()).toEqual(['caught up', 'read shop-fr/o']);
  });

  it.each([undefined, 1n])('is not readable where the index is at %s, behind what may have left memory', async (at) => {
    const world = new World({ high: 3n, marker: 2n });
    world.since();
    world.marker = at;
    let reads = 0;
    world.onRead = () => (++reads > 9 ? Promise.reject(new Error('asked too often')) : Promise.resolve());
    const error = await world.placed.read(o).catch((caught: unknown) => caught);
    expect(error).toEqual(
      new OrderUnreadableError(`The index of journal partition ${PARTITION} is behind what memory covers`),
    );
    expect(world.since()).toEqual(Array.from({ length: 5 }, () => 'read shop-fr/o'));
  });

  it('is read again where the index is behind at first', async () => {
    const world = new World({ high: 3n, marker: 2n });
    world.since();
    world.marker = undefined;
    let reads = 0;
    world.onRead = () => Promise.resolve(void (world.marker = ++reads === 5 ? 2n : 1n));
    expect(await world.placed.read(o)).toMatchObject({ orderId: 'o', operations: [] });
    expect(reads).toBe(5);
  });
});

it('resolves who waits for the end of the log once it was read, also where no record is there', async () => {
  const world = new World();
  const wait = watched(world.placed.readTo(2n, never));
  world.take(0n, intent);
  await settled();
  expect(wait.isOver).toBe(false);
  world.bring([], 2n);
  await settled();
  expect(wait.isOver).toBe(true);
});

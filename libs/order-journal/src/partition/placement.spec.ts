import { silentLog } from '@tranche/runtime';
import { inOrder, intent, recordsOf, redirect } from '../../test/journal-records.js';
import { JournalChangedError } from '../journal/journal-faults.js';
import { MarkerMovedError, type IndexSnapshot, type JournalEntry, type Mark } from '../journal/ports.js';
import { fold } from '../state/fold.js';
import { emptyOrder, type OrderState } from '../state/order-state.js';
import { recordHash, type JournalRecord } from '../state/records.js';
import type { OwnerParts } from './owner-ports.js';
import { assertReaches, later, MarkedRecord, openIntentsIn, placeOwner, type LogBounds } from './placement.js';

const PARTITION = 7;
const MOVED = /^The index of journal partition 7 is at /;
const outcome: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
};

const stateOf = (...records: JournalRecord[]): OrderState =>
  records.reduce(
    (order, record, at) => fold(order, record, BigInt(at)).order,
    emptyOrder(inOrder.merchant, inOrder.orderId),
  );

interface World {
  /** The index shows this in one read. */
  shows?: Partial<Mark>;
  log?: JournalEntry[];
  bounds?: LogBounds;
  published?: bigint | undefined;
  isRebuiltElsewhere?: boolean;
  /** The log's end from this moment on. Milliseconds. */
  grows?: { afterMs: number; high: bigint };
}

/** A placement in a world of its own; `steps`: what it asked of the index and the log. */
function placing({ shows = {}, log = [], bounds = { low: 0n, high: 0n }, ...world }: World) {
  const steps: unknown[] = [];
  let nowMs = 0;
  const rebuild = {
    readAll: () => Promise.resolve([]),
    write: () => Promise.resolve(),
    finish: (marker: bigint) => Promise.resolve(void steps.push(['built', marker])),
  };
  const parts = {
    index: {
      dropUnverified: () => Promise.resolve(void steps.push('drop')),
      readTogether: (_partition: number, keys: string[]): Promise<IndexSnapshot> => {
        steps.push(['together', ...keys]);
        return Promise.resolve({ ...shows, orders: [] });
      },
      readAll: (_partition: number, marker: bigint, keys: string[]) => {
        steps.push(['all', marker, ...keys]);
        return Promise.resolve([]);
      },
      beginRebuild: (_partition: number, marker: bigint | undefined) => {
        steps.push(['rebuild', marker]);
        return Promise.resolve(world.isRebuiltElsewhere ? undefined : rebuild);
      },
    },
    journal: {
      firstKept: () => Promise.resolve(bounds.low),
      read: () => [log],
    },
    bounds: () => {
      const { afterMs, high } = world.grows ?? { afterMs: Infinity, high: 0n };
      return Promise.resolve(nowMs >= afterMs ? { ...bounds, high } : bounds);
    },
    timing: {
      nowMs: () => Date.parse(inOrder.at),
      monotonicMs: () => nowMs,
      sleep: (ms: number) => Promise.resolve(void (nowMs += ms)),
    },
    logger: silentLog,
  } as unknown as OwnerParts;
  const placed = placeOwner(
    parts,
    PARTITION,
    () => world.published,
    () => Promise.resolve(),
  );
  return { placed, steps, sinceMs: () => nowMs };
}

describe('a placement', () => {
  it('begins behind the marker of an index that is there, whose orders it does not read', async () => {
    const { placed, steps } = placing({ shows: { marker: 3n, hash: 'h' }, bounds: { low: 1n, high: 6n } });
    expect(await placed).toStrictEqual({ low: 1n, high: 6n, mark: { marker: 3n, hash: 'h' }, publishFrom: 4n });
    expect(steps).toEqual(['drop', ['together'], ['all', 3n]]);
  });

  it('knows no hash where the index has none', async () => {
    const { placed } = placing({ shows: { marker: 3n }, bounds: { low: 1n, high: 6n } });
    expect((await placed).mark).toStrictEqual({ marker: 3n });
  });

  it('keeps an index whose next record is the first one that the log has', async () => {
    const { placed, steps } = placing({ shows: { marker: 2n }, bounds: { low: 3n, high: 6n } });
    expect(await placed).toMatchObject({ mark: { marker: 2n }, publishFrom: 3n });
    expect(steps).not.toContainEqual(['rebuild', 2n]);
  });

  it('rebuilds an index whose next record was deleted, and begins behind what was built', async () => {
    const log = recordsOf(4n, intent);
    const { placed, steps } = placing({ shows: { marker: 2n }, bounds: { low: 4n, high: 6n }, published: 5n, log });
    const mark = { marker: 4n, hash: recordHash(log[0]!.value) };
    expect(await placed).toStrictEqual({ low: 4n, high: 6n, mark, publishFrom: 5n });
    expect(steps).toEqual(['drop', ['together'], ['rebuild', 2n], ['built', 4n], ['all', 4n]]);
  });

  it('builds a lost index up to the first record where nothing is known to be published', async () => {
    const { placed, steps } = placing({ bounds: { low: 4n, high: 6n } });
    expect(await placed).toStrictEqual({ low: 4n, high: 6n, mark: { marker: 3n }, publishFrom: 4n });
    expect(steps).toContainEqual(['rebuild', undefined]);
  });

  it('is repeated where another process builds the index', async () => {
    const { placed } = placing({ bounds: { low: 0n, high: 6n }, isRebuiltElsewhere: true });
    const error = await placed.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MarkerMovedError);
    expect(error).toHaveProperty('message', 'The index of journal partition 7 is built by another process');
  });

  it('stops where records were deleted that were not published', async () => {
    const { placed } = placing({ bounds: { low: 4n, high: 6n }, published: 3n });
    const error = await placed.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(JournalChangedError);
    expect(error).toHaveProperty('message', expect.stringContaining('begins at 4: the records from 3 on were deleted'));
  });
});

describe('a log that ends before what is known of it', () => {
  it.each<[string, number]>([
    ['right away', 200],
    ['just within a minute', 59_800],
    ['at the last look', 60_000],
  ])('is waited for, and reaches it %s', async (_when, afterMs) => {
    const grows = { afterMs, high: 6n };
    const { placed, sinceMs } = placing({ shows: { marker: 5n }, bounds: { low: 0n, high: 4n }, grows });
    expect((await placed).high).toBe(6n);
    expect(sinceMs()).toBe(afterMs);
  });

  it('stops the partition after a minute, and the last known record is named', async () => {
    const { placed, sinceMs } = placing({ shows: { marker: 5n }, bounds: { low: 0n, high: 4n } });
    const error = await placed.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(JournalChangedError);
    expect(error).toHaveProperty(
      'message',
      'The index or the events are at 5 of journal partition 7, which ends at 4: the journal was lost or replaced',
    );
    expect(sinceMs()).toBe(60_000);
  });
});

it.each<[bigint | undefined, bigint | undefined, bigint | undefined]>([
  [undefined, undefined, undefined],
  [undefined, 3n, 3n],
  [3n, undefined, 3n],
  [2n, 3n, 3n],
  [3n, 2n, 3n],
  [3n, 3n, 3n],
])('of the offsets %s and %s, the later one is %s', (one, other, expected) => {
  expect(later(one, other)).toBe(expected);
});

describe('the open INTENTs of an index', () => {
  /** `found`: marker when the keys were read; `read`: when the orders were. */
  function openIn(orders: (OrderState | undefined)[], found?: bigint, read?: bigint) {
    const at = (marker: bigint | undefined) => (marker === undefined ? {} : { marker });
    const asked: string[][] = [];
    const index = {
      openOrders: () => Promise.resolve({ ...at(found), orderKeys: ['shop-fr/o'] }),
      readTogether: (_partition: number, keys: string[]) => {
        asked.push(keys);
        return Promise.resolve({ ...at(read), orders });
      },
    } as unknown as OwnerParts['index'];
    const timing = { nowMs: () => 0, monotonicMs: () => 1_234, sleep: () => Promise.resolve() };
    return { asked, intents: openIntentsIn({ index, timing }, PARTITION, 3n) };
  }

  it('are watched from now on', async () => {
    const { asked, intents } = openIn([stateOf(intent)], 3n, 4n);
    const { merchant, orderId } = inOrder;
    expect(await intents).toEqual([{ merchant, orderId, commandId: 'a', attempt: 1, token: 't', seenMs: 1_234 }]);
    expect(asked).toEqual([['shop-fr/o']]);
  });

  it.each<[string, OrderState | undefined]>([
    ['is gone', undefined],
    ['had no operation', emptyOrder(inOrder.merchant, inOrder.orderId)],
    ['waits for its cardholder, though its token is known', stateOf(intent, redirect)],
    ['has ended', stateOf(intent, outcome)],
  ])('do not include an order that %s', async (_what, order) => {
    expect(await openIn([order], 3n, 3n).intents).toEqual([]);
  });

  it('do not include an operation whose token is not known', async () => {
    const order = stateOf(intent);
    const operations = order.operations.map(({ token: _token, ...operation }) => operation);
    expect(await openIn([{ ...order, operations }], 3n, 3n).intents).toEqual([]);
  });

  it.each<[string, bigint | undefined, bigint | undefined]>([
    ['before its keys were read', 2n, 3n],
    ['before its orders were read', 3n, 2n],
    ['wholly, before its keys were read', undefined, 3n],
    ['wholly, before its orders were read', 3n, undefined],
  ])('are read again where the index was set back %s', async (_when, found, read) => {
    await expect(openIn([], found, read).intents).rejects.toThrow(MOVED);
  });
});

describe('an index', () => {
  it.each<[string, bigint | undefined, string]>([
    ['is at an older record', 2n, 'The index of journal partition 7 is at 2'],
    ['is at no record', undefined, 'The index of journal partition 7 is at nothing'],
  ])('does not reach a marker where it %s', (_what, found, message) => {
    const reach = () => assertReaches(PARTITION, found, 3n);
    expect(reach).toThrow(MarkerMovedError);
    expect(reach).toThrow(new Error(message));
  });

  it.each([3n, 4n])('at %s reaches the marker 3', (found) => {
    expect(() => assertReaches(PARTITION, found, 3n)).not.toThrow();
  });
});

describe('the record at the marker', () => {
  const [{ value }] = recordsOf(3n, intent) as [JournalEntry];
  const other = recordsOf(3n, outcome)[0]!.value;
  const marked = (mark: Mark, low = 0n, absentAt?: bigint) =>
    new MarkedRecord(PARTITION, { mark, low, high: 9n, publishFrom: 4n }, absentAt);
  const known = { marker: 3n, hash: recordHash(value) };

  it('is read first where its hash is known and the log has it', () => {
    const record = marked(known, 3n);
    expect([record.readFrom, record.isAwaited]).toEqual([3n, true]);
    expect(record.isCompared(3n, value)).toBe(true);
    expect(record.isAwaited).toBe(false);
  });

  it('is compared once: the records behind it are new', () => {
    const record = marked(known);
    record.isCompared(3n, value);
    expect(record.isCompared(4n, value)).toBe(false);
  });

  it.each<[string, Mark, bigint]>([
    ['its hash is not known', { marker: 3n }, 0n],
    ['it was deleted by its age', known, 4n],
  ])('is not read where %s', (_why, mark, low) => {
    const record = marked(mark, low);
    expect([record.readFrom, record.isAwaited, record.isCompared(4n, other)]).toEqual([4n, false, false]);
  });

  it('may have been deleted meanwhile where a later one is read: the partition is placed once more', () => {
    const error = thrownBy(() => marked(known).isCompared(4n, value));
    expect(error).toBeInstanceOf(MarkerMovedError);
    expect(error).toMatchObject({ absentAt: 3n, message: 'The log of journal partition 7 has no record at 3' });
  });

  it('may have been deleted meanwhile though another one was absent at an earlier placement', () => {
    expect(thrownBy(() => marked(known, 0n, 2n).isCompared(4n, value))).toBeInstanceOf(MarkerMovedError);
  });

  it.each<[string, bigint, Buffer | null, bigint | undefined]>([
    ['is another one', 3n, other, undefined],
    ['is empty', 3n, null, undefined],
    ['has an earlier offset', 2n, value, undefined],
    ['was absent at the last placement too', 4n, value, 3n],
  ])('means another journal where it %s', (_what, offset, read, absentAt) => {
    const error = thrownBy(() => marked(known, 0n, absentAt).isCompared(offset, read));
    expect(error).toBeInstanceOf(JournalChangedError);
    expect(error).toHaveProperty('message', expect.stringContaining('the record at offset 3'));
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

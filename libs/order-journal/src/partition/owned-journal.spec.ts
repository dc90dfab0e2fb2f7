import { intent, inOrder, redirect, repeated } from '../../test/journal-records.js';
import { OneOwner, PARTITION } from '../../test/one-owner.js';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { journalPartition } from '../journal/ports.js';
import { keyOf } from '../journal/record-fold.js';
import { fold } from '../state/fold.js';
import { historyOf } from '../state/history.js';
import { emptyOrder } from '../state/order-state.js';
import { recordHash, type Intent, type JournalRecord } from '../state/records.js';
import { snapshotOf } from '../state/snapshot.js';

const KEY = 'shop-fr/o';
const granted = intent as Intent;
const outcome: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
};
const EMPTY = emptyOrder(inOrder.merchant, inOrder.orderId);
const ended = [intent, outcome].reduce((order, record, offset) => fold(order, record, BigInt(offset)).order, EMPTY);
/** The order is at rest by then: no verdict is kept. */
const at = '2026-03-09T10:00:00.000Z';
const snapshot: JournalRecord = {
  ...{ record: 'SNAPSHOT', ...inOrder, at, seen: historyOf(ended), state: snapshotOf(ended, at) },
};
const never = new AbortController().signal;
/** An order whose partition has no owner here. */
const foreign = ['a', 'b', 'c']
  .map((orderId) => ({ ...inOrder, orderId }))
  .find((name) => journalPartition(keyOf(name)) !== PARTITION)!;
const open = {
  ...{ merchant: inOrder.merchant, orderId: inOrder.orderId, commandId: 'a', attempt: 1, token: 't' },
  seenMs: expect.any(Number) as number,
};

/** A promise, and what resolves it. */
function gate() {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  return { held, letGo };
}

describe('the verdict on an INTENT of this process', () => {
  it('comes with the order behind it', async () => {
    const one = await new OneOwner().settled();
    const { after, verdict } = await one.journal.appendIntent(granted);
    expect([verdict, after.operations.map(({ phase, token }) => [phase, token])]).toEqual(['granted', [['open', 't']]]);
  });

  it('is "lost" where a snapshot dropped it, and the partition goes on', async () => {
    const one = await new OneOwner().settled();
    const { held, letGo } = gate();
    const { read } = one.index;
    one.index.read = (key) => held.then(() => read(key));
    const asked = one.journal.appendIntent(granted);
    await one.settled();
    for (const record of [outcome, snapshot]) one.append(record);
    await one.settled();
    letGo();
    expect(await asked).toMatchObject({ verdict: 'lost', after: { orderId: 'o', verdicts: [] } });
    expect(one.owner.state).toBe('serve');
  });

  it('is "lost" where the partition was placed anew behind a snapshot, and the INTENT was not read', async () => {
    const one = await new OneOwner().settled();
    one.isReaderLate = true;
    const asked = one.journal.appendIntent(granted);
    await one.settled();
    for (const record of [outcome, snapshot]) one.append(record);
    one.owner.end();
    Object.assign(one.index, { marker: 2n, hash: recordHash(one.log[2]!.value) });
    one.index.orders.set(KEY, fold(ended, snapshot, 2n).order);
    one.isReaderLate = false;
    one.assign(3n);
    expect(await asked).toMatchObject({ verdict: 'lost', after: { lastOffset: '2' } });
    await one.settled();
    expect(one.owner.state).toBe('serve');
  });

  /** The INTENT goes to another log than the one that is read. */
  function lostAppend(one: OneOwner): Promise<unknown> {
    one.isReplaced = true;
    const asked = one.journal.appendIntent(granted).catch((error: unknown) => error);
    one.isReplaced = false;
    return asked;
  }

  it('is none where the log lacks the INTENT, though it has a report of it: the partition is stopped', async () => {
    const one = await new OneOwner().settled();
    const asked = lostAppend(one);
    one.append({ ...granted, orderId: 'another', token: 'u' });
    one.append(outcome);
    const error = await asked;
    expect(error).toBeInstanceOf(OrderUnreadableError);
    expect(error).toHaveProperty('message', one.owner.stoppedBecause);
    expect(one.owner.stoppedBecause).toMatch(/is stopped: .* the journal was replaced/);
  });

  it('is none where the log lacks the INTENT and the assignment is over, and the call is told why', async () => {
    const one = await new OneOwner().settled();
    const asked = lostAppend(one);
    one.owner.end();
    one.append({ ...granted, orderId: 'another', token: 'u' });
    one.append({ ...granted, commandId: 'b', token: 'v' });
    expect(await asked).toMatchObject({
      name: 'OrderUnreadableError',
      message: 'an INTENT of this process was appended and is not in the log that is read: the journal was replaced',
    });
    expect(one.owner.stoppedBecause).toBeUndefined();
  });
});

it('does not stop a partition placed anew while a record is appended at an offset that was read', async () => {
  const { held, letGo } = gate();
  const one = await new OneOwner({ records: [intent, redirect], onAppend: () => held }).settled();
  const appended = one.journal.append(repeated);
  one.log.pop();
  Object.assign(one.index, { marker: 0n, hash: recordHash(one.log[0]!.value) });
  one.owner.doubtIndex(0n);
  await one.settled(2);
  letGo();
  expect(await appended).toBe(1n);
  await one.settled();
  expect([one.owner.state, one.owner.position]).toEqual(['serve', 2n]);
});

describe('an owner that is disowned', () => {
  it('is closed and known no more', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    expect(one.journal.ownerOf(PARTITION)).toBe(one.owner);
    one.journal.disown(one.owner);
    expect([one.owner.state, one.journal.owners, one.journal.ownerOf(PARTITION)]).toEqual(['closed', [], undefined]);
  });

  it('leaves the partition to the owner that came after it', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    one.owner.stop('it lost records');
    const again = one.journal.own(PARTITION);
    one.journal.disown(one.owner);
    expect(one.journal.owners).toEqual([again]);
    expect(again.state).toBe('place');
  });
});

it('tells of the stopped partitions, and why, and of no other one', async () => {
  const one = await new OneOwner({ records: [intent] }).settled();
  const other = journalPartition(keyOf(foreign));
  one.journal.own(other);
  expect([one.journal.stopped.size, one.journal.stoppedFor('shop-fr', 'o')]).toEqual([0, undefined]);
  one.owner.stop('it lost records');
  expect([...one.journal.stopped]).toEqual([[PARTITION, expect.stringContaining('it lost records')]]);
  expect(one.journal.stoppedFor('shop-fr', 'o')).toContain('it lost records');
  expect(one.journal.stoppedFor(foreign.merchant, foreign.orderId)).toBeUndefined();
});

it('names no reason for an order whose partition it does not own', () => {
  expect(new OneOwner().journal.stoppedFor(foreign.merchant, foreign.orderId)).toBeUndefined();
});

describe('the open INTENTs of a journal', () => {
  it('are taken once, and again where they are put back', async () => {
    const { openIntents } = (await new OneOwner({ records: [intent] }).settled()).journal;
    expect(openIntents.takeSeenBefore(-1)).toEqual([]);
    const taken = openIntents.takeSeenBefore(Infinity);
    expect(taken).toEqual([open]);
    expect(openIntents.takeSeenBefore(Infinity)).toEqual([]);
    openIntents.add(taken[0]!);
    expect(openIntents.takeSeenBefore(Infinity)).toEqual(taken);
  });

  it('are not taken while their partition is not served, and are kept', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    one.owner.end();
    expect(one.journal.openIntents.takeSeenBefore(Infinity)).toEqual([]);
    one.assign(1n);
    await one.settled();
    expect(one.journal.openIntents.takeSeenBefore(Infinity)).toEqual([open]);
  });

  it('are dropped where they are put back after their partition has left', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    const [taken] = one.journal.openIntents.takeSeenBefore(Infinity);
    one.journal.disown(one.owner);
    one.journal.openIntents.add(taken!);
    expect(one.journal.openIntents.takeSeenBefore(Infinity)).toEqual([]);
  });
});

describe('a journal that is closed', () => {
  it('says so to who waits, and owns nothing any more', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    expect(one.journal.closing.aborted).toBe(false);
    one.journal.close();
    expect(one.journal.closing.reason).toEqual(new Error('the journal is closing'));
    expect([one.owner.state, one.journal.owners]).toEqual(['closed', []]);
  });

  it('ends the repeats of an append, which is no trouble of anybody any more', async () => {
    const one = await new OneOwner({ onAppend: () => Promise.reject(new Error('no socket')) }).settled();
    const appended = one.journal.appendWithRetry(intent).catch((error: unknown) => error);
    await one.settled();
    expect(one.journal.troubled).toEqual([expect.stringContaining('no socket')]);
    one.journal.close();
    expect(await appended).toBeInstanceOf(Error);
    expect(one.journal.troubled).toEqual([]);
  });
});

it('names the record and its order while an append is repeated', async () => {
  let times = 0;
  const onAppend = () => (++times === 1 ? Promise.reject(new Error('no socket')) : Promise.resolve());
  const one = await new OneOwner({ records: [intent], onAppend }).settled();
  await one.journal.appendWithRetry(outcome);
  expect(one.said.map(({ message }) => message)).toEqual([
    'Journaling and reading back OUTCOME of order o failed; it is repeated',
  ]);
});

it('reads an order up to the end of its own partition', async () => {
  const one = await new OneOwner().settled();
  one.isReaderLate = true;
  one.append(intent);
  const read = one.journal.readToEnd('shop-fr', 'o', never);
  await one.settled();
  one.isReaderLate = false;
  await one.bring();
  expect((await read).operations.map(({ phase }) => phase)).toEqual(['open']);
});

describe('who waits until an order is readable', () => {
  it('goes on once its partition serves', async () => {
    const one = new OneOwner({ records: [intent], marker: 0n });
    one.isReaderLate = true;
    await one.settled();
    let isServing: boolean | undefined;
    void one.journal.whenReadable('shop-fr', 'o', never).then(() => (isServing = one.owner.isServing));
    await one.settled();
    expect(isServing).toBeUndefined();
    one.isReaderLate = false;
    await one.bring();
    await one.settled();
    expect(isServing).toBe(true);
  });

  it('goes on after a while where nobody owns its partition here', async () => {
    const one = await new OneOwner().settled();
    await expect(one.journal.whenReadable(foreign.merchant, foreign.orderId, never)).resolves.toBeUndefined();
  });

  it('is told when the wait is abandoned', async () => {
    const one = await new OneOwner().settled();
    const signal = AbortSignal.abort(new Error('the drain begins'));
    await expect(one.journal.whenReadable('shop-fr', 'o', signal)).rejects.toThrow('the drain begins');
  });
});

it('reads no order of a partition that it does not own, and names the partition', async () => {
  const { journal } = await new OneOwner().settled();
  const message = `Journal partition ${journalPartition(keyOf(foreign))} is not owned by this instance`;
  await expect(journal.read(foreign.merchant, foreign.orderId)).rejects.toThrow(new OrderUnreadableError(message));
});

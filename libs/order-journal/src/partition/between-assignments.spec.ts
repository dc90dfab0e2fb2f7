import { inOrder, intent, redirect } from '../../test/journal-records.js';
import { OneOwner, PARTITION } from '../../test/one-owner.js';
import { OwnerNotServingError } from './owner-ports.js';
import { PartitionOwner } from './partition-owner.js';

const ORDER = { merchant: inOrder.merchant, orderId: inOrder.orderId };
const never = new AbortController().signal;

/** An owner that Kafka has assigned nothing yet: none of its parts is asked. */
const unassigned = () => new PartitionOwner(PARTITION, {} as never);

describe('an owner that was assigned nothing yet', () => {
  it('holds nothing, and says so', () => {
    const owner = unassigned();
    expect([owner.state, owner.isServing, owner.position, owner.stoppedBecause]).toEqual([
      'place',
      false,
      0n,
      undefined,
    ]);
    expect(owner.backlog).toEqual({ records: 0, bytes: 0, orders: 0 });
  });

  it('takes every call of its process, and gives no order', async () => {
    const owner = unassigned();
    owner.forget();
    owner.doubtIndex();
    owner.end();
    await owner.settled();
    await expect(owner.read(ORDER as never)).rejects.toThrow(OwnerNotServingError);
    await expect(owner.readTo(1n, never)).rejects.toThrow(OwnerNotServingError);
  });

  it('is stopped by nothing, since it has read nothing', () => {
    const owner = unassigned();
    owner.stop('its log was deleted');
    expect(owner.state).toBe('place');
  });

  it('ends a wait for an order with its signal', async () => {
    const signal = AbortSignal.abort(new Error('the drain begins'));
    await expect(unassigned().waitForRecordAfter(ORDER as never, 0n, signal)).rejects.toThrow('the drain begins');
  });
});

describe('an owner whose assignment is over', () => {
  it('drains while its reader may read on, and has nothing to wait for', async () => {
    const did = (what: string) => (what === 'events 1' ? new Promise<void>(() => undefined) : undefined);
    const one = await new OneOwner({ records: [intent, redirect], did }).settled();
    one.owner.end();
    expect(one.owner.state).toBe('draining');
    await one.owner.settled();
  });

  it('takes back no offset that it published', async () => {
    const one = await new OneOwner({ records: [intent, redirect] }).settled();
    const commits = () => one.steps.filter((step) => step.startsWith('commit'));
    const before = commits();
    expect(one.owner.published).toBe(2n);
    for (const offset of [1n, 2n]) one.owner.afterPublished(offset);
    expect([one.owner.published, commits()]).toEqual([2n, before]);
    one.owner.afterPublished(3n);
    expect([one.owner.published, commits()]).toEqual([3n, [...before, 'commit 3']]);
  });

  it('says why, to whoever reads an order of it', async () => {
    const one = await new OneOwner({ records: [intent] }).settled();
    one.owner.close();
    await expect(one.owner.read(ORDER as never)).rejects.toThrow(
      `Journal partition ${PARTITION} is not owned here any more`,
    );
    const other = await new OneOwner({ records: [intent] }).settled();
    const waits = other.owner.waitForRecordAfter(ORDER, 99n, never);
    await other.settled();
    const begun = other.owner.waitForRecordAfter({ ...ORDER, orderId: 'not in memory' }, 99n, never);
    other.owner.close();
    for (const one of [waits, begun]) await expect(one).rejects.toThrow('is not owned here any more');
  });
});

describe('an owner that is stopped', () => {
  const stopped = async () => {
    const one = await new OneOwner({ records: [intent, redirect] }).settled();
    one.owner.stop('it lost records');
    return one;
  };

  it('keeps the first reason, and tells it once', async () => {
    const one = await stopped();
    const first = one.owner.stoppedBecause;
    one.owner.stop('it is another log');
    expect(first).toContain('it lost records');
    expect([one.owner.stoppedBecause, one.levels]).toEqual([first, ['error']]);
    expect(one.said.at(-1)).toEqual({ facts: { partition: PARTITION }, message: first });
  });

  it('is closed with its process, and an owner is closed once', async () => {
    const { owner } = await stopped();
    owner.close();
    expect([owner.state, owner.stoppedBecause]).toEqual(['closed', undefined]);
    const read = () => owner.read(ORDER as never).catch((error: unknown) => error);
    const reason = await read();
    owner.close();
    expect(await read()).toBe(reason);
  });
});

it('says that it places anew where its index was lost', async () => {
  const one = await new OneOwner({ records: [intent] }).settled();
  one.index.lose();
  one.owner.doubtIndex();
  one.append(redirect);
  await one.settled();
  const message = 'The index of a journal partition has changed: its owner places anew';
  const facts = { err: expect.any(Error) as Error, partition: PARTITION };
  expect(one.said).toContainEqual({ facts, message });
  expect(one.owner.state).toBe('serve');
});

it('repeats a placement that fails, and says so', async () => {
  let times = 0;
  const assertCurrent = () => (++times <= 3 ? Promise.reject(new Error('no broker')) : Promise.resolve());
  const one = await new OneOwner({ records: [intent, redirect], assertCurrent }).settled(120);
  expect([times, one.owner.state, one.index.marker]).toEqual([4, 'serve', 1n]);
  expect(one.said[0]).toMatchObject({
    message: 'Placing a journal partition failed; it is repeated',
    facts: { partition: PARTITION, err: { message: 'no broker' } },
  });
});

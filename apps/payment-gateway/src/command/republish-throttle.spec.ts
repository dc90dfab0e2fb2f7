import type { CommandCopy, CommandLease } from '@tranche/order-journal';
import { RepublishThrottle } from './republish-throttle.js';

type Copy = Pick<CommandCopy, 'merchant' | 'orderId' | 'commandId' | 'appendedMs'>;

/** Kafka's clock is this far ahead of the process's, because the limit must not depend on their difference. */
const KAFKA_AHEAD_MS = 3_600_000;

function limit() {
  const clock = { nowMs: 5_000 };
  const sleeping: { untilMs: number; wake: () => void }[] = [];
  const made = new RepublishThrottle({
    nowMs: () => clock.nowMs,
    monotonicMs: () => clock.nowMs,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        sleeping.push({ untilMs: clock.nowMs + ms, wake: resolve });
      }),
  });
  const given = new AbortController();
  let withoutSlot = 0;
  const lease: CommandLease = {
    signal: given.signal,
    releaseSlotWhile: (wait) => (withoutSlot++, wait()),
  };
  const published: string[] = [];
  /** A copy that Kafka appended `agoMs` ago. */
  const copy = (orderId: string, agoMs = 0, change: Partial<Copy> = {}): Copy => ({
    ...{ merchant: 'shop-fr', orderId, commandId: 'c', appendedMs: clock.nowMs + KAFKA_AHEAD_MS - agoMs },
    ...change,
  });
  return {
    clock,
    published,
    given,
    copy,
    waitsWithoutSlot: () => withoutSlot,
    republish: (of: Copy, append: () => Promise<unknown> = () => Promise.resolve()) =>
      made.republish(of, lease, async () => {
        await append();
        published.push(`${of.orderId} ${of.commandId} at ${clock.nowMs - 5_000}`);
      }),
    /** Advances the clock, and wakes sleepers that are due. */
    pass: async (ms: number) => {
      clock.nowMs += ms;
      for (const one of sleeping.splice(0))
        if (one.untilMs <= clock.nowMs) one.wake();
        else sleeping.push(one);
      await new Promise(setImmediate);
    },
  };
}

it('publishes nothing for a copy that was appended before the last answer', async () => {
  const { published, republish, copy, pass } = limit();
  await republish(copy('o', 5));
  const early = copy('o', 5);
  await pass(300);
  await republish(early);
  expect(published).toEqual(['o c at 0']);
});

it('answers a copy that was appended after the last answer when the second is over, without a slot, and no sooner', async () => {
  const { published, republish, copy, pass, waitsWithoutSlot } = limit();
  await republish(copy('o'));
  await pass(300);
  const asked = copy('o');
  await pass(200);
  const waits = republish(asked);
  await pass(499);
  expect([published.length, waitsWithoutSlot()]).toEqual([1, 1]);
  await pass(1);
  await waits;
  expect(published).toEqual(['o c at 0', 'o c at 1000']);
});

it('answers once for all copies of the meantime, and later ones do not wait', async () => {
  const { published, republish, copy, pass, waitsWithoutSlot } = limit();
  await republish(copy('o'));
  await pass(100);
  const copies = Array.from({ length: 100 }, () => copy('o'));
  const first = republish(copies[0]!);
  await pass(900);
  await first;
  for (const one of copies.slice(1)) await republish(one);
  expect([published.length, waitsWithoutSlot()]).toEqual([2, 1]);
});

it('two waiting copies of two rails are answered once', async () => {
  const { published, republish, copy, pass } = limit();
  await republish(copy('o'));
  await pass(100);
  const both = [republish(copy('o')), republish(copy('o'))];
  await pass(900);
  await Promise.all(both);
  expect(published).toHaveLength(2);
});

it('has answered nothing where the record could not be appended: the next try answers at once', async () => {
  const { published, republish, copy, pass } = limit();
  const asked = copy('o');
  await expect(republish(asked, () => Promise.reject(new Error('Kafka is away')))).rejects.toThrow('Kafka is away');
  await pass(200);
  await republish(asked);
  expect(published).toEqual(['o c at 200']);
});

it('after such a failure the telling before it still counts', async () => {
  const { published, republish, copy, pass } = limit();
  await republish(copy('o'));
  await pass(1_000);
  await expect(republish(copy('o'), () => Promise.reject(new Error('Kafka is away')))).rejects.toThrow('Kafka is away');
  await republish(copy('o'));
  expect(published).toEqual(['o c at 0', 'o c at 1000']);
});

it('is abandoned when the partition is given back', async () => {
  const { published, republish, copy, given } = limit();
  await republish(copy('o'));
  const waits = republish(copy('o', -1));
  given.abort(new Error('given back'));
  await expect(waits).rejects.toThrow('given back');
  expect(published).toHaveLength(1);
});

it('answers the copies of a backlog, appended minutes apart, once', async () => {
  const { published, republish, copy, clock } = limit();
  for (const minutes of [10, 8, 6, 4]) await republish(copy('o', 0, { appendedMs: clock.nowMs - minutes * 60_000 }));
  expect(published).toEqual(['o c at 0']);
});

it('does not know when a copy was asked that carries no time: it waits', async () => {
  const { published, republish, copy, pass } = limit();
  await republish(copy('o', 0, { appendedMs: undefined }));
  const waits = republish(copy('o', 0, { appendedMs: undefined }));
  await pass(1_000);
  await waits;
  expect(published).toEqual(['o c at 0', 'o c at 1000']);
});

it('counts each command by itself', async () => {
  const { published, republish, copy } = limit();
  for (const each of [copy('o'), copy('p'), copy('o', 0, { commandId: 'd' })]) await republish(each);
  expect(published).toEqual(['o c at 0', 'p c at 0', 'o d at 0']);
});

it('remembers the newest 10,000', async () => {
  const { published, republish, copy } = limit();
  for (let number = 0; number <= 10_000; number++) await republish(copy(`o-${number}`));
  for (const orderId of ['o-10000', 'o-1', 'o-0']) await republish(copy(orderId));
  expect(published.slice(10_001)).toEqual(['o-0 c at 0']);
});

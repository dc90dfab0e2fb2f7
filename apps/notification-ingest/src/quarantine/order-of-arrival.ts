import type { Quarantined } from './quarantined.js';

/** Merges the partitions by `receivedAt`. Each partition is only roughly sorted, and so is the result. */
export async function* inOrderOfArrival(
  partitions: readonly AsyncIterable<Quarantined>[],
): AsyncGenerator<Quarantined> {
  const all = partitions.map((partition) => partition[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(all.map(async (from) => ({ from, head: await from.next() })));
    for (;;) {
      let first: { from: AsyncIterator<Quarantined>; head: IteratorYieldResult<Quarantined> } | undefined;
      for (const one of heads) {
        if (one.head.done) continue;
        if (first === undefined || one.head.value.receivedAt < first.head.value.receivedAt) first = one as typeof first;
      }
      if (first === undefined) return;
      yield first.head.value;
      Object.assign(first, { head: await first.from.next() });
    }
  } finally {
    for (const from of all) await from.return?.();
  }
}

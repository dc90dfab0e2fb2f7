import { lastValueFrom, NEVER, toArray } from 'rxjs';
import { eventStream, polled } from './event-stream.js';

const endOf = (stopping: AbortSignal) => lastValueFrom(eventStream(NEVER, stopping).pipe(toArray()));

it('a stream ends when the service stops, also one that is opened then', async () => {
  const stopping = new AbortController();
  const open = endOf(stopping.signal);
  stopping.abort();
  await expect(open).resolves.toEqual([]);
  await expect(endOf(stopping.signal)).resolves.toEqual([]);
});

it('reads again after a read that failed, and tells of it', async () => {
  const reads = [Promise.resolve([1, 2]), Promise.reject(new Error('away')), Promise.resolve([3])];
  reads[1]!.catch(() => undefined);
  const seen: number[] = [];
  await new Promise<void>((resolve) => {
    const stream = polled(
      1,
      () => reads.shift() ?? Promise.resolve([4]),
      () => [-1],
    ).subscribe((one) => {
      seen.push(one);
      if (one !== 4) return;
      stream.unsubscribe();
      resolve();
    });
  });
  expect(seen).toEqual([1, 2, -1, 3, 4]);
});

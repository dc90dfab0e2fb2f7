import type { ConsumedRecord } from './record.js';
import { type Slot, untilHandled } from './key-ordered-pool.js';
import type { Task } from './key-ordered-work.js';

const slot: Slot = { withoutSlot: (wait) => wait() };

function aTask(): Task {
  const assignment = { topic: 'events', partition: 0, signal: new AbortController().signal, progress: () => undefined };
  return { record: { offset: 0n } as ConsumedRecord, assignment, sinceMs: 5, attempts: 0 };
}

it('holds the key with a growing delay until the handler does not reject', async () => {
  const failures: number[] = [];
  const attempts: number[] = [];
  const run = untilHandled({
    retryDelayMs: 100,
    maxRetryDelayMs: 150,
    handle: (_record, { attempt, sinceMs }) => {
      attempts.push(attempt, sinceMs);
      return attempt < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve();
    },
    onFailure: (_record, { attempt }) => failures.push(attempt),
  });
  const task = aTask();
  const [first, second] = [await run(task, slot), await run(task, slot)] as { hold: string; ms: number }[];
  expect([first!.hold, second!.hold, await run(task, slot)]).toEqual(['key', 'key', 'done']);
  expect(first!.ms).toBeGreaterThanOrEqual(50);
  expect(first!.ms).toBeLessThanOrEqual(100);
  expect(second!.ms).toBeGreaterThanOrEqual(75);
  expect(second!.ms).toBeLessThanOrEqual(150);
  expect(attempts).toEqual([1, 5, 2, 5, 3, 5]);
  expect(failures).toEqual([1, 2]);
});

it('holds the key also where telling of the failure fails, or what was thrown has no text', async () => {
  const nothing: unknown = Object.create(null);
  const run = untilHandled({
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a handler may
    handle: () => Promise.reject(nothing),
    onFailure: (_record, { error }) => {
      throw new Error(String(error));
    },
  });
  expect(await run(aTask(), slot)).toMatchObject({ hold: 'key' });
});

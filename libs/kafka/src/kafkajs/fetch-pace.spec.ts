import { EventEmitter } from 'node:events';
import type { Consumer } from 'kafkajs';
import { FetchPace } from './fetches.js';

const EVERY_MS = 40;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function paced() {
  const events = new EventEmitter();
  const pace = new FetchPace(events as unknown as Consumer, EVERY_MS);
  const fetched = () => events.emit('consumer.fetch');
  const tookMs = async () => {
    const begun = performance.now();
    const kept = pace.keep(1).then(() => performance.now() - begun);
    await jest.runAllTimersAsync();
    return kept;
  };
  return { fetched, tookMs };
}

it('does not hold up what comes alone, and keeps fetches that follow apart', async () => {
  const { fetched, tookMs } = paced();
  fetched();
  expect(await tookMs()).toBe(0);
  fetched();
  expect(await tookMs()).toBe(EVERY_MS);
  await jest.advanceTimersByTimeAsync(EVERY_MS);
  fetched();
  expect(await tookMs()).toBe(0);
});

it('waits once for all batches of a fetch', async () => {
  const { fetched, tookMs } = paced();
  fetched();
  await tookMs();
  fetched();
  expect(await tookMs()).toBe(EVERY_MS);
  expect(await tookMs()).toBe(0);
});

import { EventEmitter } from 'node:events';
import type { Consumer } from 'kafkajs';
import { FetchPace } from './fetch-pace.js';

const EVERY_MS = 40;

function paced() {
  const events = new EventEmitter();
  const pace = new FetchPace(events as unknown as Consumer, EVERY_MS);
  const fetched = () => events.emit('consumer.fetch');
  const tookMs = async () => {
    const begun = performance.now();
    await pace.keep();
    return performance.now() - begun;
  };
  return { fetched, tookMs };
}

it('does not hold up what comes alone, and keeps fetches that follow apart', async () => {
  const { fetched, tookMs } = paced();
  fetched();
  expect(await tookMs()).toBeLessThan(EVERY_MS / 2);
  fetched();
  expect(await tookMs()).toBeGreaterThan(EVERY_MS / 2);
});

it('waits once for all batches of a fetch', async () => {
  const { fetched, tookMs } = paced();
  fetched();
  await tookMs();
  fetched();
  await tookMs();
  expect(await tookMs()).toBeLessThan(EVERY_MS / 2);
});

import { silentLog } from '@tranche/runtime';
import type { OwnedJournal } from '../partition/owned-journal.js';
import { OpenIntents } from '../journal/open-intents.js';
import { fold } from '../state/fold.js';
import { emptyOrder } from '../state/order-state.js';
import type { Intent, JournalRecord } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';
import { DoubtWatch } from './doubt-watch.js';

const AT = '2026-03-01T10:00:00.000Z';
const WAIT_MS = 33_000;
const intentOf = (orderId: string): Intent => ({
  ...{ record: 'INTENT', rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId, at: AT },
  ...{ commandId: 'a', attempt: 1, token: `token of ${orderId}` },
  ...{ operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' },
});

it('a doubt that could not be written is tried again after 2 s, though newer intents are under way', async () => {
  const clock = { ms: 0 };
  const openIntents = new OpenIntents();
  const appended: JournalRecord[] = [];
  let failures = 1;
  const journal = {
    openIntents,
    read: (merchant: string, orderId: string) =>
      Promise.resolve(fold(emptyOrder(merchant, orderId), intentOf(orderId), 0n).order),
    append: (record: JournalRecord) =>
      failures-- > 0 ? Promise.reject(new Error('Kafka is away')) : Promise.resolve(BigInt(appended.push(record))),
  } as unknown as OwnedJournal;
  const timing = { nowMs: () => Date.parse(AT), monotonicMs: () => clock.ms, sleep: () => Promise.resolve() };
  const watch = new DoubtWatch(journal, timing, WAIT_MS, silentLog);

  openIntents.see(intentOf('old'), 0);
  openIntents.see(intentOf('newer'), WAIT_MS - 1);
  clock.ms = WAIT_MS;
  await watch.poll();
  expect(appended).toEqual([]);
  clock.ms = WAIT_MS + 1_999;
  await watch.poll();
  expect(appended).toEqual([]);
  clock.ms = WAIT_MS + 2_000;
  await watch.poll();
  expect(appended).toMatchObject([{ record: 'IN_DOUBT', orderId: 'old', reason: 'owner_lost' }]);
});

it('a doubt that waits to be written holds up no other, nor one of the next poll', async () => {
  const openIntents = new OpenIntents();
  const appended: string[] = [];
  const journal = {
    openIntents,
    read: (merchant: string, orderId: string) =>
      Promise.resolve(fold(emptyOrder(merchant, orderId), intentOf(orderId), 0n).order),
    append: ({ orderId }: JournalRecord) =>
      orderId === 'without a leader' ? new Promise(() => undefined) : Promise.resolve(BigInt(appended.push(orderId))),
  } as unknown as OwnedJournal;
  const timing = { nowMs: () => Date.parse(AT), monotonicMs: () => WAIT_MS, sleep: () => Promise.resolve() };
  const watch = new DoubtWatch(journal, timing, WAIT_MS, silentLog);

  for (const orderId of ['without a leader', 'other']) openIntents.see(intentOf(orderId), 0);
  void watch.poll();
  openIntents.see(intentOf('later'), 0);
  await watch.poll();
  expect(appended).toEqual(['other', 'later']);
});

import { Random } from '../simulation/random.js';
import { OrderStory, type Story } from './order-story.js';
import { compare } from './sums.js';

const ORDERS = 20_000;
const PROGRESS_MS = 10_000;
const MOST_REPORTED = 5;

export const storyOf = (seed: number): Story => new OrderStory(new Random(seed)).play();

/** Plays orders and compares the sums over their events with the ledger. Resolves to 1 where they differ, else 0. */
export function runAmounts({ orders = ORDERS, seed, json }: { orders?: number; seed: number; json: boolean }): number {
  const total = { orders: 0, operations: 0, events: 0, assumed: 0, open: 0, differences: 0, saidNotExecuted: 0 };
  const begun = performance.now();
  let reportedMs = begun;
  for (let at = 0; at < orders; at++) {
    const story = storyOf(seed * 1_000_003 + at);
    const { operations, differences, untrue, assumed, open } = compare(story);
    total.orders++;
    total.operations += operations;
    total.events += story.events.length;
    total.assumed += assumed;
    total.open += open;
    const faults = [...differences, ...untrue];
    if (faults.length > 0 && total.differences + total.saidNotExecuted < MOST_REPORTED) report(at, faults, story);
    total.differences += differences.length;
    total.saidNotExecuted += untrue.length;
    if (performance.now() - reportedMs < PROGRESS_MS) continue;
    reportedMs = performance.now();
    console.error(`${total.orders} of ${orders} orders, ${total.differences + total.saidNotExecuted} differences`);
  }
  console.error(`${((performance.now() - begun) / 1000).toFixed(0)} s`);
  const { differences, saidNotExecuted } = total;
  console.log(
    json
      ? JSON.stringify({ ...total, seed })
      : `${total.orders} orders, ${total.operations} operations executed, ${total.events} events, ${total.assumed} amounts assumed to the end, ` +
          `${total.open} open: ${differences} differences, ${saidNotExecuted} said but not executed (seed ${seed})`,
  );
  return differences + saidNotExecuted === 0 ? 0 : 1;
}

function report(at: number, faults: readonly string[], { records, events, ledger }: Story): void {
  console.error(`order ${at}: ${faults.join('; ')}`);
  for (const record of records) console.error(`  record ${JSON.stringify(record)}`);
  for (const { type, data } of events) console.error(`  event ${type} ${JSON.stringify(data)}`);
  for (const one of ledger.executed) console.error(`  ledger ${JSON.stringify(one)}`);
}

import { columns } from '../figures.js';
import type { Given } from '../seed.js';
import { Random } from '../simulation/random.js';
import { OrderStory, type Story } from './order-story.js';
import { compare } from './sums.js';

const ORDERS = 20_000;
const PROGRESS_ORDERS = 5_000;
const MOST_REPORTED = 5;

export const storyOf = (seed: number): Story => new OrderStory(new Random(seed)).play();

/** Plays orders and compares the sums over their events with the ledger. Returns 1 where they differ, else 0. */
export function runAmounts({ orders = ORDERS, seed, json }: Given): number {
  const total = { orders: 0, operations: 0, byBackOffice: 0, events: 0, inDoubt: 0, assumed: 0, open: 0 };
  const found = { differences: 0, saidNotExecuted: 0, untold: 0 };
  for (let at = 0; at < orders; at++) {
    const story = storyOf(seed * 1_000_003 + at);
    const { operations, differences, untrue, untold, assumed, open } = compare(story);
    total.orders++;
    total.operations += operations;
    total.byBackOffice += story.ledger.executed.filter(({ commandId }) => commandId === undefined).length;
    total.events += story.events.length;
    total.inDoubt += story.records.filter(({ record }) => record === 'IN_DOUBT').length;
    total.assumed += assumed;
    total.open += open;
    const faults = [...differences, ...untrue, ...untold.map((id) => `${id} is in no event`)];
    if (faults.length > 0 && sum(found) < MOST_REPORTED) report(at, faults, story);
    found.differences += differences.length;
    found.saidNotExecuted += untrue.length;
    found.untold += untold.length;
    if (at % PROGRESS_ORDERS === PROGRESS_ORDERS - 1) console.error(`${at + 1} of ${orders} orders`);
  }
  const all = { ...total, ...found, seed };
  console.error(columns(Object.entries(all)));
  if (json) console.log(JSON.stringify(all));
  return sum(found) === 0 ? 0 : 1;
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, one) => all + one, 0);

function report(at: number, faults: readonly string[], { records, events, ledger }: Story): void {
  console.error(`order ${at}: ${faults.join('; ')}`);
  for (const record of records) console.error(`  record ${JSON.stringify(record)}`);
  for (const { type, data } of events) console.error(`  event ${type} ${JSON.stringify(data)}`);
  for (const one of ledger.executed) console.error(`  ledger ${JSON.stringify(one)}`);
}

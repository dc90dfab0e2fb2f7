import { columns } from '../figures.js';
import { Random } from '../simulation/random.js';
import { OrderStory, type Story } from './order-story.js';
import { compare, type Compared } from './sums.js';

const ORDERS = 20_000;
const PROGRESS_MS = 10_000;
const MOST_REPORTED = 5;

export interface AmountsOptions {
  orders?: number;
  seed: number;
  json: boolean;
}

export const storyOf = (seed: number): Story => new OrderStory(new Random(seed)).play();

/** Plays orders and compares the sums over their events with the ledger. Returns 1 where they differ, else 0. */
export function runAmounts({ orders = ORDERS, seed, json }: AmountsOptions): number {
  const total = totalOf([], []);
  const begun = performance.now();
  let reportedMs = begun;
  for (let at = 0; at < orders; at++) {
    const story = storyOf(seed * 1_000_003 + at);
    const compared = compare(story);
    const faults = [...compared.differences, ...compared.untrue];
    if (faults.length > 0 && total.differences + total.saidNotExecuted < MOST_REPORTED) report(at, faults, story);
    for (const [name, figure] of Object.entries(totalOf([story], [compared]))) total[name as keyof Total] += figure;
    if (performance.now() - reportedMs < PROGRESS_MS) continue;
    reportedMs = performance.now();
    console.error(`${total.orders} of ${orders} orders, ${total.differences + total.saidNotExecuted} differences`);
  }
  console.error(columns(Object.entries({ ...total, seed, seconds: Math.round((performance.now() - begun) / 1000) })));
  if (json) console.log(JSON.stringify({ ...total, seed }));
  return total.differences + total.saidNotExecuted === 0 ? 0 : 1;
}

type Total = ReturnType<typeof totalOf>;

function totalOf(stories: readonly Story[], compared: readonly Compared[]) {
  const sum = (figure: (one: Compared) => number) => compared.reduce((all, one) => all + figure(one), 0);
  const count = (figure: (one: Story) => unknown[]) => stories.reduce((all, one) => all + figure(one).length, 0);
  return {
    orders: stories.length,
    operations: sum(({ operations }) => operations),
    byBackOffice: count(({ ledger }) => ledger.executed.filter(({ commandId }) => commandId === undefined)),
    events: count(({ events }) => events),
    inDoubt: count(({ records }) => records.filter(({ record }) => record === 'IN_DOUBT')),
    /** Doubts of which an operator reported that nothing was executed. */
    neverExecuted: count(({ records }) =>
      records.filter((one) => one.record === 'EVIDENCE' && one.source === 'operator' && one.result === 'not_executed'),
    ),
    /** Amounts that no report ever named. */
    assumed: sum(({ assumed }) => assumed),
    /** Operations in doubt to the end. */
    open: sum(({ open }) => open),
    differences: sum(({ differences }) => differences.length),
    saidNotExecuted: sum(({ untrue }) => untrue.length),
  };
}

function report(at: number, faults: readonly string[], { records, events, ledger }: Story): void {
  console.error(`order ${at}: ${faults.join('; ')}`);
  for (const record of records) console.error(`  record ${JSON.stringify(record)}`);
  for (const { type, data } of events) console.error(`  event ${type} ${JSON.stringify(data)}`);
  for (const one of ledger.executed) console.error(`  ledger ${JSON.stringify(one)}`);
}

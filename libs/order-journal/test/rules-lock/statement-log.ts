import { emptyOrder, fold, standingOf, type JournalRecord, type OrderState } from '../../src/index.js';
import { randomLog, type Log } from './random-log.js';
import { Seeded } from './seeded.js';
import { waitingLog } from './waiting-log.js';

/**
 * Logs like those of `randomLog` and `waitingLog` whose operators name what they saw, now and earlier, and approve some proposals twice. Some reports have an
 * AMOUNT that can not be read. Some logs lack their beginning. All are of rules version 2. Never change the log of a seed.
 */
export function statementLog(seed: number): Log {
  const random = new Seeded(seed ^ 0x5ee7);
  const log: [bigint, JournalRecord][] = [];
  /** The order after each record, as people may have seen it. */
  const states: OrderState[] = [emptyOrder('shop-fr', 'o')];
  const land = (record: JournalRecord) => {
    const offset = BigInt(log.length);
    log.push([offset, record]);
    states.push(fold(states.at(-1)!, record, offset).order);
  };
  const looked = () => (random.chance(0.6) ? states.at(-1)! : random.pick(states.slice(-4)));
  for (const [, given] of random.chance(0.5) ? randomLog(seed) : waitingLog(seed)) {
    // The version is part of what a history is made from.
    const bare = { ...given, rulesVersion: 2 };
    const { merchant, orderId, rulesVersion, at } = bare;
    const ofOperation = { rulesVersion, merchant, orderId, at, commandId: random.pick(states.at(-1)!.operations)?.commandId ?? 'a' }; // prettier-ignore
    if (random.chance(0.2)) land({ record: 'REPEATED', ...ofOperation });
    if (random.chance(0.2)) land({ record: 'REMINDED', ...ofOperation, attempt: 1, reminder: 'doubt_15_minutes' });
    const isOperators = bare.record === 'EVIDENCE' && bare.source === 'operator';
    if (!isOperators) {
      const isReport = bare.record === 'EVIDENCE' || bare.record === 'OUTCOME';
      const isUnreadable = isReport && random.chance(0.2);
      land(isUnreadable ? { ...bare, flags: ['invalid_amount'], answer: { ...bare.answer, amount: undefined } } : bare);
      continue;
    }
    const proposal = random.chance(0.7) ? { proposal: `p-${random.below(3)}`, approvedBy: 'bob' } : {};
    const named: JournalRecord = { ...bare, ...proposal, seen: standingOf(looked()) };
    land(named);
    if (random.chance(0.2)) land({ ...named, at: new Date(Date.parse(at) + 1_000).toISOString() });
  }
  return random.chance(0.2) ? log.slice(random.below(log.length)) : log;
}

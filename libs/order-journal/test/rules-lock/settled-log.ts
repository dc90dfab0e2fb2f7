import {
  conflictsOf,
  emptyOrder,
  fold,
  standingOf,
  type JournalRecord,
  type OrderState,
  type Settled,
} from '../../src/index.js';
import { randomLog, type Log } from './random-log.js';
import { Seeded } from './seeded.js';
import { waitingLog } from './waiting-log.js';

/**
 * Logs like those of `randomLog` and `waitingLog` in which people settle conflicts, also of what they saw earlier, alone, or without what the conflict
 * needs. All are of rules version 2. Never change the log of a seed.
 */
export function settledLog(seed: number): Log {
  const random = new Seeded(seed ^ 0x5e77);
  const log: [bigint, JournalRecord][] = [];
  const states: OrderState[] = [emptyOrder('shop-fr', 'o')];
  const land = (record: JournalRecord) => {
    const offset = BigInt(log.length);
    log.push([offset, record]);
    states.push(fold(states.at(-1)!, record, offset).order);
  };
  for (const [, bare] of random.chance(0.6) ? randomLog(seed) : waitingLog(seed)) {
    land({ ...bare, rulesVersion: 2 });
    const seen = random.chance(0.8) ? states.at(-1)! : random.pick(states.slice(-4));
    const conflicts = conflictsOf(seen);
    const conflict = conflicts[random.below(conflicts.length)];
    if (conflict === undefined || random.chance(0.4)) continue;
    const { merchant, orderId, at } = bare;
    const kept = { outcome: 'kept', result: random.pick(['succeeded', 'refused', 'not_executed'] as const) } as const;
    const repaired = { outcome: 'repaired', reference: `back-${random.below(3)}` } as const;
    const settled: Settled = {
      ...{ record: 'SETTLED', rulesVersion: 2, merchant, orderId, at, conflict: conflict.id },
      ...(random.chance(0.6) ? kept : repaired),
      ...(random.chance(0.8) ? { amount: 1 + random.below(300) } : {}),
      ...(conflict.transactionId !== undefined && random.chance(0.5) ? { transactionId: conflict.transactionId } : {}),
      ...{ actor: 'alice', approvedBy: random.chance(0.9) ? 'bob' : 'alice', reason: 'seen in the books' },
      ...(random.chance(0.7) ? { proposal: `p-${random.below(4)}` } : {}),
      seen: standingOf(seen),
    };
    land(settled);
    if (random.chance(0.1)) land({ ...settled, at: new Date(Date.parse(at) + 1_000).toISOString() });
  }
  return random.chance(0.2) ? log.slice(random.below(log.length)) : log;
}

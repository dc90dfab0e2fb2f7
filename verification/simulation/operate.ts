import { isInDoubt } from '@tranche/order-journal';
import { operatorsReport } from './evidence.js';
import type { Surroundings } from './process.js';
import type { World } from './world.js';

/** An operator's "not executed" needs an INTENT of this age: ten times send deadline and time-out together (R5). */
export const OPERATOR_MS = 50_000;
/** Milliseconds. The fold requires a quarter of an hour by the writers' clocks, which may differ. */
const BOOKS_MS = 2_400_000;

/** Looks at every doubt that is old enough, and reports the result in the platform's books. */
export function operate(world: World, { random, scheduler }: Surroundings): void {
  const { referee, shared } = world;
  for (const [key, order] of referee.orders) {
    for (const operation of order.operations.filter(isInDoubt)) {
      const { commandId, attempt, token, operation: kind } = operation;
      const intent = world.intentOf(key, token);
      if (!intent || scheduler.nowMs - intent.atMs < OPERATOR_MS || random.chance(0.3)) continue;
      const executed = shared.platform.of(key, commandId)[0];
      const at = new Date(Date.UTC(2026, 2, 1, 10) + scheduler.nowMs + BOOKS_MS).toISOString();
      shared.journal.land(operatorsReport({ orderKey: key, commandId, attempt, operation: kind }, executed, at));
    }
  }
}

import { findOperation, inOrder, isInDoubt, isWaiting } from '@tranche/order-journal';
import { lookedUp, operatorsReport } from './evidence.js';
import { EPOCH_MS, type Surroundings } from './process.js';
import type { World } from './world.js';

/** Looks up waiting and doubtful operations. An operator also reports on waiting ones, a day after their begin or an hour too early. */
export function lookAfter({ referee, platform, journal }: World, { random, scheduler }: Surroundings): void {
  for (const [key, { operations }] of referee.orders) {
    for (const { commandId } of operations) {
      const operation = findOperation(referee.order(key), commandId)!;
      const [entry] = platform.of(key, commandId);
      if (entry === undefined || !(isWaiting(operation) || isInDoubt(operation))) continue;
      const now = new Date(EPOCH_MS + scheduler.nowMs).toISOString();
      const { request, transactionId, execCode } = entry;
      if (isInDoubt(operation) && entry.standing === 'redirect_required' && random.chance(0.3)) {
        // The process was paused between the answer and its OUTCOME.
        const { attempt, token } = request.by;
        const ofAttempt = { ...inOrder(referee.order(key), now), commandId, attempt, token: operation.token ?? token };
        const answer = { execCode, transactionId, redirectHtml: 'PGh0bWw+' };
        journal.land({ record: 'OUTCOME', ...ofAttempt, result: 'redirect_required', answer });
      }
      if (random.chance(0.3)) journal.land(lookedUp(entry, now));
      const {
        phase,
        since = '',
        attempt,
        operation: kind,
        saidNotExecutedAt,
      } = findOperation(referee.order(key), commandId)!;
      if (!isWaiting({ phase }) || random.chance(0.5)) continue;
      const isEarly = saidNotExecutedAt === undefined && random.chance(0.3);
      if (isWaiting({ phase: entry.standing as typeof phase })) platform.cancel(entry);
      const at = new Date(Date.parse(since) + (isEarly ? 23 : 24) * 3_600_000).toISOString();
      const report = operatorsReport({ orderKey: key, commandId, attempt, operation: kind }, entry, at);
      journal.land(report);
      if (isEarly && findOperation(referee.order(key), commandId)!.phase !== phase)
        referee.report('wrongOutcome', `an operator's word on ${commandId} counted an hour early`);
    }
  }
}

/** An operator's "not executed" needs an INTENT of this age: ten times send deadline and time-out together (R5). */
export const OPERATOR_MS = 50_000;
/** Milliseconds. The fold requires a quarter of an hour by the writers' clocks, which may differ. */
const BOOKS_MS = 2_400_000;

/** Looks at every doubt that is old enough, and reports the result in the platform's books. */
export function operate(world: World, { random, scheduler }: Surroundings): void {
  const { referee, platform, journal } = world;
  for (const [key, order] of referee.orders) {
    for (const operation of order.operations.filter(isInDoubt)) {
      const { commandId, attempt, token, operation: kind } = operation;
      const intent = world.intentOf(key, token);
      if (!intent || scheduler.nowMs - intent.atMs < OPERATOR_MS || random.chance(0.3)) continue;
      const executed = platform.of(key, commandId)[0];
      const at = new Date(EPOCH_MS + scheduler.nowMs + BOOKS_MS).toISOString();
      journal.land(operatorsReport({ orderKey: key, commandId, attempt, operation: kind }, executed, at));
    }
  }
}

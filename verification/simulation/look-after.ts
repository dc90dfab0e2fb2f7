import { findOperation, isInDoubt, isWaiting, RULES_VERSION } from '@tranche/order-journal';
import { lookedUp, operatorsReport } from './evidence.js';
import type { Surroundings } from './process.js';
import type { World } from './world.js';

/** Looks up waiting and doubtful operations. An operator also reports on waiting ones, a day after their begin or an hour too early. */
export function lookAfter(
  { referee, shared: { platform, journal } }: World,
  { random, scheduler }: Surroundings,
): void {
  for (const [key, { operations }] of referee.orders) {
    for (const { commandId } of operations) {
      const operation = findOperation(referee.order(key), commandId)!;
      const [entry] = platform.of(key, commandId);
      if (entry === undefined || !(isWaiting(operation) || isInDoubt(operation))) continue;
      const now = new Date(Date.UTC(2026, 2, 1, 10) + scheduler.nowMs).toISOString();
      const { request, transactionId, execCode } = entry;
      if (isInDoubt(operation) && entry.standing === 'redirect_required' && random.chance(0.3)) {
        // The process was paused between the answer and its OUTCOME.
        const { merchant, orderId } = referee.order(key);
        const { attempt, token } = request.by;
        const answer = { execCode, transactionId, redirectHtml: 'PGh0bWw+' };
        const identity = { rulesVersion: RULES_VERSION, merchant, orderId, at: now, commandId, attempt };
        journal.land({
          record: 'OUTCOME',
          ...identity,
          token: operation.token ?? token,
          result: 'redirect_required',
          answer,
        });
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
        referee.say('wrongOutcome', `an operator's word on ${commandId} counted an hour early`);
    }
  }
}

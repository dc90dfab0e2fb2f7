import { isMadeElsewhereToo } from '@tranche/contracts';
import { findOperation, inOrder, isWaiting, type OperationState } from '@tranche/order-journal';
import type { LedgerEntry } from './platform.js';
import type { WaitingEdges } from './profile.js';
import type { World } from './world.js';

/** Ends payments that wait: the cardholder decides on the form, or the provider on an application, or a timer ends them. */
export function playCardholders({ env, journal, platform, referee }: World): void {
  const { random, scheduler } = env;
  const { edges: { waiting } = {}, days } = env.profile;

  /** Some never decide. */
  const awaitDecision = (entry: LedgerEntry): void => {
    if (entry.standing !== 'redirect_required' && entry.standing !== 'pending') return;
    const { orderKey, by } = entry.request;
    if (waiting) leaveAlone(entry, waiting);
    else if (entry.standing === 'pending' && days === undefined && random.chance(0.1))
      // As after six days without a report, but much sooner.
      scheduler.after(random.between(1_000, 15_000), `${by.commandId} expires`, () => {
        const operation = findOperation(referee.order(orderKey), by.commandId);
        if (operation?.phase === 'pending') endByTimer(entry, operation, false);
      });
    if (random.chance(0.25)) return;
    scheduler.after(random.between(50, 15_000), `somebody decides on ${by.commandId}`, () => {
      // A form that was never shown can't be filled in.
      if (waiting && entry.standing === 'redirect_required' && !referee.shown.has(`${orderKey} ${by.commandId}`))
        return;
      platform.decide(entry);
      awaitDecision(entry);
    });
  };

  /** Schedules our timers of a waiting payment, and false denials by the platform. */
  const leaveAlone = (entry: LedgerEntry, { expiry, earlyTimer, saidNotExecuted }: WaitingEdges): void => {
    const { orderKey, by } = entry.request;
    const ofWaiting = (act: (operation: OperationState) => void) => {
      const operation = findOperation(referee.order(orderKey), by.commandId);
      if (operation && isWaiting(operation)) act(operation);
    };
    if (random.chance(expiry))
      scheduler.after(random.between(500, 15_000), `${by.commandId} is left alone`, () =>
        ofWaiting((operation) => endByTimer(entry, operation, random.chance(earlyTimer))),
      );
    if (random.chance(saidNotExecuted))
      scheduler.after(random.between(500, 12_000), `the platform denies ${by.commandId}`, () =>
        ofWaiting(() => platform.deny(entry)),
      );
  };

  /** Lets our timer end the payment, on time or a minute early by the times of the records. */
  const endByTimer = (entry: LedgerEntry, before: OperationState, isEarly: boolean): void => {
    const { orderKey, method } = entry.request;
    const { phase, operation, since = '', commandId, attempt } = before;
    const dueMs = Date.parse(since) + (phase === 'pending' ? 6 : 7) * 86_400_000;
    const at = new Date(isEarly ? dueMs - 60_000 : dueMs).toISOString();
    journal.landIfLed({ record: 'EXPIRED', ...inOrder(referee.order(orderKey), at), commandId, attempt });
    if (findOperation(referee.order(orderKey), commandId)!.phase === phase) return;
    if (isEarly) referee.report('wrongOutcome', `${commandId} was ${phase} and ended a minute before its time`);
    else if (phase === 'pending' && operation === 'authorize' && method === 'B') entry.wasExpired = true;
    else entry.wasLeftBehind = true;
  };

  platform.onExecuted(awaitDecision);
}

/** Milliseconds after our INTENT within which somebody makes the same by hand: before the call, during it, or in the middle of a doubt. */
const BY_HAND_WITHIN_MS = 10_000;

/**
 * While an untagged capture, refund or void of ours is open or in doubt, people in the platform's back office make one of the same kind and amount, whose
 * notification looks like ours.
 */
export function playBackOffice({ env, journal, plan, platform, referee }: World): void {
  const { backOffice = 0 } = env.profile.edges ?? {};
  const random = env.random.fork();
  const copied = new Set<string>();
  if (backOffice > 0 || env.profile.staleViews) {
    // The shop often fills EXTRADATA, so that no tag fits.
    const room = env.random.fork();
    for (const { command } of plan.commands)
      if (isMadeElsewhereToo(command.operation) && room.chance(0.6)) command.isUntagged = true;
  }
  if (backOffice > 0)
    journal.onLanded(({ key: orderKey, record }) => {
      if (record.record !== 'INTENT' || record.tag !== undefined) return;
      const { commandId, token, operation, amount } = record;
      const isGranted = findOperation(referee.order(orderKey), commandId)?.token === token;
      if (!isMadeElsewhereToo(operation) || !isGranted || copied.has(commandId)) return;
      copied.add(commandId);
      if (!random.chance(backOffice)) return;
      const afterMs = random.between(0, BY_HAND_WITHIN_MS);
      env.scheduler.after(afterMs, `the back office makes a ${operation} like ${commandId}`, () =>
        platform.makeByHand({ orderKey, operation }, amount, random),
      );
    });
}

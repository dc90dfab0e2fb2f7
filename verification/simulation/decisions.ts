import { findOperation, isWaiting, inOrder, type OperationState } from '@tranche/order-journal';
import type { SimulatedJournal } from './journal.js';
import type { LedgerEntry, SimulatedPlatform } from './platform.js';
import type { Surroundings } from './process.js';
import type { WaitingEdges } from './profile.js';
import type { Referee } from './referee.js';

/** People and timers look at these and act on them. */
export interface Decided {
  journal: SimulatedJournal;
  platform: SimulatedPlatform;
  referee: Referee;
}

/** Ends payments that wait: the cardholder or the provider decides, or a timer ends them. */
export class Decisions {
  constructor(
    private readonly around: Surroundings,
    private readonly world: Decided,
  ) {}

  /** Schedules the cardholder's decision on the form, or the provider's on an application. Some never decide. */
  await(entry: LedgerEntry): void {
    const { random, scheduler } = this.around;
    const { platform, referee } = this.world;
    if (entry.standing !== 'redirect_required' && entry.standing !== 'pending') return;
    const { edges: { waiting } = {}, days } = this.around.profile;
    if (waiting) this.#leaveAlone(entry, waiting);
    else if (entry.standing === 'pending' && days === undefined && random.chance(0.1))
      this.#expire(entry, random.between(1_000, 15_000));
    if (random.chance(0.25)) return;
    scheduler.after(random.between(50, 15_000), `somebody decides on ${entry.request.by.commandId}`, () => {
      // A form that was never shown can't be filled in.
      const { orderKey, by } = entry.request;
      if (waiting && entry.standing === 'redirect_required' && !referee.shown.has(`${orderKey} ${by.commandId}`))
        return;
      platform.decide(entry);
      this.await(entry);
    });
  }

  /** Schedules our timers of a waiting payment, and false denials by the platform. */
  #leaveAlone(entry: LedgerEntry, { expiry, earlyTimer, saidNotExecuted }: WaitingEdges): void {
    const { random, scheduler } = this.around;
    const { platform, referee } = this.world;
    const { orderKey, by } = entry.request;
    const ofWaiting = (act: (operation: OperationState) => void) => {
      const operation = findOperation(referee.order(orderKey), by.commandId);
      if (operation && isWaiting(operation)) act(operation);
    };
    if (random.chance(expiry))
      scheduler.after(random.between(500, 15_000), `${by.commandId} is left alone`, () =>
        ofWaiting((operation) => this.#end(entry, operation, random.chance(earlyTimer))),
      );
    if (random.chance(saidNotExecuted))
      scheduler.after(random.between(500, 12_000), `the platform denies ${by.commandId}`, () =>
        ofWaiting(() => platform.deny(entry)),
      );
  }

  /** Lets our timer end the payment, on time or a minute early by the times of the records. */
  #end(entry: LedgerEntry, before: OperationState, isEarly: boolean): void {
    const { journal, referee } = this.world;
    const { orderKey, method } = entry.request;
    const { phase, operation, since = '', commandId, attempt } = before;
    const days = phase === 'pending' ? 6 : 7;
    const atMs = Date.parse(since) + days * 86_400_000 - (isEarly ? 60_000 : 0);
    const ofOrder = inOrder(referee.order(orderKey), new Date(atMs).toISOString());
    journal.landIfLed({ record: 'EXPIRED', ...ofOrder, commandId, attempt });
    const after = findOperation(referee.order(orderKey), commandId)!;
    if (after.phase === before.phase) return;
    if (isEarly) referee.report('wrongOutcome', `${commandId} was ${phase} and ended a minute before its time`);
    else if (phase === 'pending' && operation === 'authorize' && method === 'B') entry.wasExpired = true;
    else entry.wasLeftBehind = true;
  }

  /** A gateway's timer ended the payment. */
  ended(orderKey: string, { commandId, mayYetSucceed }: OperationState): void {
    for (const entry of this.world.platform.of(orderKey, commandId))
      if (mayYetSucceed) entry.wasLeftBehind = true;
      else entry.wasExpired = true;
  }

  /** Ends a pending payment as after six days without a report, but much sooner. */
  #expire(entry: LedgerEntry, afterMs: number): void {
    const { scheduler } = this.around;
    const { referee } = this.world;
    const { orderKey, by } = entry.request;
    scheduler.after(afterMs, `${by.commandId} expires`, () => {
      const operation = findOperation(referee.order(orderKey), by.commandId);
      if (operation?.phase === 'pending') this.#end(entry, operation, false);
    });
  }
}

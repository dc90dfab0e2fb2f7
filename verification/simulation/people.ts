import { findOperation, isInDoubt, standingOf, type OperationState } from '@tranche/order-journal';
import type { Decided } from './decisions.js';
import { operatorsReport } from './evidence.js';
import type { Landed } from './journal.js';
import { OPERATOR_MS } from './operators.js';
import type { LedgerEntry } from './platform.js';
import { EPOCH_MS, type Surroundings } from './process.js';
import { NEWEST, type Profile } from './profile.js';

/** Milliseconds. The fold requires a quarter of an hour by the writers' clocks. */
const QUARTER_MS = 900_000;
/** After these, a doubt is left to its evidence. */
const MOST_LOOKS = 2;

interface World extends Decided {
  /** The shop sends once more what two people said was not executed. */
  sendAgain: (orderKey: string, commandId: string) => void;
}

/** The order as people saw it, in an index that stands still from then on, and an entry in the platform's books, which may be late. */
interface View {
  orderKey: string;
  operation: OperationState;
  seen: string;
  entry: LedgerEntry | undefined;
}

/**
 * Two people who say what became of a doubt, about a minute after they looked. They are wrong only where a record has told the order better
 * since: if none has, they look into the books again before they say it.
 */
export class People {
  #proposals = 0;

  constructor(
    private readonly around: Surroundings,
    private readonly world: World,
    private readonly views: NonNullable<Profile['staleViews']>,
  ) {}

  /** Call it after the referee has folded the record. */
  landed({ key, record }: Landed): void {
    if (record.record === 'IN_DOUBT') this.#lookLater(key, record.commandId, 1);
  }

  #lookLater(orderKey: string, commandId: string, looks: number): void {
    const { random, scheduler } = this.around;
    const { platform, referee } = this.world;
    scheduler.after(random.between(0, this.views.withinMs), `people look at ${commandId}`, () => {
      const order = referee.order(orderKey);
      const operation = findOperation(order, commandId);
      if (operation === undefined || !isInDoubt(operation)) return;
      const [executed] = platform.of(orderKey, commandId);
      const entry = random.chance(this.views.lateBooks) ? undefined : executed;
      const view = { orderKey, operation, seen: standingOf(order), entry };
      const saidAfterMs = OPERATOR_MS + random.between(0, 15_000);
      scheduler.after(saidAfterMs, `people say what became of ${commandId}`, () => this.#decide(view, looks));
    });
  }

  #decide({ orderKey, operation, seen, entry }: View, looks: number): void {
    const { random, scheduler } = this.around;
    const { journal, platform, referee } = this.world;
    const { commandId, attempt, operation: kind } = operation;
    const hasMoved = standingOf(referee.order(orderKey)) !== seen;
    const [executed] = platform.of(orderKey, commandId);
    const doubt = { orderKey, commandId, attempt, operation: kind };
    const at = new Date(EPOCH_MS + scheduler.nowMs + QUARTER_MS).toISOString();
    const said = {
      ...operatorsReport(doubt, hasMoved ? entry : executed, at),
      ...{ rulesVersion: NEWEST, seen, approvedBy: 'second', proposal: `proposal ${++this.#proposals}` },
    };
    journal.landIfLed(said);
    // The approver heard no answer, and approves again.
    if (random.chance(0.3))
      scheduler.after(random.between(0, 10_000), `people repeat what became of ${commandId}`, () =>
        journal.landIfLed({ ...said, at: new Date(Date.parse(at) + 20_000).toISOString() }),
      );
    const after = findOperation(referee.order(orderKey), commandId);
    if (after === undefined) return;
    if (isInDoubt(after) && looks < MOST_LOOKS) this.#lookLater(orderKey, commandId, looks + 1);
    if (after.end === 'not_executed') this.world.sendAgain(orderKey, commandId);
  }
}

import {
  conflictsOf,
  findOperation,
  hasSucceeded,
  inOrder,
  isPayment,
  standingOf,
  type Conflict,
  type Settled,
} from '@tranche/order-journal';
import type { Decided } from './decisions.js';
import type { Landed } from './journal.js';
import { OPERATOR_MS } from './operators.js';
import type { LedgerEntry } from './platform.js';
import { EPOCH_MS, type Surroundings } from './process.js';
import { NEWEST, type Profile } from './profile.js';

interface World extends Decided {
  /** The shop, which heard nothing of the money that was given back, refunds as much as was left before. */
  refund: (entry: LedgerEntry, amount: number) => void;
}

type What = Pick<Settled, 'outcome' | 'result' | 'transactionId' | 'amount' | 'reference'>;

/**
 * Two people who look up a conflict in the platform's books, and state what it came to: a result stands, or they give money back. Some state it of an
 * order that has moved on since they looked, some alone: none of these may count.
 */
export class Settlers {
  readonly #seen = new Set<string>();
  #said = 0;

  constructor(
    private readonly around: Surroundings,
    private readonly world: World,
    private readonly settles: NonNullable<Profile['settles']>,
  ) {}

  /** Call it after the referee has folded the record. A conflict is looked at once its operation has ended, which may be never. */
  landed({ key, record }: Landed): void {
    const order = this.world.referee.order(key);
    const { random, scheduler } = this.around;
    for (const { id, commandId } of conflictsOf(order)) {
      const { phase = 'ended' } = findOperation(order, commandId ?? '') ?? {};
      if (phase !== 'ended' || this.#seen.has(`${key} ${id}`)) continue;
      this.#seen.add(`${key} ${id}`);
      scheduler.after(random.between(0, this.settles.withinMs), `people look at conflict ${id}`, () =>
        this.#look(key, id, 3),
      );
    }
    if (record.record === 'OUTCOME') this.#misreport(key, record.commandId);
  }

  /** The platform says of a payment that succeeded that it was refused. */
  #misreport(key: string, commandId: string): void {
    const { random, scheduler } = this.around;
    const { platform, referee } = this.world;
    const operation = findOperation(referee.order(key), commandId);
    const [entry] = platform.of(key, commandId);
    if (!operation || !entry || !isPayment(operation) || !hasSucceeded(operation)) return;
    if (!random.chance(this.settles.falseReports)) return;
    scheduler.after(random.between(0, 5_000), `the platform errs about ${commandId}`, () => platform.misreport(entry));
  }

  #look(key: string, id: string, looks: number): void {
    const { random, scheduler } = this.around;
    const order = this.world.referee.order(key);
    const conflict = conflictsOf(order).find((one) => one.id === id);
    if (conflict === undefined) return;
    const afterMs = random.chance(0.5) ? random.between(0, 2_000) : OPERATOR_MS / 5;
    const seen = standingOf(order);
    scheduler.after(afterMs, `people settle conflict ${id}`, () => this.#decide(key, conflict, seen, looks));
  }

  #decide(orderKey: string, conflict: Conflict, seen: string, looks: number): void {
    const { random, scheduler } = this.around;
    const { journal, referee } = this.world;
    const order = referee.order(orderKey);
    const entry = this.#entryOf(orderKey, conflict);
    const isAlone = random.chance(this.settles.alone);
    const hasMoved = standingOf(order) !== seen;
    const left = entry && this.world.platform.remaining(orderKey, entry.transactionId);
    const what = this.#what(conflict, entry, hasMoved || isAlone);
    if (what === undefined) return;
    const at = new Date(EPOCH_MS + scheduler.nowMs).toISOString();
    journal.landIfLed({
      ...{ record: 'SETTLED', ...inOrder(order, at), rulesVersion: NEWEST, conflict: conflict.id, ...what },
      ...{ actor: 'first', approvedBy: isAlone ? 'first' : 'second', reason: 'seen in the platform’s books', seen },
      proposal: `settlement ${++this.#said}`,
    });
    if (isAlone || hasMoved) {
      if (looks > 1) this.#look(orderKey, conflict.id, looks - 1);
    } else if (what.outcome === 'repaired' && left !== undefined && left > 0 && random.chance(0.8)) {
      scheduler.after(random.between(0, 3_000), `the shop refunds ${what.transactionId} too`, () =>
        this.world.refund(entry!, left),
      );
    }
  }

  /** The payment of ours that the conflict is about, in the books. Of two payments, any one. */
  #entryOf(orderKey: string, { commandId, payments = [] }: Conflict): LedgerEntry | undefined {
    const ours = payments.flatMap((one) => one.commandId ?? []);
    return this.world.platform.of(orderKey, ours.length > 0 ? this.around.random.pick(ours) : (commandId ?? ''))[0];
  }

  #what({ reason }: Conflict, entry: LedgerEntry | undefined, isVoid: boolean): What | undefined {
    const { random } = this.around;
    const { platform } = this.world;
    if (reason === 'never_granted') return undefined;
    if (entry?.standing === 'succeeded' && random.chance(this.settles.repairs)) {
      const { transactionId, request, amount } = entry;
      const isCaptured = platform.remaining(request.orderKey, transactionId) < amount;
      const most =
        request.operation === 'authorize' && isCaptured ? 0 : platform.remaining(request.orderKey, transactionId);
      const part = request.operation === 'authorize' || random.chance(0.4) ? 1 : random.next();
      const back = Math.floor(most * part);
      const reference = `B${this.#said + 1}`;
      if (back > 0 && request.operation !== 'refund' && request.operation !== 'void') {
        if (!isVoid) platform.giveBack(entry, back, reference, random.chance(0.5));
        return { outcome: 'repaired', transactionId, amount: back, reference };
      }
    }
    if (reason === 'two_payments_succeeded' || reason === 'paid_after_void') return { outcome: 'kept' };
    if (entry === undefined) return { outcome: 'kept', result: 'not_executed' };
    if (entry.standing === 'refused') return { outcome: 'kept', result: 'refused' };
    if (entry.standing !== 'succeeded') return undefined;
    const amount = entry.request.operation === 'void' ? {} : { amount: entry.amount };
    return { outcome: 'kept', result: 'succeeded', ...amount };
  }
}

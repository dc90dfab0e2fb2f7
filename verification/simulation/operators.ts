import {
  conflictsOf,
  findOperation,
  hasSucceeded,
  inOrder,
  isInDoubt,
  isPayment,
  isWaiting,
  standingOf,
  type Conflict,
  type OperationState,
  type Settled,
} from '@tranche/order-journal';
import { lookedUp, operatorsReport } from './evidence.js';
import type { LedgerEntry } from './platform.js';
import { EPOCH_MS } from './process.js';
import { NEWEST, type Profile } from './profile.js';
import type { World } from './world.js';

/** An operator's "not executed" needs an INTENT of this age: ten times send deadline and time-out together (R5). */
export const OPERATOR_MS = 50_000;
/** Milliseconds. The fold requires a quarter of an hour by the writers' clocks. */
const QUARTER_MS = 900_000;
/** Milliseconds. Where the writers' clocks may differ. */
const BOOKS_MS = 2_400_000;
/** After so many looks, a doubt is left to its evidence. */
const LOOKS_AT_DOUBT = 2;
const LOOKS_AT_CONFLICT = 3;

/** Looks up waiting and doubtful operations. An operator also reports on waiting ones, a day after their begin or an hour too early. */
export function lookAfter({ env: { random, scheduler }, referee, platform, journal }: World): void {
  for (const [key, { operations }] of referee.orders) {
    for (const { commandId } of operations) {
      const present = () => findOperation(referee.order(key), commandId)!;
      const [entry] = platform.of(key, commandId);
      const isDoubt = isInDoubt(present());
      if (entry === undefined || !(isWaiting(present()) || isDoubt)) continue;
      const now = new Date(EPOCH_MS + scheduler.nowMs).toISOString();
      const { request, transactionId, execCode } = entry;
      if (isDoubt && entry.standing === 'redirect_required' && random.chance(0.3)) {
        // The process was paused between the answer and its OUTCOME.
        const { attempt, token } = request.by;
        const ofAttempt = { ...inOrder(referee.order(key), now), commandId, attempt, token: present().token ?? token };
        const answer = { execCode, transactionId, redirectHtml: 'PGh0bWw+' };
        journal.land({ record: 'OUTCOME', ...ofAttempt, result: 'redirect_required', answer });
      }
      if (random.chance(0.3)) journal.land(lookedUp(entry, now));
      const operation = present();
      const { phase, since = '', saidNotExecutedAt } = operation;
      if (!isWaiting({ phase }) || random.chance(0.5)) continue;
      const isEarly = saidNotExecutedAt === undefined && random.chance(0.3);
      if (isWaiting({ phase: entry.standing as typeof phase })) platform.cancel(entry);
      const at = new Date(Date.parse(since) + (isEarly ? 23 : 24) * 3_600_000).toISOString();
      journal.land(operatorsReport(key, operation, entry, at));
      if (isEarly && present().phase !== phase)
        referee.report('wrongOutcome', `an operator's word on ${commandId} counted an hour early`);
    }
  }
}

/** Looks at every doubt that is old enough, and reports the result in the platform's books. */
export function operate(world: World): void {
  const { env, referee, platform, journal } = world;
  const { random, scheduler } = env;
  for (const [key, order] of referee.orders) {
    for (const operation of order.operations.filter(isInDoubt)) {
      const intent = world.intentOf(key, operation.token);
      if (!intent || scheduler.nowMs - intent.atMs < OPERATOR_MS || random.chance(0.3)) continue;
      const at = new Date(EPOCH_MS + scheduler.nowMs + BOOKS_MS).toISOString();
      journal.land(operatorsReport(key, operation, platform.of(key, operation.commandId)[0], at));
    }
  }
}

/** The order as people saw it, in an index that stands still from then on, and an entry in the platform's books, which may be late. */
interface View {
  orderKey: string;
  operation: OperationState;
  seen: string;
  entry: LedgerEntry | undefined;
}

/**
 * Two people say what became of a doubt, about a minute after they looked. If no record of the order came in that minute, they look into the
 * platform's books again first; so they are wrong only if a record came that says otherwise.
 */
export function resolveDoubts(world: World, { withinMs, lateBooks }: NonNullable<Profile['staleViews']>): void {
  const { env, journal, platform, referee } = world;
  const { random, scheduler } = env;
  let proposals = 0;

  const lookLater = (orderKey: string, commandId: string, looks: number): void => {
    scheduler.after(random.between(0, withinMs), `people look at ${commandId}`, () => {
      const order = referee.order(orderKey);
      const operation = findOperation(order, commandId);
      if (operation === undefined || !isInDoubt(operation)) return;
      const [executed] = platform.of(orderKey, commandId);
      const entry = random.chance(lateBooks) ? undefined : executed;
      const view = { orderKey, operation, seen: standingOf(order), entry };
      const saidAfterMs = OPERATOR_MS + random.between(0, 15_000);
      scheduler.after(saidAfterMs, `people say what became of ${commandId}`, () => decide(view, looks));
    });
  };

  const decide = ({ orderKey, operation, seen, entry }: View, looks: number): void => {
    const { commandId } = operation;
    const hasMoved = standingOf(referee.order(orderKey)) !== seen;
    const known = hasMoved ? entry : platform.of(orderKey, commandId)[0];
    const at = new Date(EPOCH_MS + scheduler.nowMs + QUARTER_MS).toISOString();
    const statement = {
      ...operatorsReport(orderKey, operation, known, at),
      ...{ rulesVersion: NEWEST, seen, approvedBy: 'second', proposal: `proposal ${++proposals}` },
    };
    journal.landIfLed(statement);
    // The approver heard no answer, and approves again.
    if (random.chance(0.3))
      scheduler.after(random.between(0, 10_000), `people repeat what became of ${commandId}`, () =>
        journal.landIfLed({ ...statement, at: new Date(Date.parse(at) + 20_000).toISOString() }),
      );
    const after = findOperation(referee.order(orderKey), commandId);
    if (after === undefined) return;
    if (isInDoubt(after) && looks < LOOKS_AT_DOUBT) lookLater(orderKey, commandId, looks + 1);
    if (after.end === 'not_executed') world.sendAgain(commandId);
  };

  journal.onLanded(({ key, record }) => {
    if (record.record === 'IN_DOUBT') lookLater(key, record.commandId, 1);
  });
}

type Statement = Pick<Settled, 'outcome' | 'result' | 'transactionId' | 'amount' | 'reference'>;

/**
 * Two people look up a conflict in the platform's books, and state what it came to: a result stands, or they give money back. Some state it of an
 * order that has moved on since they looked, some alone: none of these may count.
 */
export function settleConflicts(world: World, settles: NonNullable<Profile['settles']>): void {
  const { env, journal, platform, referee } = world;
  const { random, scheduler } = env;
  const seenConflicts = new Set<string>();
  let settlements = 0;

  const look = (orderKey: string, id: string, looks: number): void => {
    const order = referee.order(orderKey);
    const conflict = conflictsOf(order).find((one) => one.id === id);
    if (conflict === undefined) return;
    const afterMs = random.chance(0.5) ? random.between(0, 2_000) : OPERATOR_MS / 5;
    const seen = standingOf(order);
    scheduler.after(afterMs, `people settle conflict ${id}`, () => decide(orderKey, conflict, seen, looks));
  };

  const decide = (orderKey: string, conflict: Conflict, seen: string, looks: number): void => {
    const order = referee.order(orderKey);
    const entry = entryOf(orderKey, conflict);
    const isAlone = random.chance(settles.alone);
    const hasMoved = standingOf(order) !== seen;
    const left = entry && platform.remaining(orderKey, entry.transactionId);
    const statement = statementOf(conflict, entry, hasMoved || isAlone);
    if (statement === undefined) return;
    const at = new Date(EPOCH_MS + scheduler.nowMs).toISOString();
    journal.landIfLed({
      ...{ record: 'SETTLED', ...inOrder(order, at), rulesVersion: NEWEST, conflict: conflict.id, ...statement },
      ...{ actor: 'first', approvedBy: isAlone ? 'first' : 'second', reason: 'seen in the platform’s books', seen },
      proposal: `settlement ${++settlements}`,
    });
    if (isAlone || hasMoved) {
      if (looks > 1) look(orderKey, conflict.id, looks - 1);
    } else if (statement.outcome === 'repaired' && left !== undefined && left > 0 && random.chance(0.8)) {
      scheduler.after(random.between(0, 3_000), `the shop refunds ${statement.transactionId} too`, () =>
        world.refund(entry!, left),
      );
    }
  };

  /** The payment of ours that the conflict is about, in the books. Of two payments, any one. */
  const entryOf = (orderKey: string, { commandId, payments = [] }: Conflict): LedgerEntry | undefined => {
    const ours = payments.flatMap((one) => one.commandId ?? []);
    return platform.of(orderKey, ours.length > 0 ? random.pick(ours) : (commandId ?? ''))[0];
  };

  const statementOf = (
    { reason }: Conflict,
    entry: LedgerEntry | undefined,
    isVoid: boolean,
  ): Statement | undefined => {
    if (reason === 'never_granted') return undefined;
    if (entry?.standing === 'succeeded' && random.chance(settles.repairs)) {
      const { transactionId, request, amount } = entry;
      const remaining = platform.remaining(request.orderKey, transactionId);
      const most = request.operation === 'authorize' && remaining < amount ? 0 : remaining;
      const part = request.operation === 'authorize' || random.chance(0.4) ? 1 : random.next();
      const back = Math.floor(most * part);
      const reference = `B${settlements + 1}`;
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
  };

  /** The platform says of a payment that succeeded that it was refused. */
  const misreport = (key: string, commandId: string): void => {
    const operation = findOperation(referee.order(key), commandId);
    const [entry] = platform.of(key, commandId);
    if (!operation || !entry || !isPayment(operation) || !hasSucceeded(operation)) return;
    if (!random.chance(settles.falseReports)) return;
    scheduler.after(random.between(0, 5_000), `the platform errs about ${commandId}`, () => platform.misreport(entry));
  };

  journal.onLanded(({ key, record }) => {
    const order = referee.order(key);
    for (const { id, commandId } of conflictsOf(order)) {
      // A conflict is looked at once its operation has ended, which may be never.
      const { phase = 'ended' } = findOperation(order, commandId ?? '') ?? {};
      if (phase !== 'ended' || seenConflicts.has(`${key} ${id}`)) continue;
      seenConflicts.add(`${key} ${id}`);
      const afterMs = random.between(0, settles.withinMs);
      scheduler.after(afterMs, `people look at conflict ${id}`, () => look(key, id, LOOKS_AT_CONFLICT));
    }
    if (record.record === 'OUTCOME') misreport(key, record.commandId);
  });
}

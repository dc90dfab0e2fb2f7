import type { PaymentEvent } from '@tranche/contracts';
import { findOperation, isInDoubt, untagExtraData, type OperationState, type OrderState } from '@tranche/order-journal';
import type { SimulatedIndex } from './order-index.js';
import { isOtherAmount } from './platform.js';
import type { LedgerEntry, SimulatedPlatform } from './platform.js';
import { checkSecondPayments, commandIdOf, isShownUndecided, paidOf, untrueConflict } from './ledger-guards.js';
import { finalOf, type Referee } from './referee.js';

export interface FinalCounts {
  operations: number;
  inDoubt: number;
  falseDoubt: number;
}

/** At rest, compares the reported results with the ledger and looks for anything missing. */
export function finalCheck(
  referee: Referee,
  { platform, index }: { platform: SimulatedPlatform; index: SimulatedIndex },
): FinalCounts {
  const seen: FinalCounts = { operations: 0, inDoubt: 0, falseDoubt: 0 };
  for (const [key, order] of referee.orders) {
    for (const operation of order.operations) {
      seen.operations++;
      const executed = platform.of(key, operation.commandId);
      if (isInDoubt(operation)) {
        seen.inDoubt++;
        if (executed.length === 0) seen.falseDoubt++;
      }
      // A notification that may be of its void as well is a candidate; operators see it on the order.
      const isCandidate = executed.some((entry) => isShownUndecided(order, entry));
      const isUnknown = isCandidate || isOfLostRecords(referee, platform, key, operation);
      const wrong = isUnknown ? undefined : wrongIn(operation, executed);
      if (wrong !== undefined)
        referee.report('wrongOutcome', `${operation.commandId} is ${operation.end ?? operation.phase}, but ${wrong}`);
    }
  }
  compareEvents(referee, platform);
  checkSecondPayments(referee, platform);
  checkBackOffice(referee, platform);
  for (const [key, order] of referee.orders) {
    if (JSON.stringify(index.order(key)) !== JSON.stringify(order))
      referee.report('indexWrong', `the index holds another state of ${key} than the journal`);
  }
  return seen;
}

/**
 * Lost records can make a kept state wrong without a fault of ours. An untagged notification may belong to a lost command or attempt, but
 * is matched with what is kept; and evidence about a kept attempt ignores a later one that was lost (docs/guide/4-when-things-fail.md, "What was not
 * tested, and what remains").
 */
function isOfLostRecords(
  referee: Referee,
  { ledger }: SimulatedPlatform,
  key: string,
  { commandId, operation, attempt, end }: OperationState,
): boolean {
  if (!referee.lost.has(key)) return false;
  const isOfLostAttempt = ({ request: { orderKey, by } }: LedgerEntry) =>
    orderKey === key && by.commandId === commandId && by.attempt > attempt;
  if (end === 'not_executed' && ledger.some(isOfLostAttempt)) return true;
  return ledger.some(
    ({ request, standing }) =>
      request.orderKey === key &&
      request.operation === operation &&
      standing === end &&
      untagExtraData(request.extraData).tag === undefined &&
      findOperation(referee.order(key), request.by.commandId) === undefined,
  );
}

function wrongIn(operation: OperationState, executed: LedgerEntry[]): string | undefined {
  const has = (standing: LedgerEntry['standing']) => executed.some((entry) => entry.standing === standing);
  switch (operation.phase) {
    case 'ended':
      if (operation.end === 'succeeded') return has('succeeded') ? wrongSum(operation, executed) : 'nothing succeeded';
      if (operation.end === 'refused') return has('refused') && !has('succeeded') ? undefined : 'nothing was refused';
      if (operation.end === 'expired') return executed.length > 0 ? undefined : 'nothing was executed';
      return executed.length === 0 ? undefined : 'it was executed';
    case 'redirect_required':
    case 'pending': {
      if (executed.length === 0) return 'nothing was executed';
      const reported = executed.find(
        ({ standing, isReported }) => isReported && (standing === 'succeeded' || standing === 'refused'),
      );
      return reported ? `its notification says ${reported.standing}` : undefined;
    }
    case 'in_doubt':
    case 'idle':
    case 'open':
      return undefined;
  }
}

/** An amount that is not said to be assumed is what the platform moved, unless it named another one. */
function wrongSum(
  { amount, otherAmounts, isAmountAssumed, isAmountDisputed }: OperationState,
  executed: LedgerEntry[],
): string | undefined {
  const said = otherAmounts?.at(-1) ?? amount;
  const entry = executed.find(({ standing }) => standing === 'succeeded');
  if (entry === undefined || said === undefined || isAmountAssumed || isAmountDisputed || isOtherAmount(entry))
    return undefined;
  return said === entry.amount ? undefined : `${entry.amount} was moved, not ${said}`;
}

const wrongAmount = ({ otherAmount }: PaymentEvent, executed: LedgerEntry[]): string | undefined =>
  executed.some((entry) => isOtherAmount(entry) && entry.amount === otherAmount)
    ? undefined
    : `it was not ${otherAmount}`;

/** Every event that the journal requires must be published as often as required, and must not contradict the ledger. */
function compareEvents(referee: Referee, platform: SimulatedPlatform): void {
  for (const { event, times, offset } of referee.expected) {
    const { type, subject: key = '', data } = event;
    const { commandId, outcome, flags: all = [] } = data;
    const published = referee.published.get(event.id)?.count ?? 0;
    // A repetition is left out while the index lacks its page.
    const isPageLost = published > 0 && data.redirectHtml !== undefined;
    if (published < times && !isPageLost)
      referee.report('eventsBroken', `${type} of ${key} was published ${published} times, asked for ${times}`);
    const executed = platform.of(key, commandId ?? '');
    const wrongAmountOf =
      all.includes('other_amount') && type !== 'payment.conflict.settled' ? wrongAmount(data, executed) : undefined;
    if (wrongAmountOf !== undefined)
      referee.report('wrongOutcome', `another amount was reported of ${commandId}, and ${wrongAmountOf}`);
    const flags = all.filter((flag) => flag !== 'other_amount' && flag !== 'other_currency');
    const isCancelled = ({ transactionId }: LedgerEntry) => {
      const since = referee.cancelled.get(`${key} ${transactionId}`);
      return since !== undefined && since < offset;
    };
    const paid = paidOf(key, platform.ledger).filter((entry) => !isCancelled(entry));
    const isDenied = executed.some(({ wasDenied }) => wasDenied);
    const untrue =
      type === 'payment.conflict.detected' &&
      !referee.lost.has(key) &&
      !platform.ledger.some(({ request, wasMisreported }) => wasMisreported && request.orderKey === key) &&
      (flags.length > 0 || all.length === 0)
        ? untrueConflict(flags, commandId, paid.map(commandIdOf), isDenied)
        : undefined;
    if (untrue !== undefined)
      referee.report('wrongOutcome', `a conflict was reported of ${commandId} (${flags.join(', ')}), and ${untrue}`);
    const end = finalOf(type, outcome);
    const operation = findOperation(referee.order(key), commandId ?? '');
    if (end === undefined || !operation) continue;
    const ended: OperationState = { ...operation, phase: 'ended', end: end as OperationState['end'] };
    const wrong = isOfLostRecords(referee, platform, key, ended) ? undefined : wrongIn(ended, executed);
    if (wrong !== undefined) referee.report('wrongOutcome', `${type} was published of ${commandId}, but ${wrong}`);
  }
  for (const id of referee.published.keys()) {
    if (!referee.lost.events.has(id) && !referee.expected.some(({ event }) => event.id === id))
      referee.report('eventsBroken', `event ${id} is not of the journal`);
  }
}

/** A failure with the EXECCODE of ours says nothing new where an attempt of ours without a TRANSACTIONID may be its source (docs/decisions/0006). */
const isTakenForOurs = (
  { operations }: OrderState,
  { operation, execCode }: SimulatedPlatform['byHand'][number],
): boolean =>
  execCode !== '0000' &&
  operations.some(
    ({ operation: kind, end, latest, attempts }) =>
      kind === operation &&
      end === 'refused' &&
      latest?.body.execCode === execCode &&
      attempts.some(
        ({ isTagged, transactionId, closed }) => !isTagged && transactionId === undefined && closed !== 'unsent',
      ),
  );

/** The back office made these operations: each must be published as external, or be listed as a candidate. */
export function checkBackOffice(
  referee: Pick<Referee, 'order' | 'expected' | 'report'>,
  { byHand }: Pick<SimulatedPlatform, 'byHand'>,
): void {
  for (const made of byHand) {
    const { orderKey, operation, transactionId } = made;
    const events = referee.expected.filter(
      ({ event: { subject, data } }) => subject === orderKey && data.transactionId === transactionId,
    );
    const [asOurs] = events.filter(({ event: { data } }) => data.commandId !== undefined && !data.transactionAssumed);
    if (asOurs)
      referee.report(
        'wrongOutcome',
        `${asOurs.event.type} was published of ${asOurs.event.data.commandId} with ${transactionId}, a ${operation} of the back office`,
      );
    const order = referee.order(orderKey);
    const isCandidate = order.unmatchedEvidence.some(({ answer }) => answer.transactionId === transactionId);
    if (events.length === 0 && !isCandidate && !isTakenForOurs(order, made))
      referee.report(
        'lost',
        `${transactionId}, a ${operation} of the back office, is neither published nor a candidate`,
      );
  }
}

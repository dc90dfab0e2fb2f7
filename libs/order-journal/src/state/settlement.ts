import { compact, copyWith } from '@tranche/runtime';
import { conflictsOf, factsOf, type Conflict } from './conflicts.js';
import type { Change } from './history.js';
import { findOperation, type EventBody, type OperationState, type OrderState, type Repair } from './order-state.js';
import type { Settled } from './records.js';
import { bind } from './terms.js';
import { publish, put, withOrder } from './transitions.js';

/** Why a statement has no effect; a field that is missing, or that contradicts the order. */
export type Unsettled = 'conflict_unknown' | 'one_person' | 'operation_not_ended' | StatedField;
type StatedField = 'result' | 'transactionId' | 'amount' | 'reference';

/**
 * Makes what two people stated of a conflict count: guards build on it, and the conflict is gone. What stands replaces what was reported; money that
 * was given back is taken off what may be refunded, and a success of which nothing is left takes no money any more.
 */
export function settle(change: Change, record: Settled): Change | Unsettled {
  const { order } = change;
  if (record.approvedBy === record.actor) return 'one_person';
  const conflict = conflictsOf(order).find(({ id }) => id === record.conflict);
  if (conflict === undefined) return 'conflict_unknown';
  const operation = findOperation(order, conflict.commandId ?? '');
  if (operation !== undefined && operation.phase !== 'ended') return 'operation_not_ended';
  const stated =
    record.outcome === 'kept' ? kept(order, conflict, operation, record) : repaired(order, conflict, record);
  if (typeof stated === 'string') return stated;
  const facts = [...conflict.facts, ...(stated.operation ? factsOf(operation!) : [])];
  const settled = [...new Set([...(order.settled ?? []), ...facts])];
  const next = withOrder(change, { ...stated.order, settled });
  return publishSettled(next, conflict, stated.operation ?? operation, record);
}

interface Stated {
  order: Partial<OrderState>;
  /** The operation of which a result stands. */
  operation?: OperationState;
}

const OF_OPERATION = ['other_result', 'other_amount', 'other_currency', 'transaction_assumed'];

function kept(
  { unauthorizedOutcomes, external }: OrderState,
  { reason, commandId, transactionId }: Conflict,
  operation: OperationState | undefined,
  record: Settled,
): Stated | StatedField {
  const { result } = record;
  // All of the payments stand as they are.
  if (reason === 'two_payments_succeeded' || reason === 'paid_after_void') return { order: {} };
  if (result === undefined) return 'result';
  const settled = result === 'succeeded' ? 'succeeded' : 'refused';
  if (reason === 'never_granted')
    return {
      order: {
        unauthorizedOutcomes: (unauthorizedOutcomes ?? []).map((one) =>
          one.commandId === commandId ? { ...one, settled } : one,
        ),
      },
    };
  if (operation === undefined || !OF_OPERATION.includes(reason)) {
    const isOverruled = (one: OrderState['external'][number]) =>
      one.transactionId === transactionId && one.result !== settled;
    return { order: { external: external.map((one) => (isOverruled(one) ? { ...one, isOverruled: true } : one)) } };
  }
  const stands = standing(operation, record);
  return typeof stands === 'string' ? stands : { order: {}, operation: stands };
}

/** The operation as it stands. */
function standing(operation: OperationState, { result, transactionId, amount }: Settled): OperationState | StatedField {
  const { conflictingReports = [], attempts, otherAmounts, isAmountDisputed } = operation;
  const reported = [operation, ...attempts, ...conflictingReports].flatMap((one) => one.transactionId ?? []);
  if (transactionId !== undefined && reported.length > 0 && !reported.includes(transactionId)) return 'transactionId';
  const isOpen = otherAmounts !== undefined || isAmountDisputed;
  if (result === 'succeeded' && isOpen && amount === undefined) return 'amount';
  const bound = transactionId === undefined ? operation : bind(operation, operation.attempt, transactionId);
  return compact(
    copyWith(bound, {
      end: result,
      mayYetSucceed: undefined,
      conflictingReports: undefined,
      isTransactionAssumed: undefined,
      otherAmounts: undefined,
      isAmountDisputed: undefined,
      ...(amount === undefined ? {} : { amount, isAmountAssumed: undefined }),
    }),
  );
}

function repaired(order: OrderState, conflict: Conflict, record: Settled): Stated | StatedField {
  const { amount = 0, reference, transactionId = conflict.transactionId } = record;
  if (!(amount > 0)) return 'amount';
  if (transactionId === undefined) return 'transactionId';
  const { repairs = [] } = order;
  if (reference === undefined || repairs.some((one) => one.reference === reference)) return 'reference';
  const given = repairs.reduce((sum, one) => (one.transactionId === transactionId ? sum + one.amount : sum), amount);
  const isWhole = given >= mostTaken(order, transactionId) ? true : undefined;
  const repair: Repair = compact({ transactionId, amount, reference, isWhole });
  return { order: { repairs: [...repairs, repair] } };
}

/** The most that a success may have taken by any report; infinite where no report or command names its amount. */
function mostTaken({ operations, external, unauthorizedOutcomes = [] }: OrderState, transactionId: string): number {
  const ours = operations.filter((one) =>
    [one, ...(one.conflictingReports ?? [])].some((report) => report.transactionId === transactionId),
  );
  const others = [...external, ...unauthorizedOutcomes].filter((one) => one.transactionId === transactionId);
  const amounts = [
    ...ours.flatMap(({ amount, otherAmounts = [] }) => [amount, ...otherAmounts]),
    ...others.map(({ amount }) => amount),
  ];
  return amounts.length === 0 ? Infinity : Math.max(...amounts.map((amount) => amount ?? Infinity));
}

function publishSettled(
  change: Change,
  conflict: Conflict,
  operation: OperationState | undefined,
  record: Settled,
): Change {
  const { outcome: settlement, result: outcome, amount, reference, transactionId = conflict.transactionId } = record;
  const body: EventBody = compact({
    settlement,
    outcome,
    transactionId,
    origin: 'operator' as const,
    flags: [conflict.reason],
    ...(settlement === 'repaired' ? { repairedAmount: amount, repairReference: reference } : {}),
  });
  const about = operation === undefined ? { commandId: conflict.commandId, operation: conflict.operation } : {};
  const isOther = operation !== undefined && operation.end !== findOperation(change.order, operation.commandId)?.end;
  const stated = operation === undefined ? change : put(change, operation);
  const next = publish(stated, 'payment.conflict.settled', operation, compact({ ...about, ...body }));
  // A repeated command is told what stands.
  return isOther ? put(next, operation, next.events.at(-1)!.event) : next;
}

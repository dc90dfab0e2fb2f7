import { compact } from '@tranche/runtime';
import type { FaultCode, OperationKind } from '@tranche/contracts';
import { operationTag } from './extradata-tag.js';
import { fold, type Folded } from './fold.js';
import { findOperation, isPayment, type OrderState } from './order-state.js';
import type { EvidenceRecord, Intent, JournalRecord } from './records.js';
import { inOrder } from './versions.js';

/** An operation that a shop may ask for, and the reason why the order as it is refuses it. */
interface Asked {
  operation: OperationKind;
  transactionId?: string;
  code?: FaultCode;
}

/** Consequences of a record that nobody has appended. */
export interface WhatIf extends Folded {
  /** Operations that are granted then and are refused now; `code`: why they are. */
  opens: Asked[];
  /** Operations that are granted now and are refused then; `code`: why they will be. */
  closes: Asked[];
  /** Results of its operation whose notification would be a conflict then. */
  conflictsWith: ('succeeded' | 'refused' | 'not_executed')[];
}

const RESULTS = ['succeeded', 'refused', 'not_executed'] as const;

/** Folds a record that nobody has appended, and then what may come after it: the fold judges all of it, and nothing else does. */
export function whatIf(order: OrderState, record: JournalRecord, commandId: string | undefined): WhatIf {
  const then = foldNext(order, record);
  const probes = intentsOn(then.order, record);
  const opens: Asked[] = [];
  const closes: Asked[] = [];
  for (const intent of probes) {
    const [before, after] = [refusalOf(order, intent), refusalOf(then.order, intent)];
    const { operation, transactionId } = intent;
    if ((before === undefined) === (after === undefined)) continue;
    (after === undefined ? opens : closes).push(compact({ operation, transactionId, code: after ?? before }));
  }
  return { ...then, opens, closes, conflictsWith: conflictsWith(then.order, record, commandId) };
}

const foldNext = (order: OrderState, record: JournalRecord): Folded =>
  fold(order, record, BigInt(order.lastOffset) + 1n);

/** Undefined where the intent is granted. */
function refusalOf(order: OrderState, intent: Intent): FaultCode | undefined {
  const { order: judged, effects } = foldNext(order, intent);
  if (judged.verdicts.at(-1)?.[1] === 'granted') return undefined;
  return effects[0]?.event.body.faults?.[0]?.code ?? 'order_in_doubt';
}

/** Intents of a new payment, and of each follow-up of an operation that has a TRANSACTIONID. */
function intentsOn(order: OrderState, { at, rulesVersion }: JournalRecord): Intent[] {
  const [first] = order.operations;
  if (first === undefined) return [];
  const { method, currency } = first;
  const intent = (operation: OperationKind, transactionId?: string): Intent =>
    compact({
      ...({ record: 'INTENT', ...inOrder(order, at), rulesVersion, commandId: '?', attempt: 1, token: '?' } as const),
      operation,
      method,
      currency,
      contentHash: '?',
      transactionId,
    });
  const followUps = order.operations.flatMap(({ operation, transactionId }) => {
    if (transactionId === undefined) return [];
    if (operation === 'authorize') return [intent('capture', transactionId), intent('void', transactionId)];
    return operation === 'capture' || operation === 'pay' ? [intent('refund', transactionId)] : [];
  });
  return [intent(order.operations.find(isPayment)?.operation ?? 'authorize'), ...followUps];
}

function conflictsWith(
  order: OrderState,
  { at, rulesVersion }: JournalRecord,
  commandId = '',
): WhatIf['conflictsWith'] {
  const known = findOperation(order, commandId);
  if (known === undefined) return [];
  const { operation, attempt, transactionId } = known;
  const reported = (result: (typeof RESULTS)[number]): EvidenceRecord => ({
    record: 'EVIDENCE',
    ...inOrder(order, at),
    rulesVersion,
    source: 'notification',
    operation,
    result,
    tag: { operation: operationTag(commandId), attempt },
    answer: compact({ transactionId }),
  });
  const isConflict = (result: (typeof RESULTS)[number]) =>
    foldNext(order, reported(result)).effects.some(({ event }) => event.type === 'payment.conflict.detected');
  return RESULTS.filter(isConflict);
}

import {
  compact,
  evidenceResult,
  execCodeNotes,
  inOrder,
  untagExtraData,
  type EvidenceRecord,
  type OperationState,
} from '@tranche/order-journal';
import { MERCHANT } from './commands.js';
import type { LedgerEntry, SimulatedNotification } from './platform.js';

/** Makes the evidence that the gateway journals for a notification. */
export function evidenceOf(notification: SimulatedNotification, at: string): EvidenceRecord {
  const { orderKey, operation, execCode, transactionId, amount, currency } = notification;
  const { tag, extraData } = untagExtraData(notification.extraData);
  const identity = {
    record: 'EVIDENCE',
    ...inOrder({ merchant: MERCHANT, orderId: orderIdOf(orderKey) }, at),
  } as const;
  const optional = compact({ tag, extraData, currency, ...execCodeNotes(execCode) });
  const answer = compact({ execCode, transactionId, amount });
  return { ...identity, source: 'notification', operation, result: evidenceResult(execCode), answer, ...optional };
}

/** Makes an operator's report after a look into the platform's books: it is true, and late enough (R5). */
export function operatorsReport(
  orderKey: string,
  { commandId, attempt, operation }: OperationState,
  executed: LedgerEntry | undefined,
  at: string,
): EvidenceRecord {
  const { transactionId, execCode, amount } = executed ?? {};
  return {
    record: 'EVIDENCE',
    ...inOrder({ merchant: MERCHANT, orderId: orderIdOf(orderKey) }, at),
    source: 'operator',
    operation,
    result: executed?.standing ?? 'not_executed',
    commandId,
    attempt,
    actor: 'operator',
    reason: 'seen in the platform’s books',
    answer: compact({ transactionId, execCode, amount }),
    ...(executed?.execCode === '0004' ? { partial: true } : {}),
  };
}

/** Makes the evidence that the gateway journals for a look-up of a transaction. */
export function lookedUp({ request, transactionId, execCode, amount }: LedgerEntry, at: string): EvidenceRecord {
  const { orderKey, operation, extraData } = request;
  const shown = { orderKey, operation, execCode, transactionId, amount, ...compact({ extraData }) };
  return { ...evidenceOf(shown, at), source: 'look-up' };
}

/** Makes a notification of an external capture, before any command of the order. */
export const madeElsewhere = (orderKey: string, at: string): EvidenceRecord =>
  evidenceOf(
    { orderKey, operation: 'capture', execCode: '0000', transactionId: `E-${orderIdOf(orderKey)}`, amount: 5_000 },
    at,
  );

export const orderIdOf = (orderKey: string): string => orderKey.slice(orderKey.indexOf('/') + 1);

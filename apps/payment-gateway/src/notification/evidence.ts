import { execCode as execCodeOf, execCodeClass, type OperationKind, type PaymentNotification } from '@tranche/contracts';
import { boundedAnswer } from '../platform/bounded-answer.js';
import { compact, evidenceResult, RULES_VERSION, untagExtraData, type Evidence } from '@tranche/order-journal';

const KINDS: Readonly<Record<string, OperationKind>> = {
  authorization: 'authorize',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  payment: 'pay',
};

/** What the journal keeps of an OPERATIONTYPE that no operation of ours has; characters. */
const OPERATION_TYPE_CHARACTERS = 64;

/** What a notification says, as a journal record. An OPERATIONTYPE that no operation of ours has goes on as it stands (docs/decisions/0020). */
export function evidenceOf(notification: PaymentNotification, at: string): Evidence {
  const { merchant, orderId, operationType, execCode, transactionId, amount, message, descriptor, flags } = notification;
  const { externalEntityId, externalReference } = notification;
  const { tag, extraData } = untagExtraData(notification.extraData);
  const answer = boundedAnswer({ execCode, transactionId, amount, message, descriptor });
  const identity = { record: 'EVIDENCE', rulesVersion: RULES_VERSION, merchant, orderId, at, source: 'notification' } as const;
  const operation = Object.hasOwn(KINDS, operationType) ? KINDS[operationType] : undefined;
  const optional = compact({
    operation,
    operationType: operation === undefined ? operationType.slice(0, OPERATION_TYPE_CHARACTERS) || undefined : undefined,
    tag,
    extraData,
    externalEntityId,
    externalReference,
    flags: flags.length > 0 ? flags : undefined,
    partial: execCodeClass(execCode) === 'succeeded_partly' || undefined,
    mayBeDone: execCodeOf(execCode).maybeAlreadyDone || undefined,
  });
  return { ...identity, result: evidenceResult(execCode), answer, ...optional };
}

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

/** What a notification says, as a journal record. Undefined for an OPERATIONTYPE that no operation of ours has. */
export function evidenceOf(notification: PaymentNotification, at: string): Evidence | undefined {
  const operation = Object.hasOwn(KINDS, notification.operationType) ? KINDS[notification.operationType] : undefined;
  if (operation === undefined) return undefined;
  const { merchant, orderId, execCode, transactionId, amount, message, descriptor, externalEntityId, externalReference, flags } =
    notification;
  const { tag, extraData } = untagExtraData(notification.extraData);
  const answer = boundedAnswer({ execCode, transactionId, amount, message, descriptor });
  const identity = { record: 'EVIDENCE', rulesVersion: RULES_VERSION, merchant, orderId, at, source: 'notification' } as const;
  const optional = compact({
    tag,
    extraData,
    externalEntityId,
    externalReference,
    flags: flags.length > 0 ? flags : undefined,
    partial: execCodeClass(execCode) === 'succeeded_partly' || undefined,
    mayBeDone: execCodeOf(execCode).maybeAlreadyDone || undefined,
  });
  return { ...identity, operation, result: evidenceResult(execCode), answer, ...optional };
}

import type { PaymentNotification } from '@tranche/contracts';
import { compact, evidenceResult, RULES_VERSION, untagExtraData, type Evidence } from '@tranche/order-journal';
import { execCodeNotes, notifiedResult } from '@tranche/platform';

/** What a notification says, as a journal record. */
export function evidenceOf(notification: PaymentNotification, at: string): Evidence {
  const { merchant, orderId, execCode } = notification;
  const { extraData: returned, ...told } = notifiedResult(notification);
  const { tag, extraData } = untagExtraData(returned);
  const identity = { record: 'EVIDENCE', rulesVersion: RULES_VERSION, merchant, orderId, at, source: 'notification' } as const;
  return { ...identity, result: evidenceResult(execCode), ...told, ...compact({ tag, extraData }), ...execCodeNotes(execCode) };
}

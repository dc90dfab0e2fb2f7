import { orderKey } from '@tranche/contracts';
import { encodeRecord, type JournalRecord } from '@tranche/order-journal';
import type { Entry } from '../src/fold/journal-fold.js';

export const journalEntry = (record: JournalRecord, offset: number): Entry => ({
  key: orderKey(record.merchant, record.orderId),
  offset: BigInt(offset),
  value: encodeRecord(record),
});

/** An authorization of 250.00 EUR whose call timed out: INTENT and IN_DOUBT, at the offsets 0 and 1. */
export function aDoubtfulOrder(merchant: string, orderId: string): Entry[] {
  const of = {
    rulesVersion: 1,
    merchant,
    orderId,
    commandId: `command-of-${orderId}`,
    attempt: 1,
    token: `t-${orderId}`,
  };
  const intent: JournalRecord = {
    ...of,
    record: 'INTENT',
    at: '2026-03-01T10:00:00.000Z',
    operation: 'authorize',
    method: 'A',
    currency: 'EUR',
    amount: 25_000,
    contentHash: `hash-${orderId}`,
  };
  const doubt: JournalRecord = {
    ...of,
    record: 'IN_DOUBT',
    at: '2026-03-01T10:00:31.000Z',
    reason: 'timeout',
    message: 'No answer within 30000 ms',
  };
  return [intent, doubt].map(journalEntry);
}

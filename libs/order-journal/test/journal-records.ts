import type { JournalEntry } from '../src/journal/ports.js';
import { encodeRecord, type JournalRecord } from '../src/state/records.js';
import { RULES_VERSION } from '../src/state/versions.js';

export const inOrder = {
  rulesVersion: RULES_VERSION,
  merchant: 'shop-fr',
  orderId: 'o',
  at: '2026-03-01T10:00:00.000Z',
};
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'h' } as const;
export const intent: JournalRecord = {
  record: 'INTENT',
  ...inOrder,
  commandId: 'a',
  attempt: 1,
  token: 't',
  tag: 'x',
  ...terms,
};
export const redirect: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'redirect_required' },
  answer: { redirectHtml: 'PGE+' },
};
export const repeated: JournalRecord = { record: 'REPEATED', ...inOrder, commandId: 'a' };

export function recordsOf(first: bigint, ...records: JournalRecord[]): JournalEntry[] {
  return records.map((record, index) => ({
    key: `${record.merchant}/${record.orderId}`,
    offset: first + BigInt(index),
    value: encodeRecord(record),
    headers: { traceparent: '00-a-b-01' },
  }));
}

import { createHash, randomUUID } from 'node:crypto';
import { RULES_VERSION, type Intent, type JournalRecord } from '@tranche/order-journal';
import { MERCHANT } from '../commands.js';

export function intent(n: number): Intent {
  const commandId = randomUUID();
  return {
    record: 'INTENT',
    rulesVersion: RULES_VERSION,
    merchant: MERCHANT.merchant,
    orderId: `order-${n}`,
    at: new Date().toISOString(),
    commandId,
    attempt: 1,
    token: randomUUID(),
    operation: 'authorize',
    method: 'A',
    currency: 'EUR',
    amount: 30_000,
    contentHash: createHash('sha256').update(commandId).digest('base64url').slice(0, 27),
    tag: 'tr1.AAAAAAAAAAAA.1',
  };
}

export function outcome({ rulesVersion, merchant, orderId, commandId, attempt, token }: Intent): JournalRecord {
  const answer = {
    execCode: '0000',
    message: 'The transaction has been accepted.',
    transactionId: `T-${orderId}`,
    descriptor: 'BENCH SHOP',
  };
  const at = new Date().toISOString();
  return {
    record: 'OUTCOME',
    rulesVersion,
    merchant,
    orderId,
    at,
    commandId,
    attempt,
    token,
    result: 'succeeded',
    answer,
  };
}

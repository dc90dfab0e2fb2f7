import { operationIdOf } from './operation-id.js';

/** Answer to a decision that is in the journal, and that the owner of its partition has not folded yet. It may still turn out not to count. */
export interface RecordedDecision {
  id: string;
  merchant: string;
  orderId: string;
  commandId: string;
  /** Its journal record. */
  recorded: { partition: number; offset: string };
  detail: string;
  /** Path of the order, which shows the result once its `asOf` reaches this record. */
  lookAt: string;
}

export function recordedDecision(
  name: { merchant: string; orderId: string; commandId: string },
  recorded: { partition: number; offset: bigint },
): RecordedDecision {
  const { merchant, orderId } = name;
  return {
    id: operationIdOf(name),
    ...name,
    recorded: { partition: recorded.partition, offset: String(recorded.offset) },
    detail: 'The decision is recorded and not judged yet. Look at the order until its asOf reaches this record.',
    lookAt: `/v1/orders/${merchant}/${encodeURIComponent(orderId)}`,
  };
}

/** 202 for a decision that does not count yet: it waits for a second person, or for the owner of its partition. */
export const statusOfDecision = (answer: object): 200 | 202 =>
  'proposedBy' in answer || 'recorded' in answer ? 202 : 200;

import { pauseFor } from '@tranche/runtime';

/** What kafkajs throws when brokers can't be reached, or not the one that leads the group. */
const OUTAGES: ReadonlySet<string> = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionClosedError',
  'KafkaJSConnectionError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSRequestTimeoutError',
  // The token endpoint may be away.
  'OAuthBearerError',
]);

const runAgainAfterMs = 500;

/** Whether the error comes from an outage, which ends: kafkajs gives a consumer up for good where it finds no coordinator. */
export function isOutage(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (OUTAGES.has(cause.name)) return true;
  return false;
}

/** Runs a consumer again that kafkajs gave up in an outage, a moment later and unless it is to stop. Never rejects. */
export async function runAgain(
  run: () => Promise<void>,
  isStopping: () => boolean,
  onFailure: (error: unknown) => void,
): Promise<void> {
  await pauseFor(runAgainAfterMs);
  if (!isStopping()) await run().catch(onFailure);
}

import { pauseFor } from '@tranche/runtime';

const OUTAGES: ReadonlySet<string> = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionClosedError',
  'KafkaJSConnectionError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSRequestTimeoutError',
  // The token endpoint may be down.
  'OAuthBearerError',
]);

const runAgainAfterMs = 500;

/** Returns true for an outage, which will end. Without this, kafkajs would give up a consumer for good if it finds no coordinator. */
export function isOutage(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (OUTAGES.has(cause.name)) return true;
  return false;
}

/** Restarts a consumer that kafkajs gave up in an outage, after a delay and unless it is stopping. Never rejects. */
export async function runAgain(
  run: () => Promise<void>,
  isStopping: () => boolean,
  onFailure: (error: unknown) => void,
): Promise<void> {
  await pauseFor(runAgainAfterMs);
  if (!isStopping()) await run().catch(onFailure);
}

/** What kafkajs throws when brokers can't be reached, or not the one that leads the group. */
const OUTAGES: ReadonlySet<string> = new Set([
  'KafkaJSBrokerNotFound',
  'KafkaJSConnectionClosedError',
  'KafkaJSConnectionError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSRequestTimeoutError',
]);

/** How long after an outage a consumer that kafkajs gave up is run again. Milliseconds. */
export const runAgainAfterMs = 500;

/** Whether the error comes from an outage, which ends: kafkajs gives a consumer up for good where it finds no coordinator. */
export function isOutage(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) if (OUTAGES.has(cause.name)) return true;
  return false;
}

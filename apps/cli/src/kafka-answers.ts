import { waitForKafka, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { CannotTellError } from './exit.js';

const ANSWERS_WITHIN_S = 30;

/**
 * Resolves when a broker has answered. Until then each failure is printed on standard error, so that a person who waits sees the reason.
 * @throws CannotTellError with the last failure
 */
export async function kafkaAnswers(client: KafkaClient, withinS = ANSWERS_WITHIN_S): Promise<void> {
  let reason = 'no answer to the connection';
  const warn = (fields: { error?: string }, message: string) => {
    reason = fields.error ?? reason;
    console.error(`${message} for ${withinS} s in all (${reason})`);
  };
  await waitForKafka(client, { log: { ...silentLog, warn }, signal: AbortSignal.timeout(withinS * 1000) }).catch(() => {
    const next = 'compare KAFKA_BROKERS, KAFKA_SSL and KAFKA_SASL_MECHANISM with those of payment-gateway';
    throw new CannotTellError(
      `Kafka does not answer at ${client.brokers.join(', ')} within ${withinS} s (${reason}): ${next}`,
    );
  });
}

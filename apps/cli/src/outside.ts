import { setTimeout as delay } from 'node:timers/promises';
import { waitForKafka, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import type { RedisClient } from '@tranche/service-kit';
import { CannotTellError } from './exit.js';

const ANSWERS_WITHIN_S = 30;
const ASK_AGAIN_MS = 250;
/** A reader that Kafka refuses its group or its topic tries again for ever. */
const STALLED_AFTER_MS = 60_000;

/** `NAME`, and whether it is set: the default of a forgotten setting is the most frequent fault. */
const settingText = (name: string): string =>
  process.env[name] || process.env[`${name}_FILE`] ? name : `${name} is not set, this is its default`;

/**
 * Resolves when a broker has answered. Until then each failure is printed on standard error, so that a person who waits sees the reason.
 * @throws CannotTellError with setting, address, last failure and what to do
 */
export async function kafkaAnswers(client: KafkaClient, withinS = ANSWERS_WITHIN_S): Promise<void> {
  let reason = 'no answer to the connection';
  const warn = (fields: { error?: string }, message: string) => {
    reason = fields.error ?? reason;
    console.error(`${message} for ${withinS} s in all (${reason})`);
  };
  await waitForKafka(client, { log: { ...silentLog, warn }, signal: AbortSignal.timeout(withinS * 1000) }).catch(() => {
    throw new CannotTellError(
      `Kafka does not answer at ${client.brokers.join(', ')} (${settingText('KAFKA_BROKERS')}) within ${withinS} s: ${reason}\n` +
        '  next: start it, or set KAFKA_BROKERS and the other settings KAFKA_SSL… and KAFKA_SASL… as for payment-gateway',
    );
  });
}

/**
 * Resolves when Redis has answered; each new reason is printed until then.
 * @throws CannotTellError with setting, address, last failure and what to do
 */
export async function redisAnswers(redis: RedisClient, setting: string, withinS = ANSWERS_WITHIN_S): Promise<void> {
  const over = AbortSignal.timeout(withinS * 1000);
  for (let told = ''; ; await delay(ASK_AGAIN_MS)) {
    const reason = await redis.sendToEach(['PING']).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
    if (reason === undefined) return;
    if (over.aborted)
      throw new CannotTellError(
        `${reason} (${settingText(setting)}); no answer within ${withinS} s\n` +
          `  next: start it, or set ${setting} and the other settings REDIS_… as for payment-gateway`,
      );
    if (reason !== told) console.error(`${reason}; trying again for ${withinS} s in all`);
    told = reason;
  }
}

/** Ends a read of a topic that Kafka gives nothing for a minute. @throws CannotTellError */
export async function* unlessStalled<T>(
  topic: string,
  { brokers, clientId }: Pick<KafkaClient, 'brokers' | 'clientId'>,
  read: AsyncIterable<T>,
): AsyncGenerator<T> {
  const records = read[Symbol.asyncIterator]();
  const why =
    `${topic}: Kafka at ${brokers.join(', ')} (${settingText('KAFKA_BROKERS')}) gave no record for ${STALLED_AFTER_MS / 1000} s\n` +
    `  next: does this user have Read on it and on groups that begin with ${clientId}.?`;
  let isStalled = false;
  try {
    for (;;) {
      let watch: NodeJS.Timeout | undefined;
      const stall = new Promise<never>((_, reject) => {
        watch = setTimeout(() => {
          isStalled = true;
          reject(new CannotTellError(why));
        }, STALLED_AFTER_MS);
      });
      const next = await Promise.race([records.next(), stall]).finally(() => clearTimeout(watch));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // The end of a stalled read would never come.
    if (!isStalled) await records.return?.();
  }
}

import { randomUUID } from 'node:crypto';

export interface Infrastructure {
  /** `host:port`, comma-separated, as in KAFKA_BROKERS. */
  brokers: string;
  redisUrl: string;
}

/** The Kafka and Redis that `npm test` started, or that the environment names. */
export function infrastructure(env: NodeJS.ProcessEnv = process.env): Infrastructure {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = env;
  if (!brokers || !redisUrl) {
    throw new Error(
      'KAFKA_BROKERS and REDIS_URL are not set: run `npm test`, or `npm run stack -- --infra` and set what it prints',
    );
  }
  return { brokers, redisUrl };
}

/** A random topic prefix for one test. */
export function ownPrefix(): string {
  return `test-${randomUUID().slice(0, 8)}.`;
}

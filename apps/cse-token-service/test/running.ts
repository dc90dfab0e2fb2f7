import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { TOPICS, type CseEvent } from '@tranche/contracts';
import {
  eventsOf,
  infrastructure,
  ownPrefix,
  startApp,
  waitFor,
  type EventsOf,
  type RunningApp,
} from '@tranche/testing';
import { API_KEY_ID, merchantsFile, ORIGIN } from './cse-token-service.js';

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export interface RunningCse {
  app: RunningApp;
  ask(apiKeyId?: string, headers?: Record<string, string>): Promise<Answer>;
  /** Sum of the /metrics lines that start with `name`. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** Topics and Redis entries of one test, shared by its instances. */
export function ownWorld(): Record<'KAFKA_BROKERS' | 'KAFKA_TOPIC_PREFIX' | 'REDIS_URL' | 'REDIS_KEY_PREFIX', string> {
  const { brokers, redisUrl } = infrastructure();
  return {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: ownPrefix(),
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: `test-${randomUUID()}:`,
  };
}

/** Starts the built service as a process; with a Redis, waits until it is connected. */
export async function startCse(keysUrl: string, env: Record<string, string>): Promise<RunningCse> {
  const app = await startApp('cse-token-service', {
    CSE_KEYS_URL: keysUrl,
    CSE_ORIGINS: ORIGIN,
    MERCHANTS_FILE: merchantsFile(),
    CSE_TIMEOUT_MS: '30000',
    CSE_BACK_OFF_MS: '10',
    REDIS_ANSWER_MS: '10000',
    LOG_LEVEL: 'debug',
    ...env,
  });
  if (env.REDIS_URL === infrastructure().redisUrl)
    await waitFor(() => app.logs.some((line) => line.includes('connected to Redis')), {
      what: 'the connection to Redis',
    });
  return {
    app,
    ask: async (apiKeyId = API_KEY_ID, headers = {}) => {
      const response = await fetch(`${app.url}/v1/cse-keys`, {
        method: 'POST',
        headers: { origin: ORIGIN, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ apiKeyId }),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
    },
    metric: async (name) => {
      const text = await (await fetch(`${app.managementUrl}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line.startsWith(name));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    stop: async () => void (await app.stop()),
  };
}

/** Reads the events about keys of these services once their topic exists. */
export async function keyEvents({
  KAFKA_BROKERS,
  KAFKA_TOPIC_PREFIX,
}: ReturnType<typeof ownWorld>): Promise<EventsOf<CseEvent>> {
  return waitFor(() => eventsOf<CseEvent>(KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, TOPICS.cseEvents), {
    what: 'the topic of events',
    timeoutMs: 30_000,
  });
}

/** Names and values of this test's entries in Redis. */
export async function redisDump({
  REDIS_URL,
  REDIS_KEY_PREFIX,
}: ReturnType<typeof ownWorld>): Promise<Record<string, string>> {
  const redis = await createClient({ url: REDIS_URL }).connect();
  try {
    const dump: Record<string, string> = {};
    for await (const names of redis.scanIterator({ MATCH: `${REDIS_KEY_PREFIX}*` }))
      for (const name of names) dump[name] = `${await redis.get(name)} ttl=${await redis.ttl(name)}`;
    return dump;
  } finally {
    await redis.close();
  }
}

export function entriesOf(dump: Record<string, string>, part: string): [string, string][] {
  return Object.entries(dump).filter(([name]) => name.includes(part));
}

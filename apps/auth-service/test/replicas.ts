import { randomUUID } from 'node:crypto';
import { TOPICS, type AuthEvent } from '@tranche/contracts';
import { eventsOf, infrastructure, waitFor, type EventsOf } from '@tranche/testing';
import { createClient } from 'redis';
import {
  CLIENT_SECRET,
  ENCRYPTION_KEY,
  GATEWAY_KEY,
  OTHER_KEY,
  startAuthService,
  type AuthServiceUnderTest,
} from './auth-service.js';
import { startTokenApi, type TokenApi } from './token-api.js';

const { redisUrl } = infrastructure();
/** REDIS_ANSWER_MS for tests: a machine that stalls for a moment must not make a service ask the token API itself. */
export const PATIENT_MS = '4000';

export interface Entry {
  key: string;
  value: string;
  ttlMs: number;
}

/** Per test: a token API, and replicas of the service in this process with their own cache. At the end no log may contain a secret. */
export class Replicas {
  readonly redis = createClient({ url: redisUrl });
  readonly services: AuthServiceUnderTest[] = [];
  prefix = '';
  api!: TokenApi;

  constructor() {
    beforeAll(() => this.redis.connect());
    afterAll(() => this.redis.close());
    beforeEach(async () => {
      this.prefix = `test:${randomUUID()}:`;
      this.api = await startTokenApi();
    });
    afterEach(async () => {
      const services = this.services.splice(0);
      await Promise.all(services.map((service) => service.stop()));
      const left = await this.entries();
      if (left.length > 0) await this.redis.del(left.map(({ key }) => key));
      await this.api.close();
      const log = JSON.stringify(services.flatMap(({ lines }) => lines));
      for (const secret of [CLIENT_SECRET, GATEWAY_KEY, OTHER_KEY, ENCRYPTION_KEY, ...this.api.tokens])
        expect(log).not.toContain(secret);
    });
  }

  async start(env: Record<string, string> = {}): Promise<AuthServiceUnderTest> {
    const ours = {
      AUTH_URL: this.api.url,
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: this.prefix,
      REDIS_ANSWER_MS: PATIENT_MS,
    };
    const service = await startAuthService({ ...ours, ...env });
    this.services.push(service);
    await waitFor(async () => (await fetch(`${service.managementUrl}/health/ready`)).ok, {
      what: 'auth-service to be ready',
    });
    return service;
  }

  async entries(kind = ''): Promise<Entry[]> {
    const keys: string[] = [];
    for await (const batch of this.redis.scanIterator({ MATCH: `${this.prefix}${kind}*` })) keys.push(...batch);
    return Promise.all(
      keys.map(async (key) => ({ key, value: (await this.redis.get(key)) ?? '', ttlMs: await this.redis.pTTL(key) })),
    );
  }
}

export async function metricOf({ managementUrl }: AuthServiceUnderTest, name: string): Promise<string[]> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(name));
}

/** Reads a service's events once it has created its topic. */
export function authEventsOf(topicPrefix: string): Promise<EventsOf<AuthEvent>> {
  const { brokers } = infrastructure();
  const read = () => eventsOf<AuthEvent>(brokers, topicPrefix, TOPICS.authEvents);
  return waitFor(read, { what: 'the topic of auth-service', timeoutMs: 30_000 });
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, readdressed, repositoryRoot, TcpProxy } from '@tranche/testing';
import type { Planted } from './canaries/planted.js';
import type { Infrastructure } from './infrastructure.js';

export const MERCHANT = { name: 'shop-fr', identifier: 'Demo Shop FR' } as const;
/** Milliseconds after which a silent member of the group loses its partitions. */
const SESSION_MS = 2_500;
const PLATFORM_TIMEOUT_MS = 1_500;
const DOUBT_GRACE_MS = 500;
/** The platform retries often, so that it does not give up during an outage. */
const NOTIFICATION_RETRY_MS = ['300', '600', '1000', ...Array.from({ length: 60 }, () => '2000')].join(',');

export type Way = 'platform' | 'ingest' | 'kafka' | 'redis';
/** A service connects to these through their proxy only if the scenario wants it. */
export type Through = readonly ('kafka' | 'redis')[];

export interface RunSettings {
  /** Replaces the demo's merchants. */
  merchantsFile?: string;
  simulator?: Record<string, string>;
  gateway?: Record<string, string>;
  logLevel?: string;
  /** Secrets of this run. */
  planted?: Planted;
}

/** Addresses of the services, the proxies between them, and the settings that follow. */
export class Surroundings {
  private constructor(
    private readonly infrastructure: Infrastructure,
    private readonly topicPrefix: string,
    readonly proxies: Readonly<Record<Way, TcpProxy>>,
    private readonly ports: { ingest: number; simulator: number },
    private readonly merchantsFile: string,
    private readonly settings: RunSettings | undefined,
  ) {}

  static async open(
    infrastructure: Infrastructure,
    topicPrefix: string,
    settings?: RunSettings,
  ): Promise<Surroundings> {
    const { brokers, redisUrl, folder } = infrastructure;
    const [ingest, simulator] = await freePorts();
    const [host = '', port] = brokers.split(',')[0]!.split(':');
    const proxies: Record<Way, TcpProxy> = {
      platform: await TcpProxy.listen(() => `http://127.0.0.1:${simulator}`),
      ingest: await TcpProxy.listen(() => `http://127.0.0.1:${ingest}`),
      // Kafka's answers say where clients must connect.
      kafka: await TcpProxy.listen(() => `tcp://${host}:${port}`, {
        answers: () => readdressed(host, Number(port), () => proxies.kafka.port),
      }),
      redis: await TcpProxy.listen(() => redisUrl),
    };
    const merchantsFile = join(folder, `merchants-${simulator}.json`);
    writeFileSync(
      merchantsFile,
      JSON.stringify(merchantsNotifiedAt(`http://127.0.0.1:${proxies.ingest.port}`, settings?.merchantsFile)),
    );
    return new Surroundings(infrastructure, topicPrefix, proxies, { ingest, simulator }, merchantsFile, settings);
  }

  simulator(): Record<string, string> {
    return {
      PORT: String(this.ports.simulator),
      MERCHANTS_FILE: this.merchantsFile,
      NOTIFICATION_RETRY_MS,
      LATENCY_MS: '10-80',
      LOG_LEVEL: this.#logLevel,
      ...this.settings?.simulator,
    };
  }

  gateway(through: Through): Record<string, string> {
    const { redisUrl } = this.infrastructure;
    return {
      ...this.#kafka(through),
      REDIS_URL: through.includes('redis') ? this.proxies.redis.through(redisUrl) : redisUrl,
      PAYMENT_URL: `http://127.0.0.1:${this.proxies.platform.port}`,
      AUTH_SERVICE_KEY: 'not-used',
      OPERATORS_FILE: join(repositoryRoot(), 'config/operators.demo.json'),
      PLATFORM_TIMEOUT_MS: String(PLATFORM_TIMEOUT_MS),
      DOUBT_GRACE_MS: String(DOUBT_GRACE_MS),
      KAFKA_SESSION_TIMEOUT_MS: String(SESSION_MS),
      ...this.settings?.gateway,
    };
  }

  /** notification-ingest and its tools always have the same address. */
  ingest(through: Through = []): Record<string, string> {
    return { ...this.#kafka(through), REDIS_URL: this.infrastructure.redisUrl, PORT: String(this.ports.ingest) };
  }

  merchantsFileWith(settings: object): string {
    const file = `${this.merchantsFile}.${Object.keys(settings).join('.')}`;
    const merchants = JSON.parse(readFileSync(this.merchantsFile, 'utf8')) as object[];
    writeFileSync(file, JSON.stringify(merchants.map((merchant) => ({ ...merchant, ...settings }))));
    return file;
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.close()));
  }

  #kafka(through: Through): Record<string, string> {
    const brokers = through.includes('kafka') ? `127.0.0.1:${this.proxies.kafka.port}` : this.infrastructure.brokers;
    return {
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC_PREFIX: this.topicPrefix,
      MERCHANTS_FILE: this.merchantsFile,
      LOG_LEVEL: this.#logLevel,
    };
  }

  get #logLevel(): string {
    return this.settings?.logLevel ?? LOG_LEVEL;
  }
}

// At `warn` a service does not log its ports, and startApp waits for that line.
const LOG_LEVEL = process.env.LOG_LEVEL ?? 'info';

function merchantsNotifiedAt(ingestUrl: string, file = join(repositoryRoot(), 'config/merchants.demo.json')): object[] {
  const merchants = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>[];
  return merchants
    .filter(({ merchant }) => merchant === MERCHANT.name)
    .map((merchant) => ({
      ...merchant,
      notificationUrl: `${ingestUrl}/notifications`,
      returnUrl: `${ingestUrl}/return/${MERCHANT.name}`,
      // The scenarios have one operator.
      approvalAboveMinor: Number.MAX_SAFE_INTEGER,
    }));
}

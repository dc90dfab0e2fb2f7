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

// At `warn` a service does not log its ports, and startApp waits for that line.
const LOG_LEVEL = process.env.LOG_LEVEL ?? 'info';

/** Addresses of the services, the proxies between them, and the settings that follow. */
export type Surroundings = Awaited<ReturnType<typeof openSurroundings>>;

export async function openSurroundings(
  { brokers, redisUrl, folder }: Infrastructure,
  topicPrefix: string,
  settings: RunSettings = {},
) {
  const [ingestPort, simulatorPort] = await freePorts();
  const [host = '', port] = brokers.split(',')[0]!.split(':');
  const proxies: Readonly<Record<Way, TcpProxy>> = {
    platform: await TcpProxy.listen(() => `http://127.0.0.1:${simulatorPort}`),
    ingest: await TcpProxy.listen(() => `http://127.0.0.1:${ingestPort}`),
    // Kafka's answers say where clients must connect.
    kafka: await TcpProxy.listen(() => `tcp://${host}:${port}`, {
      answers: () => readdressed(host, Number(port), () => proxies.kafka.port),
    }),
    redis: await TcpProxy.listen(() => redisUrl),
  };
  const merchants = merchantsNotifiedAt(`http://127.0.0.1:${proxies.ingest.port}`, settings.merchantsFile);
  /** Writes the merchants into a file, with some of their settings changed. */
  const merchantsFileWith = (changed: object): string => {
    const file = join(folder, ['merchants', simulatorPort, ...Object.keys(changed), 'json'].join('.'));
    writeFileSync(file, JSON.stringify(merchants.map((merchant) => ({ ...merchant, ...changed }))));
    return file;
  };
  const common = { MERCHANTS_FILE: merchantsFileWith({}), LOG_LEVEL: settings.logLevel ?? LOG_LEVEL };
  const kafka = (through: Through): Record<string, string> => ({
    ...common,
    KAFKA_BROKERS: through.includes('kafka') ? `127.0.0.1:${proxies.kafka.port}` : brokers,
    KAFKA_TOPIC_PREFIX: topicPrefix,
  });
  return {
    proxies,
    merchantsFileWith,
    simulator: {
      ...{ ...common, PORT: String(simulatorPort), NOTIFICATION_RETRY_MS, LATENCY_MS: '10-80' },
      ...settings.simulator,
    } as Record<string, string>,
    gateway: (through: Through): Record<string, string> => ({
      ...kafka(through),
      REDIS_URL: through.includes('redis') ? proxies.redis.through(redisUrl) : redisUrl,
      PAYMENT_URL: `http://127.0.0.1:${proxies.platform.port}`,
      AUTH_SERVICE_KEY: 'not-used',
      OPERATORS_FILE: join(repositoryRoot(), 'config/operators.demo.json'),
      PLATFORM_TIMEOUT_MS: String(PLATFORM_TIMEOUT_MS),
      DOUBT_GRACE_MS: String(DOUBT_GRACE_MS),
      KAFKA_SESSION_TIMEOUT_MS: String(SESSION_MS),
      ...settings.gateway,
    }),
    /** notification-ingest and its tools always have the same address. */
    ingest: (through: Through = []): Record<string, string> => ({
      ...kafka(through),
      ...{ REDIS_URL: redisUrl, PORT: String(ingestPort) },
    }),
    close: () => Promise.all(Object.values(proxies).map((proxy) => proxy.close())),
  };
}

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

import { readFileSync } from 'node:fs';
import { createClient, type RedisClientType } from 'redis';
import { backOffMs, reasonOf } from '@tranche/runtime';
import type { Health } from './health.js';
import type { ServiceLogger } from './logger.js';

export type RedisClient = RedisClientType;

export interface RedisOptions {
  /** redis:// or rediss://, with credentials and database number if any. */
  url: string | URL;
  /** PEM file of the authorities that may have signed the certificate of a `rediss://`; those of Node.js if not set. */
  caFile?: string;
  /** Of this connection: in the log, in readiness reasons and in Redis' client list. */
  name: string;
  log: ServiceLogger;
  /** Not ready while Redis is away; without it the service can do without Redis, and only the log says so. */
  health?: Health;
  /** How long the caller waits for a command; the connection is not cut before a slow one may have been answered. Default 1000. */
  answerMs?: number;
  /** A Redis that answers nothing for so long counts as away: the connection is cut and commands under way fail. Default twice `answerMs`, 2000 at least. */
  silenceMs?: number;
  /** The longest pause between two attempts to connect. Default 2000. */
  maxDelayMs?: number;
}

const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Connects in the background and for ever: absent at the start or lost later, it says so, tries again with back-off, and (with
 * `health`) the service is not ready meanwhile. Commands fail at once while there is no connection, so that callers can decide; `multi()` does not
 * (the client queues it regardless): use a script where something must be atomic.
 * The owner closes it: `await closeRedis(client)` in `onApplicationShutdown`.
 */
export function connectRedis({
  url,
  caFile,
  name,
  log,
  health,
  answerMs = 1_000,
  silenceMs = Math.max(2_000, 2 * answerMs),
  maxDelayMs = 2_000,
}: RedisOptions): RedisClient {
  const address = addressOf(new URL(url));
  let trouble: string | undefined = 'not connected yet';
  const client = createClient({
    url: String(url),
    name: `tranche-${name}`,
    disableOfflineQueue: true,
    socket: {
      ...(caFile !== undefined && new URL(url).protocol === 'rediss:'
        ? { tls: true as const, ca: readFileSync(caFile) }
        : {}),
      connectTimeout: 5_000,
      reconnectStrategy: (retries, cause) => {
        const retryInMs = backOffMs(retries + 1, { firstMs: 100, maxMs: maxDelayMs });
        trouble = reasonOf(cause);
        log.warn(
          { redis: name, address, retryInMs },
          `Redis at ${address} cannot be reached: ${trouble}. Trying again in ${retryInMs} ms`,
        );
        return retryInMs;
      },
    },
  }) as RedisClient;
  client.on('error', (error: unknown) => {
    trouble = reasonOf(error);
    log.debug({ redis: name, address, err: error }, 'Redis connection error');
  });
  client.on('ready', () => {
    trouble = undefined;
    log.info({ redis: name, address }, `connected to Redis at ${address}`);
  });
  health?.addReadiness(`redis-${name}`, () =>
    client.isReady ? undefined : `Redis at ${address} cannot be reached: ${trouble ?? 'connection lost'}`,
  );
  const connect = () => {
    client.connect().catch((error: unknown) => log.debug({ redis: name, err: error }, 'Redis connection given up'));
  };
  connect();
  watch(client, silenceMs, () => {
    trouble = `no answer for ${silenceMs} ms`;
    log.warn({ redis: name, address }, `Redis at ${address} gives no answer: the connection is cut`);
    client.destroy();
    connect();
  });
  return client;
}

/** A connection may be open and dead: a machine that froze, a network that swallows packets. Ends with the client. */
function watch(client: RedisClient, silenceMs: number, onSilence: () => void): void {
  let askedAtMs: number | undefined;
  const timer = setInterval(() => {
    if (!client.isOpen) clearInterval(timer);
    else if (!client.isReady) askedAtMs = undefined;
    else if (askedAtMs === undefined) {
      askedAtMs = performance.now();
      const answered = () => (askedAtMs = undefined);
      client.ping().then(answered, answered);
    } else if (performance.now() - askedAtMs >= silenceMs) {
      askedAtMs = undefined;
      onSilence();
    }
  }, silenceMs / 4);
  timer.unref();
}

/** Waits a moment for commands under way; ends at once when there is no connection. */
export async function closeRedis(client: RedisClient): Promise<void> {
  if (!client.isOpen) return;
  const overdue = setTimeout(() => client.destroy(), CLOSE_TIMEOUT_MS);
  if (client.isReady) await client.close().finally(() => clearTimeout(overdue));
  else client.destroy();
  clearTimeout(overdue);
}

function addressOf({ hostname, port }: URL): string {
  return `${hostname}:${port || '6379'}`;
}

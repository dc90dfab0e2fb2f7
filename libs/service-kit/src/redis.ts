import { createClient, type RedisClientType } from 'redis';
import type { Health } from './health.js';
import type { ServiceLogger } from './logger.js';
import { backOffMs, reasonOf } from './until-up.js';

export type RedisClient = RedisClientType;

export interface RedisOptions {
  /** redis:// or rediss://, with credentials and database number if any. */
  url: string | URL;
  /** Of this connection: in the log, in readiness reasons and in Redis' client list. */
  name: string;
  log: ServiceLogger;
  health: Health;
  /** A command that takes longer fails. Default 2000. */
  commandTimeoutMs?: number;
  maxDelayMs?: number;
}

/**
 * Connects in the background and for ever: absent at the start or lost later, it says so, tries again with back-off, and the
 * service is not ready meanwhile. Commands fail at once while there is no connection, so that callers can decide.
 * The owner closes it: `await closeRedis(client)` in `onApplicationShutdown`.
 */
export function connectRedis({ url, name, log, health, commandTimeoutMs = 2_000, maxDelayMs = 2_000 }: RedisOptions): RedisClient {
  const address = addressOf(new URL(url));
  let trouble: string | undefined = 'not connected yet';
  const client = createClient({
    url: String(url),
    name: `tranche-${name}`,
    disableOfflineQueue: true,
    pingInterval: 10_000,
    commandOptions: { timeout: commandTimeoutMs },
    socket: {
      connectTimeout: 5_000,
      socketTimeout: 30_000,
      reconnectStrategy: (retries, cause) => {
        const retryInMs = backOffMs(retries + 1, { firstDelayMs: 100, maxDelayMs });
        trouble = reasonOf(cause);
        log.warn({ redis: name, address, retryInMs }, `Redis at ${address} cannot be reached: ${trouble}. Trying again in ${retryInMs} ms`);
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
  health.addReadiness(`redis-${name}`, () =>
    client.isReady ? undefined : `Redis at ${address} cannot be reached: ${trouble ?? 'connection lost'}`,
  );
  client.connect().catch((error: unknown) => log.debug({ redis: name, err: error }, 'Redis connection given up'));
  return client;
}

/** Waits for commands under way; ends at once when there is no connection. */
export async function closeRedis(client: RedisClient): Promise<void> {
  if (!client.isOpen) return;
  if (client.isReady) await client.close();
  else client.destroy();
}

function addressOf({ hostname, port }: URL): string {
  return `${hostname}:${port || '6379'}`;
}

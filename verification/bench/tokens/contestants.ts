import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { onFreePort, startChild } from '../children.js';
import { loadRound, type Contestant, type Round } from '../duel.js';
import { IMAGE_NODE_OPTIONS } from '../stage.js';

export const ACCOUNT = 'bench';
export const SERVICE_KEY = 'bench-service-key-of-no-value-0001';

/** Redis keys and the encryption key of one measurement; `remove()` deletes the keys. */
export class TokenStage {
  readonly prefix = `bench-${randomBytes(4).toString('hex')}:auth:`;
  readonly encryptionKey = randomBytes(32).toString('base64');
  readonly #folder = mkdtempSync(join(tmpdir(), 'tranche-bench-'));

  constructor(readonly redisUrl: string) {
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** There are two callers, so that the service compares more than one key. */
  get accountsFile(): string {
    const file = join(this.#folder, 'accounts.json');
    const account = {
      account: ACCOUNT,
      grant: 'client_credentials',
      clientId: 'bench',
      clientSecret: 'of-no-value',
      scope: '/realms/bench',
    };
    const caller = { caller: 'bench', key: SERVICE_KEY, accounts: [ACCOUNT] };
    const other = { caller: 'other', key: `${SERVICE_KEY}-other`, accounts: [] };
    writeFileSync(file, JSON.stringify({ accounts: [account], callers: [other, caller] }));
    return file;
  }

  async remove(): Promise<void> {
    const redis = await createClient({ url: this.redisUrl }).connect();
    for await (const keys of redis.scanIterator({ MATCH: `${this.prefix}*` }))
      if (keys.length > 0) await redis.del(keys);
    await redis.close();
  }
}

/**
 * Starts the shipped auth-service without events. `AUTH_NODE_OPTIONS` (separated by blanks) goes to its Node: `--cpu-prof
 * --cpu-prof-dir=…`.
 */
export function startAuthService(
  { redisUrl, prefix, encryptionKey, accountsFile }: TokenStage,
  authUrl: string,
): Promise<Contestant> {
  return onFreePort((port) =>
    onFreePort(async (managementPort) => {
      const child = await startChild({
        main: ['apps/auth-service/dist/main.js'],
        env: {
          BIND_ADDRESS: '127.0.0.1',
          PORT: String(port),
          MANAGEMENT_PORT: String(managementPort),
          AUTH_URL: authUrl,
          ACCOUNTS_FILE: accountsFile,
          TOKEN_ENCRYPTION_KEY: encryptionKey,
          REDIS_URL: redisUrl,
          REDIS_KEY_PREFIX: prefix,
          LOG_LEVEL: 'info',
        },
        readyUrl: `http://127.0.0.1:${managementPort}/health/ready`,
        nodeOptions: (process.env.AUTH_NODE_OPTIONS ?? IMAGE_NODE_OPTIONS).split(' ').filter(Boolean),
      });
      return { name: 'ours', url: `http://127.0.0.1:${port}/v1/tokens`, process: child };
    }),
  );
}

export function startRedisGet(
  name: 'nest-redis-get' | 'bare-redis-get',
  { redisUrl, prefix }: TokenStage,
  answer: string,
): Promise<Contestant> {
  return onFreePort(async (port) => {
    const child = await startChild({
      main: ['verification/dist/bench/peers/main.js', name],
      env: { PORT: String(port), REDIS_URL: redisUrl, REDIS_KEY: `${prefix}peer`, ACCOUNT, VALUE: answer },
      readyUrl: `http://127.0.0.1:${port}/health`,
      nodeOptions: IMAGE_NODE_OPTIONS.split(' '),
    });
    return { name, url: `http://127.0.0.1:${port}/v1/tokens`, process: child };
  });
}

export function round(
  contestant: Contestant,
  { count, answerBytes }: { count: number; answerBytes: number },
): Promise<Round> {
  return loadRound(contestant, 'verification/dist/bench/tokens/load.js', count, {
    ACCOUNT,
    SERVICE_KEY,
    BYTES: String(answerBytes),
  });
}

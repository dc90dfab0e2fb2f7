import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { onFreePort, startChild, type Child } from '../children.js';
import { rateOf, type Rate } from '../rate.js';
import { IMAGE_NODE_OPTIONS } from '../stage.js';

export interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly process: Child;
}

/** A rate with the latencies of the same requests, milliseconds. */
export interface Round extends Rate {
  p50Ms: number;
  p99Ms: number;
}

export const ACCOUNT = 'bench';
export const SERVICE_KEY = 'bench-service-key-of-no-value-0001';
const CONNECTIONS = 64;
const TIME_BOX_MS = 60_000;

/** Keys in Redis and the encryption key of one measurement; `remove()` takes the keys away again. */
export class TokenStage {
  readonly prefix = `bench-${randomBytes(4).toString('hex')}:auth:`;
  readonly encryptionKey = randomBytes(32).toString('base64');
  readonly #folder = mkdtempSync(join(tmpdir(), 'tranche-bench-'));

  constructor(readonly redisUrl: string) {
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Two callers, so that more than one key is compared. */
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
    for await (const keys of redis.scanIterator({ MATCH: `${this.prefix}*` })) if (keys.length > 0) await redis.del(keys);
    await redis.close();
  }
}

/** auth-service as it is shipped, without events. `AUTH_NODE_OPTIONS` (blank-separated) goes to its Node: `--cpu-prof --cpu-prof-dir=…`. */
export function startAuthService({ redisUrl, prefix, encryptionKey, accountsFile }: TokenStage, authUrl: string): Promise<Contestant> {
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

/** Sends `answer` for each request, after one GET. */
export function startBareRedisGet({ redisUrl, prefix }: TokenStage, answer: string): Promise<Contestant> {
  return onFreePort(async (port) => {
    const child = await startChild({
      main: ['bench/dist/peers/main.js', 'bare-redis-get'],
      env: { PORT: String(port), REDIS_URL: redisUrl, REDIS_KEY: `${prefix}peer`, VALUE: answer },
      readyUrl: `http://127.0.0.1:${port}/health`,
      nodeOptions: IMAGE_NODE_OPTIONS.split(' '),
    });
    return { name: 'bare-redis-get', url: `http://127.0.0.1:${port}/v1/tokens`, process: child };
  });
}

/** `count` requests to one contestant; every one was answered with a token of `answerBytes`. */
export async function round(contestant: Contestant, { count, answerBytes }: { count: number; answerBytes: number }): Promise<Round> {
  let done = 0;
  let latencies: { p50Ms: number; p99Ms: number } | undefined;
  const onLine = (line: string) => {
    if (line.startsWith('{"done":')) done = (JSON.parse(line) as { done: number }).done;
    else if (line.startsWith('{"p50Ms":')) latencies = JSON.parse(line) as { p50Ms: number; p99Ms: number };
  };
  const env = {
    URL: contestant.url,
    ACCOUNT,
    SERVICE_KEY,
    COUNT: String(count),
    CONNECTIONS: String(CONNECTIONS),
    BYTES: String(answerBytes),
  };
  const load = await startChild({ main: ['bench/dist/tokens/load.js'], env, onLine });
  const rate = await rateOf({
    done: () => {
      contestant.process.assertRunning();
      if (done < count) load.assertRunning();
      return done;
    },
    total: count,
    timeBoxMs: TIME_BOX_MS,
    everyMs: 100,
    processes: { server: contestant.process.pid, load: load.pid },
  });
  await load.exited;
  if (latencies === undefined) throw new Error(`The load ended early\n${load.lines.slice(-5).join('\n')}`);
  return { ...rate, ...latencies };
}

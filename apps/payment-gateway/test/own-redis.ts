import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { freePorts, infrastructure, waitFor } from '@tranche/testing';

export interface OwnRedis {
  url: string;
  stop(): Promise<void>;
}

/** A Redis for one spec that changes its settings; the program is the one that the shared Redis runs. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const shared = await createClient({ url: infrastructure().redisUrl }).connect();
  const named = /^executable:(.+)$/m.exec(await shared.info('server'))?.[1]?.trim() ?? '';
  await shared.close();
  const [port] = await freePorts();
  const folder = mkdtempSync(join(tmpdir(), 'tranche-redis-'));
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const server = spawn(existsSync(named) ? named : 'redis-server', [...args, '--maxmemory-policy', 'noeviction'], {
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  const url = `redis://127.0.0.1:${port}`;
  const answers = async () => {
    const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => undefined);
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    client.destroy();
    return isThere;
  };
  await waitFor(answers, { timeoutMs: 20_000, what: 'a Redis of the spec' });
  return {
    url,
    async stop() {
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts one Redis for development and tests: append-only file, no eviction. */
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fetchThroughMaven } from './maven.mjs';
import { PACKAGES, REDIS_SERVER } from './packages.mjs';
import { portOpens } from './ports.mjs';
import { Expected } from './processes.mjs';

const EMBEDDED_REDIS = ['com.github.codemonstur', 'embedded-redis', '1.4.3'];

export function redisArguments({ port, folder, host = '127.0.0.1' }) {
  // Written data survives a SIGKILL of Redis even if it is not synced, and a slow disk would delay answers.
  const settings = {
    port,
    bind: host,
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'no',
    save: '',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

export async function startRedis({ held, port, log }) {
  const command = await redisCommand({ held, log });
  const args = redisArguments({ port, folder: held.folder('tranche-redis-') });
  const server = held.start(command, args, { disposable: true });
  await portOpens(port, { what: 'Redis', timeoutMs: 20_000, gaveUp: server.gaveUp });
  return { redisUrl: `redis://127.0.0.1:${port}`, process: server };
}

const [, ARTIFACT, VERSION] = EMBEDDED_REDIS;
const binariesFolder = () => resolve('.infra', `${ARTIFACT}-${VERSION}-unpacked`);
export const isRedisFromJarThere = () => existsSync(binariesFolder());

/** Uses the machine's redis-server, else the binary in a jar on Maven Central. */
export function redisCommand({ held, log }) {
  return PACKAGES.redis.isThere() ? REDIS_SERVER : redisFromJar({ held, log });
}

export async function redisFromJar({ held, log }) {
  const folder = binariesFolder();
  if (!existsSync(folder)) {
    log(`fetching redis-server through Maven (${ARTIFACT} ${VERSION})`);
    const properties = [`-DincludeArtifactIds=${ARTIFACT}`, '-Dmdep.unpack.includes=redis-server-*'];
    await fetchThroughMaven({ held, folder, dependencies: [EMBEDDED_REDIS], goal: 'unpack-dependencies', properties });
  }
  const system = `-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const name = readdirSync(folder).find((file) => file.endsWith(system));
  if (!name) throw new Expected(`no redis-server for ${process.platform} ${process.arch} in ${ARTIFACT} ${VERSION}`);
  const binary = join(folder, name);
  chmodSync(binary, 0o755);
  return binary;
}

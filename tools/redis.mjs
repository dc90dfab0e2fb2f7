/** One Redis for development and tests: append-only file, no eviction. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fetchJars } from './kafka.mjs';
import { PACKAGES } from './packages.mjs';
import { portOpens } from './ports.mjs';
import { readZipEntry, zipEntries } from './zip.mjs';

const EMBEDDED_REDIS = ['com.github.codemonstur', 'embedded-redis', '1.4.3'];

export function redisArguments({ port, folder, host = '127.0.0.1' }) {
  // What is written outlives a SIGKILL of Redis without being synced, and a slow disk would hold answers up.
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
  const lastLines = [];
  const keep = (line) => lastLines.push(line) > 20 && lastLines.shift();
  const server = held.start(command, redisArguments({ port, folder: held.folder('tranche-redis-') }), { onLine: keep, disposable: true });
  const gaveUp = () => (server.exitCode === undefined ? undefined : `ended with ${server.exitCode}\n${lastLines.join('\n')}`);
  await portOpens(port, { what: 'Redis', timeoutMs: 20_000, gaveUp });
  return { redisUrl: `redis://127.0.0.1:${port}`, process: server };
}

const jarBinary = () => resolve('.infra', EMBEDDED_REDIS.slice(1).join('-'), 'redis-server');
export const isRedisFromJarThere = () => existsSync(jarBinary());

/** Debian's redis-server; where there is none, the binary that a jar on Maven Central carries. */
export function redisCommand({ held, log }) {
  return PACKAGES.redis.isThere() ? 'redis-server' : redisFromJar({ held, log });
}

export async function redisFromJar({ held, log }) {
  const [, artifact, version] = EMBEDDED_REDIS;
  const binary = jarBinary();
  if (existsSync(binary)) return binary;
  log(`fetching redis-server through Maven (${artifact} ${version})`);
  const folder = resolve('.infra', `${artifact}-${version}-jars`);
  if (!existsSync(folder)) await fetchJars({ held, folder, dependencies: [EMBEDDED_REDIS] });
  const jar = readFileSync(
    join(
      folder,
      readdirSync(folder).find((name) => name.startsWith(artifact)),
    ),
  );
  const system = `-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const entry = zipEntries(jar).find(({ name }) => name.startsWith('redis-server-') && name.endsWith(system));
  if (!entry) throw new Error(`no redis-server for ${process.platform} ${process.arch} in ${artifact} ${version}`);
  const incoming = `${binary}.${process.pid}`;
  mkdirSync(resolve(binary, '..'), { recursive: true });
  writeFileSync(incoming, readZipEntry(jar, entry));
  chmodSync(incoming, 0o755);
  renameSync(incoming, binary);
  return binary;
}

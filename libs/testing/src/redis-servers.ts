import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { openFront, type Front } from './tcp-proxy.js';
import { freePorts, infrastructure } from './infrastructure.js';
import { waitFor } from './wait-for.js';

/** A Redis for one spec, with the shared Redis' executable. */
export class RedisServer {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    program: string,
    args: string[],
  ) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#process = spawn(program, args, { stdio: 'ignore', cwd: folder });
    this.#ended = once(this.#process, 'exit');
  }

  /**
   * @param settings command-line options without hyphens
   * @param file content of a configuration file instead, which sentinels need
   */
  static async start(settings: Record<string, string> = {}, file?: string, given?: number): Promise<RedisServer> {
    const port = given ?? (await freePorts())[0];
    const folder = mkdtempSync(join(tmpdir(), 'tranche-redis-'));
    const own = { port: String(port), bind: '127.0.0.1', dir: folder, save: '', 'maxmemory-policy': 'noeviction' };
    const args = Object.entries({ ...own, ...settings }).flatMap(([name, value]) => [`--${name}`, value]);
    if (file !== undefined) writeFileSync(join(folder, 'redis.conf'), file);
    const program = await programOfShared();
    const server = new RedisServer(port, folder, program, file === undefined ? args : ['redis.conf', '--sentinel']);
    const isThere = () =>
      server.ask(['PING']).then(
        () => true,
        () => false,
      );
    await waitFor(isThere, { timeoutMs: 20_000, what: 'a Redis of the spec' });
    return server;
  }

  async ask<T>(command: string[]): Promise<T> {
    const client = createClient({ url: this.url, socket: { reconnectStrategy: false } }).on('error', () => undefined);
    try {
      await client.connect();
      return await client.sendCommand<T>(command);
    } finally {
      client.destroy();
    }
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal);
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function programOfShared(): Promise<string> {
  const shared = await createClient({ url: infrastructure().redisUrl }).connect();
  const named = /^executable:(.+)$/m.exec(await shared.info('server'))?.[1]?.trim() ?? '';
  await shared.close();
  return existsSync(named) ? named : 'redis-server';
}

const SLOTS = 16_384;

export interface RedisCluster {
  masters: RedisServer[];
  /** As many as masters, or none; `replicas[n]` replicates `masters[n]`. */
  replicas: RedisServer[];
  nodes: string;
  stop(): Promise<void>;
}

/** A Redis Cluster of three masters with equal shares of the slots; a master that is silent for five seconds is failed over. */
export async function startRedisCluster({ withReplicas = false, settings = {} } = {}): Promise<RedisCluster> {
  const start = async () => {
    const [port, bus] = await freePorts();
    const ofCluster = { 'cluster-enabled': 'yes', 'cluster-port': String(bus), 'cluster-node-timeout': '5000' };
    return {
      bus,
      server: await RedisServer.start({ ...ofCluster, 'repl-diskless-sync-delay': '0', ...settings }, undefined, port),
    };
  };
  const all = await Promise.all(Array.from({ length: withReplicas ? 6 : 3 }, start));
  const servers = all.map(({ server }) => server);
  const masters = servers.slice(0, 3);
  const replicas = servers.slice(3);
  const [first] = masters;
  const each = Math.ceil(SLOTS / masters.length);
  for (const [at, master] of masters.entries()) {
    const last = Math.min((at + 1) * each, SLOTS) - 1;
    await master.ask(['CLUSTER', 'ADDSLOTSRANGE', String(at * each), String(last)]);
    await master.ask(['CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1)]);
  }
  for (const { bus, server } of all)
    if (server !== first) await first?.ask(['CLUSTER', 'MEET', '127.0.0.1', String(server.port), String(bus)]);
  const saysOk = async (server: RedisServer) =>
    /cluster_state:ok/.test(await server.ask<string>(['CLUSTER', 'INFO'])) &&
    (await server.ask<string>(['CLUSTER', 'NODES'])).trim().split('\n').length === servers.length;
  const areAll =
    (check: (server: RedisServer) => Promise<boolean>, which = servers) =>
    async () =>
      (await Promise.all(which.map(check))).every(Boolean);
  await waitFor(areAll(saysOk), { timeoutMs: 30_000, what: 'a cluster of which all nodes know each other' });
  for (const [at, replica] of replicas.entries())
    await replica.ask(['CLUSTER', 'REPLICATE', await masters[at]!.ask<string>(['CLUSTER', 'MYID'])]);
  const follows = async (server: RedisServer) => /master_link_status:up/.test(await server.ask<string>(['INFO']));
  await waitFor(areAll(follows, replicas), { timeoutMs: 30_000, what: 'replicas that follow their masters' });
  return {
    masters,
    replicas,
    nodes: servers.map(({ port }) => `127.0.0.1:${port}`).join(','),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

export interface RedisPair {
  primary: RedisServer;
  replica: RedisServer;
  /** Its address stands for the primary until it leads elsewhere. */
  name: Front;
  stop(): Promise<void>;
}

/** A primary, a replica that is in sync, and a name that points to the primary. */
export async function startRedisPair(settings: Record<string, string> = {}): Promise<RedisPair> {
  const all = { 'repl-diskless-sync-delay': '0', ...settings };
  const primary = await RedisServer.start(all);
  const replica = await RedisServer.start({ ...all, replicaof: `127.0.0.1 ${primary.port}` });
  const isUp = async () => /master_link_status:up/.test(await replica.ask<string>(['INFO', 'replication']));
  await waitFor(isUp, { timeoutMs: 30_000, what: 'a replica that follows its primary' });
  const name = await openFront({ protocol: 'redis:' });
  name.leadTo(primary.url);
  return {
    primary,
    replica,
    name,
    stop: async () => {
      await name.close();
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
}

/** Fails over as a managed Redis does: primary and replica swap roles, and no connection is closed. */
export async function failOver({ primary, replica }: RedisPair): Promise<void> {
  await primary.ask(['FAILOVER']);
  const roleOf = async (server: RedisServer) => (await server.ask<[string]>(['ROLE']))[0];
  const isOver = async () => (await roleOf(primary)) === 'slave' && (await roleOf(replica)) === 'master';
  await waitFor(isOver, { timeoutMs: 30_000, what: 'the end of the failover' });
}

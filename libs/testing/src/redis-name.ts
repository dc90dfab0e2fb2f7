import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts } from './free-ports.js';
import { RedisServer } from './redis-servers.js';
import { waitFor } from './wait-for.js';

/** A stable address whose target can be changed, as a DNS name; open connections remain with their server. */
export class RedisName {
  readonly #sockets = new Set<Socket>();
  #target: RedisServer;

  private constructor(
    readonly url: string,
    target: RedisServer,
    private readonly server: Server,
  ) {
    this.#target = target;
  }

  static async of(target: RedisServer, host = '127.0.0.1', given?: number): Promise<RedisName> {
    const port = given ?? (await freePorts())[0];
    const server = createServer((near) => name.#join(near));
    const name = new RedisName(`redis://${host}:${port}`, target, server);
    server.listen(port, host);
    await once(server, 'listening');
    return name;
  }

  pointTo(target: RedisServer): void {
    this.#target = target;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(near: Socket): void {
    const far = connect(this.#target.port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket) && other.destroy());
      socket.pipe(other);
    }
  }
}

export interface RedisPair {
  primary: RedisServer;
  replica: RedisServer;
  name: RedisName;
  stop(): Promise<void>;
}

/** A primary, a replica that is in sync, and a name that points to the primary. */
export async function startRedisPair(settings: Record<string, string> = {}): Promise<RedisPair> {
  const all = { 'repl-diskless-sync-delay': '0', ...settings };
  const primary = await RedisServer.start(all);
  const replica = await RedisServer.start({ ...all, replicaof: `127.0.0.1 ${primary.port}` });
  const isUp = async () => /master_link_status:up/.test(await replica.ask<string>(['INFO', 'replication']));
  await waitFor(isUp, { timeoutMs: 30_000, what: 'a replica that follows its primary' });
  const name = await RedisName.of(primary);
  return {
    primary,
    replica,
    name,
    stop: async () => {
      await name.stop();
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

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts } from '@tranche/testing';

/** The way of one gateway to a server that others reach too. While it is cut, connections break and new ones are refused. */
export class Way {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  private constructor(
    readonly url: string,
    private readonly port: number,
    private readonly leadTo: () => string,
  ) {}

  /** `leadTo` is asked at each connection, for a server that starts later. */
  static async to(scheme: 'redis' | 'http', leadTo: () => string): Promise<Way> {
    const [port] = await freePorts();
    const way = new Way(`${scheme}://127.0.0.1:${port}`, port, leadTo);
    await way.restore();
    return way;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async restore(): Promise<void> {
    this.#server = createServer((near) => this.#join(near)).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #join(near: Socket): void {
    const { port, hostname } = new URL(this.leadTo());
    const far = connect(Number(port || 6379), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => (this.#sockets.delete(one), other.destroy()));
    }
    near.pipe(far).pipe(near);
  }
}

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts } from '@tranche/testing';

/** A proxy in front of Redis that can be slow, cut, or read-only. */
export class RedisWay {
  readonly #sockets = new Set<Socket>();
  #server?: Server;
  #isHeld = false;
  #held: (() => void)[] = [];
  #isReadOnly = false;

  private constructor(
    private readonly target: URL,
    private readonly port: number,
  ) {}

  static async to(redisUrl: string): Promise<RedisWay> {
    const [port] = await freePorts();
    const way = new RedisWay(new URL(redisUrl), port);
    await way.restore();
    return way;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Holds answers back until `release()`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#held.splice(0).forEach((pass) => pass());
  }

  /** Makes Redis refuse writes, as a replica or a full server does, by changing the commands on the way. */
  readOnly(isReadOnly = true): void {
    this.#isReadOnly = isReadOnly;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    this.#sockets.forEach((socket) => socket.destroy());
    await closed;
  }

  async restore(): Promise<void> {
    this.#server = createServer((near) => this.#join(near)).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #join(near: Socket): void {
    const far = connect(Number(this.target.port || 6379), this.target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      // prettier-ignore
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    near.on('data', (sent) => void (far.writable && far.write(this.#isReadOnly ? withoutWrites(sent) : sent)));
    near.on('end', () => far.end());
    far.on('data', (answer) => {
      const pass = () => void (near.writable && near.write(answer));
      if (this.#isHeld) this.#held.push(pass);
      else pass();
    });
  }
}

/** Keeps the length, so that the protocol stays valid. */
function withoutWrites(sent: Buffer): Buffer {
  const text = sent.toString('latin1');
  return Buffer.from(
    text
      .replaceAll('$3\r\nSET\r\n', '$3\r\nNO!\r\n')
      .replaceAll("call('del'", "call('no!'")
      .replaceAll("call('pexpire'", "call('no!!!!!'"),
    'latin1',
  );
}

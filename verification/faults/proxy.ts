import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { readdressed } from '@tranche/testing';

/** The proxy treats bytes in one direction like this. Held bytes are delivered when they may pass again, as TCP would retransmit them. */
export type Flow = 'pass' | 'hold' | { latencyMs: number } | { bytesPerSecond: number };

export interface NetworkConditions {
  up: Flow;
  down: Flow;
  connects: 'pass' | 'refuse' | 'reset';
}

/** Network faults by name. `cut` and `reset` also end existing connections. */
export const CONDITIONS = {
  pass: { up: 'pass', down: 'pass', connects: 'pass' },
  latency: { up: { latencyMs: 150 }, down: { latencyMs: 150 }, connects: 'pass' },
  throttle: { up: { bytesPerSecond: 4_000 }, down: { bytesPerSecond: 4_000 }, connects: 'pass' },
  blackhole: { up: 'hold', down: 'hold', connects: 'pass' },
  /** Requests arrive, answers do not. */
  'half-open': { up: 'pass', down: 'hold', connects: 'pass' },
  cut: { up: 'pass', down: 'pass', connects: 'refuse' },
  reset: { up: 'pass', down: 'pass', connects: 'reset' },
} as const satisfies Record<string, NetworkConditions>;
export type WeatherName = keyof typeof CONDITIONS;

export interface ProxyTarget {
  port: number;
  host?: string;
}

/** Makes a function for each connection that changes its answers on the way. */
export type Rewrite = () => (bytes: Buffer) => Buffer;

/** Kafka's answers say where clients must connect, so the proxy replaces Kafka's port there by its own. */
export function kafkaAddress(brokers: string, proxyPort: () => number): Rewrite {
  const [host = '', port = ''] = (brokers.split(',')[0] ?? '').split(':');
  return () => readdressed(host, Number(port), proxyPort);
}

const HELD_BYTES = 8 * 1024 * 1024;

/** A TCP proxy on 127.0.0.1 that plays network faults. */
export class TcpProxy {
  #conditions: NetworkConditions = CONDITIONS.pass;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #server: Server | undefined;
  #port = 0;
  readonly #connections = new Set<readonly [client: Socket, upstream: Socket]>();

  private constructor(
    private readonly target: () => ProxyTarget,
    private readonly rewrite: Rewrite | undefined,
  ) {}

  /** @param target asked anew for each connection; what it throws refuses it */
  static async listen(target: () => ProxyTarget, rewrite?: Rewrite): Promise<TcpProxy> {
    const proxy = new TcpProxy(target, rewrite);
    await proxy.#open();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#connections.size;
  }

  async set(name: WeatherName): Promise<void> {
    await this.setConditions(CONDITIONS[name]);
    if (name === 'cut') for (const sockets of this.#connections) for (const socket of sockets) socket.destroy();
    if (name === 'reset') this.resetConnections();
  }

  async setConditions(weather: NetworkConditions): Promise<void> {
    this.#conditions = weather;
    if (weather.connects === 'refuse') this.#shut();
    else await this.#open();
    this.#changes.emit('change');
  }

  /** Resets existing connections; bytes held in them are lost. */
  resetConnections(): void {
    for (const sockets of this.#connections) for (const socket of sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.resetConnections();
    this.#shut();
  }

  async #open(): Promise<void> {
    if (this.#server) return;
    const server = createServer((client) => this.#join(client));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Existing connections stay open. */
  #shut(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  #join(client: Socket): void {
    if (this.#conditions.connects === 'reset') return void client.resetAndDestroy();
    let target: ProxyTarget;
    try {
      target = this.target();
    } catch {
      return void client.resetAndDestroy(); // the target is down
    }
    const upstream = connect(target.port, target.host ?? '127.0.0.1');
    const sockets = [client, upstream] as const;
    this.#connections.add(sockets);
    const rewrite = this.rewrite?.();
    client.pipe(this.#lane(() => this.#conditions.up)).pipe(upstream);
    upstream.pipe(this.#lane(() => this.#conditions.down, rewrite)).pipe(client);
    for (const [from, to] of [sockets, [upstream, client] as const]) {
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => {
        // Bytes before a regular end are still on their way.
        if (!from.readableEnded) to.destroy();
        this.#connections.delete(sockets);
      });
    }
  }

  /** Passes bytes in order, each when the conditions allow it. */
  #lane(flow: () => Flow, rewrite = (bytes: Buffer) => bytes): Transform {
    let passedMs = 0;
    const wait = async (bytes: Buffer) => {
      let now = flow();
      for (; now === 'hold'; now = flow()) await once(this.#changes, 'change');
      if (now === 'pass') return;
      // Bytes that came while others waited have waited nearly as long.
      const haveWaited = performance.now() - passedMs < 2;
      if ('bytesPerSecond' in now) await delay((bytes.length / now.bytesPerSecond) * 1000);
      else if (!haveWaited) await delay(now.latencyMs);
    };
    return new Transform({
      highWaterMark: HELD_BYTES,
      transform(bytes: Buffer, _encoding, done) {
        const pass = () => {
          passedMs = performance.now();
          done(null, rewrite(bytes));
        };
        if (flow() === 'pass') pass();
        else void wait(bytes).then(pass);
      },
    });
  }
}

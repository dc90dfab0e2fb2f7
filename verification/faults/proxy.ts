import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
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

/** A TCP proxy on 127.0.0.1 that plays network faults. */
export class TcpProxy {
  #conditions: NetworkConditions = CONDITIONS.pass;
  #server: Server | undefined;
  #port = 0;
  readonly #connections = new Set<Connection>();

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
    if (name === 'cut') for (const connection of this.#connections) connection.end();
    if (name === 'reset') this.resetConnections();
  }

  async setConditions(weather: NetworkConditions): Promise<void> {
    this.#conditions = weather;
    if (weather.connects === 'refuse') await this.#shut();
    else await this.#open();
    for (const connection of this.#connections) connection.flush();
  }

  /** Resets existing connections; bytes held in them are lost. */
  resetConnections(): void {
    for (const connection of this.#connections) connection.reset();
  }

  async close(): Promise<void> {
    this.resetConnections();
    await this.#shut();
  }

  async #open(): Promise<void> {
    if (this.#server) return;
    const server = createServer({ allowHalfOpen: false }, (client) => this.#join(client));
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Existing connections stay open. */
  #shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.close();
    return new Promise((resolve) => (server ? setImmediate(resolve) : resolve()));
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
    const connection = new Connection(client, upstream, () => this.#conditions, this.rewrite?.());
    this.#connections.add(connection);
    connection.onEnd = () => this.#connections.delete(connection);
  }
}

/** Kafka's answers say where clients must connect, so the proxy replaces Kafka's port there by its own. */
export function kafkaAddress(brokers: string, proxyPort: () => number): Rewrite {
  const [host = '', port = ''] = (brokers.split(',')[0] ?? '').split(':');
  return () => readdressed(host, Number(port), proxyPort);
}

const HELD_BYTES = 8 * 1024 * 1024;

class Connection {
  onEnd: () => void = () => undefined;
  readonly #directions: Direction[];

  constructor(
    private readonly client: Socket,
    private readonly upstream: Socket,
    weather: () => NetworkConditions,
    rewrite?: (bytes: Buffer) => Buffer,
  ) {
    this.#directions = [
      new Direction(client, upstream, () => weather().up),
      new Direction(upstream, client, () => weather().down, rewrite),
    ];
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.resetAndDestroy());
      from.on('close', () => {
        for (const lane of this.#directions) lane.stop();
        to.destroy();
        this.onEnd();
      });
    }
  }

  flush(): void {
    for (const lane of this.#directions) lane.flush();
  }

  end(): void {
    this.client.destroy();
    this.upstream.destroy();
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.upstream.resetAndDestroy();
  }
}

class Direction {
  #queue: Buffer[] = [];
  #queued = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly flow: () => Flow,
    rewrite: (bytes: Buffer) => Buffer = (bytes) => bytes,
  ) {
    from.on('data', (bytes) => {
      const passed = rewrite(bytes);
      if (passed.length === 0) return;
      this.#queue.push(passed);
      this.#queued += passed.length;
      if (this.#queued > HELD_BYTES) from.pause();
      this.flush();
    });
  }

  flush(): void {
    if (this.#timer) return;
    for (let bytes = this.#queue[0]; bytes; bytes = this.#queue[0]) {
      const flow = this.flow();
      if (flow === 'hold') return;
      if (flow !== 'pass') return this.#later(bytes, flow);
      this.#deliver(bytes);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#queue = [];
  }

  #later(bytes: Buffer, flow: Exclude<Flow, string>): void {
    const ms = 'latencyMs' in flow ? flow.latencyMs : (bytes.length / flow.bytesPerSecond) * 1000;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Later bytes have waited nearly as long, so they need no timer of their own.
      if ('latencyMs' in flow) for (const waiting of [...this.#queue]) this.#deliver(waiting);
      else this.#deliver(bytes);
      this.flush();
    }, ms);
  }

  #deliver(bytes: Buffer): void {
    this.#queue.shift();
    this.#queued -= bytes.length;
    if (!this.to.destroyed) this.to.write(bytes);
    if (this.from.isPaused() && this.#queued < HELD_BYTES / 2) this.from.resume();
  }
}

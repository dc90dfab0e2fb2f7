import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from './infrastructure.js';

/** The proxy treats bytes in one direction like this. Held bytes are delivered when they may pass again, as TCP would retransmit them. */
type Flow = 'pass' | 'hold' | { latencyMs: number } | { bytesPerSecond: number };

interface NetworkConditions {
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
export type ConditionsName = keyof typeof CONDITIONS;

/** Makes a function for each connection that changes its bytes on the way, or holds them until its promise resolves. */
type Rewrite = (client: Socket) => (bytes: Buffer) => Buffer | Promise<Buffer>;

interface ProxyOptions {
  host?: string;
  /** By default a free one, which stays ours while the proxy is cut. */
  port?: number;
  requests?: Rewrite;
  answers?: Rewrite;
}

const HELD_BYTES = 8 * 1024 * 1024;

/** A TCP proxy that plays network faults, between services and one of which all tests share and none may stop. */
export class TcpProxy {
  #conditions: NetworkConditions = CONDITIONS.pass;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #server: Server | undefined;
  readonly #connections = new Set<readonly [client: Socket, upstream: Socket]>();

  private constructor(
    private readonly target: () => string,
    readonly host: string,
    readonly port: number,
    private readonly rewrites: Pick<ProxyOptions, 'requests' | 'answers'>,
  ) {}

  /** @param target returns a URL for each new connection; what it throws resets the connection */
  static async listen(
    target: () => string,
    { host = '127.0.0.1', port, ...rewrites }: ProxyOptions = {},
  ): Promise<TcpProxy> {
    const proxy = new TcpProxy(target, host, port ?? (await freePorts())[0], rewrites);
    await proxy.#open();
    return proxy;
  }

  /** Returns the URL with the proxy's address in place of its own. */
  through(url: string): string {
    const own = new URL(url);
    own.host = `${this.host}:${this.port}`;
    return own.href;
  }

  get connections(): number {
    return this.#connections.size;
  }

  async set(name: ConditionsName): Promise<void> {
    const closed = this.setConditions(CONDITIONS[name]);
    if (name === 'cut') for (const sockets of this.#connections) for (const socket of sockets) socket.destroy();
    if (name === 'reset') this.resetConnections();
    await closed;
  }

  /** Existing connections stay open. If new ones are refused, it resolves once the existing ones have ended. */
  async setConditions(conditions: NetworkConditions): Promise<void> {
    this.#conditions = conditions;
    this.#changes.emit('change');
    if (conditions.connects === 'refuse') await this.#shut();
    else await this.#open();
  }

  /** Resets existing connections; bytes held in them are lost. */
  resetConnections(): void {
    for (const sockets of this.#connections) for (const socket of sockets) reset(socket);
  }

  async close(): Promise<void> {
    this.resetConnections();
    await this.#shut();
  }

  async #open(): Promise<void> {
    if (this.#server) return;
    const server = createServer((client) => this.#join(client));
    this.#server = server;
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.port, this.host, resolve));
  }

  async #shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  #join(client: Socket): void {
    if (this.#conditions.connects === 'reset') return void client.resetAndDestroy();
    let target: URL;
    try {
      target = new URL(this.target());
    } catch {
      return void client.resetAndDestroy(); // the target is down
    }
    const upstream = connect(Number(target.port), target.hostname);
    const sockets = [client, upstream] as const;
    this.#connections.add(sockets);
    const { requests, answers } = this.rewrites;
    client.pipe(this.#direction(() => this.#conditions.up, requests?.(client))).pipe(upstream);
    upstream.pipe(this.#direction(() => this.#conditions.down, answers?.(client))).pipe(client);
    for (const [from, to] of [sockets, [upstream, client] as const]) {
      from.on('error', () => reset(to));
      from.on('close', () => {
        // Bytes before a regular end are still on their way.
        if (!from.readableEnded) to.destroy();
        this.#connections.delete(sockets);
      });
    }
  }

  /** Passes bytes in order, each when the conditions allow it. */
  #direction(flow: () => Flow, rewrite: ReturnType<Rewrite> = (bytes) => bytes): Transform {
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
        const pass = async () => {
          passedMs = performance.now();
          done(null, await rewrite(bytes));
        };
        if (flow() === 'pass') void pass();
        else void wait(bytes).then(pass);
      },
    });
  }
}

/** A process whose socket was reset behind its own end never exits: Node 20 waits for the end's request without end. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

export interface Front {
  readonly url: string;
  /** New connections go to this address; open ones remain with the earlier one. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

/**
 * An address that is known before its service starts, and stays when another process replaces it, as a DNS name does. Closes connections
 * until `leadTo`.
 */
export async function openFront({
  protocol = 'http:',
  ...address
}: { protocol?: string; host?: string; port?: number } = {}): Promise<Front> {
  let target = '';
  const proxy = await TcpProxy.listen(() => target, address);
  return {
    url: `${protocol}//${proxy.host}:${proxy.port}`,
    leadTo: (url) => void (target = url),
    close: () => proxy.close(),
  };
}

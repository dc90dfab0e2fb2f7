import { connect, type Socket } from 'node:net';
import { readingLegalHeads } from '@tranche/service-kit';
import { buildConnector, Client, errors } from 'undici';

type ConnectionOptions = Client.Options & { connect: buildConnector.connector };

/** Maps a TLS socket to the TCP connection below it; only the latter can be reset. */
const tcpBelow = new WeakMap<Socket, Socket>();

/**
 * undici's own connector, except that we open the TCP connection ourselves and start TLS only once it is connected. Node tries a name's addresses one
 * after the other, each on a new handle; a TLS socket on an earlier handle crashes the process (segmentation fault).
 * The timeout covers name look-up, connection and TLS handshake.
 */
export function connectorOverTcp(timeoutMs: number): buildConnector.connector {
  const connector = readingLegalHeads(buildConnector({ timeout: timeoutMs }));
  return (target, callback) => {
    if (target.protocol !== 'https:') return connector(target, callback);
    const tcp = connect({ host: target.hostname, port: Number(target.port) || 443 });
    const timer = setTimeout(() => tcp.destroy(new errors.ConnectTimeoutError()), timeoutMs);
    let isSettled = false;
    const settle: buildConnector.Callback = (...[error, socket]) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if (error !== null) {
        tcp.destroy();
        return callback(error, null);
      }
      tcpBelow.set(socket, tcp);
      callback(null, socket);
    };
    tcp.on('error', (error) => settle(error, null));
    tcp.once('connect', () => connector({ ...target, httpSocket: tcp }, settle));
  };
}

/** Keeps the socket, which undici does not expose. */
export class PlatformConnection extends Client {
  #socket: Socket | undefined;

  constructor(origin: URL, options: ConnectionOptions) {
    const connectTo: buildConnector.connector = (target, callback) =>
      options.connect(target, (...args: buildConnector.CallbackArgs) => {
        this.#socket = args[1] ?? undefined;
        callback(...args);
      });
    super(origin, { ...options, connect: connectTo });
  }

  /**
   * Ends the connection with a TCP reset: the kernel drops data that it has not delivered yet. After an ordinary close it would continue delivering,
   * and the platform could receive a call that we gave up long ago.
   * @returns false where part of the request is still in this process: an ordinary close is enough then, because the platform never receives the
   * whole request
   */
  reset(): boolean {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return false;
    const tcp = tcpBelow.get(socket) ?? socket;
    if (socket.writableLength > 0 || tcp.writableLength > 0) return false;
    tcp.resetAndDestroy();
    return true;
  }
}

type Use = (connection: PlatformConnection) => void;

/** Connections to one origin, each with one call at a time. undici's own pool looks at every busy one before it finds a free one. */
export class PlatformConnections {
  readonly #all = new Set<PlatformConnection>();
  /** The one that was used last is taken first. */
  readonly #free: PlatformConnection[] = [];
  readonly #waiting: Use[] = [];
  #connected = 0;
  #calls = 0;
  #isClosed = false;

  constructor(
    private readonly origin: URL,
    private readonly options: ConnectionOptions,
    private readonly most: number,
  ) {}

  get connected(): number {
    return this.#connected;
  }

  /** Connections that neither a call has nor one waits for; below 0 where calls wait. */
  get unused(): number {
    return this.#connected - this.#calls;
  }

  /** Calls `use` as soon as a connection is free. Its user gives it back once. */
  take(use: Use): void {
    this.#calls++;
    this.#give(use);
  }

  giveBack(connection: PlatformConnection): void {
    this.#calls--;
    // It is called within undici, which is not done with the call before it returns.
    queueMicrotask(() => {
      if (this.#all.has(connection)) this.#free.push(connection);
      const next = this.#waiting.shift();
      if (next) this.#give(next);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((connection) => connection.close()));
  }

  #give(use: Use): void {
    const connection = this.#free.pop() ?? (this.#all.size < this.most ? this.#open() : undefined);
    if (connection) use(connection);
    else this.#waiting.push(use);
  }

  #open(): PlatformConnection {
    const connection = new PlatformConnection(this.origin, this.options);
    // A closed one refuses its call, and says why.
    if (this.#isClosed) void connection.close();
    this.#all.add(connection);
    connection
      .on('connect', () => this.#connected++)
      .on('disconnect', () => this.#connected--)
      .on('connectionError', () => this.#all.delete(connection));
    return connection;
  }
}

import { connect, type Socket } from 'node:net';
import { buildConnector, Client, errors, type Dispatcher } from 'undici';

/** Options of a call on their way through undici's pool: which of its connections has taken the call. */
export interface CallOptions extends Dispatcher.DispatchOptions {
  takenBy: (connection: PlatformConnection) => void;
}

type ConnectionOptions = Client.Options & { connect: buildConnector.connector };

/** Below TLS lies a TCP connection, and only that one can be reset. */
const tcpBelow = new WeakMap<Socket, Socket>();

/**
 * undici's own connector, but the TCP connection below TLS is ours, and it is there before TLS is laid over it: Node tries the addresses of a
 * name one after the other, each on a new handle, and a TLS socket over the handle before ends the process with a segmentation fault.
 * The time-out holds from the look-up of the name to the end of the TLS handshake.
 */
export function connectorOverTcp(timeoutMs: number): buildConnector.connector {
  const connector = buildConnector({ timeout: timeoutMs });
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

/** One connection of undici's pool, with the socket that undici keeps to itself. */
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

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (options as CallOptions).takenBy(this);
    return super.dispatch(options, handler);
  }

  /**
   * Ends the connection with a TCP reset: the kernel throws away what it has not delivered yet. After an ordinary close it would go on delivering,
   * and the platform could get a call that we gave up long ago. False where part of the request is still in this process: then an ordinary
   * close is enough, for the platform never gets all of it.
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

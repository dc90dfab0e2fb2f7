import { connect, type Socket } from 'node:net';
import { readingLegalHeads } from '@tranche/service-kit';
import { buildConnector, Client, errors, type Dispatcher } from 'undici';

/** Options of a call in undici's pool. `takenBy` receives the connection that took the call. */
export interface CallOptions extends Dispatcher.DispatchOptions {
  takenBy: (connection: PlatformConnection) => void;
}

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

/** One connection of undici's pool. It keeps the socket, which undici does not expose. */
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

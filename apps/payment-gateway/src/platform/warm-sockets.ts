import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** Idle time after which a connection is closed: the platform may close it soon, and a request on it would be lost. Milliseconds. */
const KEPT_MS = 4_000;

/** Open connections without a written byte, for requests that are about to be made. */
export class WarmSockets {
  readonly #ready = new Set<Socket>();
  readonly #target: buildConnector.Options;
  #connecting = 0;

  constructor(
    { protocol, hostname, port, host }: URL,
    private readonly connector: buildConnector.connector,
  ) {
    this.#target = { protocol, port, host, hostname: hostname.replace(/^\[|\]$/g, '') };
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.#ready.size + this.#connecting;
  }

  /** Connector for undici: takes an open connection, else makes a new one. */
  readonly connect: buildConnector.connector = (options, callback) => {
    const [socket] = this.#ready;
    if (socket === undefined) return this.connector(options, callback);
    this.#letGo(socket);
    // undici can't handle a callback within its own call.
    queueMicrotask(() => callback(null, socket));
  };

  /** Resolves with true once one more connection is open, and with false where it failed: the request itself will report why. */
  open(): Promise<boolean> {
    this.#connecting++;
    return new Promise((resolve) => {
      this.connector(this.#target, (...[error, socket]: buildConnector.CallbackArgs) => {
        this.#connecting--;
        if (error === null) this.#keep(socket);
        resolve(error === null);
      });
    });
  }

  close(): void {
    for (const socket of this.#ready) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#ready.add(socket);
    const drop = () => {
      socket.destroy();
      this.#letGo(socket);
    };
    this.#drops.set(socket, drop);
    socket.setTimeout(KEPT_MS, drop).once('end', drop).once('close', drop).once('error', drop);
  }

  readonly #drops = new WeakMap<Socket, () => void>();

  #letGo(socket: Socket): void {
    this.#ready.delete(socket);
    const drop = this.#drops.get(socket);
    if (drop === undefined) return;
    for (const event of ['timeout', 'end', 'close', 'error']) socket.off(event, drop);
    socket.setTimeout(0);
  }
}

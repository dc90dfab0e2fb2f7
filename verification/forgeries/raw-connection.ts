import { connect, type Socket } from 'node:net';

export interface Answer {
  /** 0 if the connection was closed without an answer. */
  status: number;
  body: string;
}

const TIMEOUT_MS = 15_000;

/** Sends requests as bytes over one connection, one after the other; opens a new one if the server closed it. */
export class RawConnection {
  #socket?: Socket;

  constructor(
    private readonly port: number,
    private readonly from: string,
  ) {}

  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve) => {
      const socket = this.#connected();
      let received = Buffer.alloc(0);
      const settle = (answer: Answer, keep: boolean) => {
        clearTimeout(timer);
        socket
          .removeAllListeners('data')
          .removeAllListeners('close')
          .removeAllListeners('error')
          .on('error', () => undefined);
        if (!keep) this.close();
        resolve(answer);
      };
      const timer = setTimeout(() => settle({ status: 0, body: '' }, false), TIMEOUT_MS);
      socket.on('data', (bytes: Buffer) => {
        received = Buffer.concat([received, bytes]);
        const answer = answerIn(received);
        if (answer) settle(answer, answer.isAlone && !/connection: close/i.test(answer.head));
      });
      socket.on('error', () => undefined);
      socket.on('close', () => settle(answerIn(received) ?? { status: 0, body: '' }, false));
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connected(): Socket {
    if (this.#socket === undefined || this.#socket.destroyed || this.#socket.readableEnded)
      this.#socket = connect({ port: this.port, host: '127.0.0.1', localAddress: this.from }).setNoDelay();
    return this.#socket;
  }
}

/** Returns the first complete answer. `isAlone` is true if no bytes follow it. */
function answerIn(bytes: Buffer): (Answer & { head: string; isAlone: boolean }) | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < end + 4 + length) return undefined;
  const body = bytes.toString('utf8', end + 4, end + 4 + length);
  return { status: Number(head.slice(9, 12)), body, head, isAlone: bytes.length === end + 4 + length };
}

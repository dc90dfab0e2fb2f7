import type { IncomingMessage } from 'node:http';

/** Overhead per chunk: a body may arrive byte by byte, and each chunk is an object until the body is complete. */
const BYTES_PER_PIECE = 256;

/**
 * Bounds the memory of incomplete bodies, which anybody may send. Beyond the limit the connection with the largest one is closed without a
 * response, because valid bodies are small.
 */
export class IncomingBodies {
  readonly #bodies = new Map<IncomingMessage, number>();
  #bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onCut: () => void,
  ) {}

  watch(body: IncomingMessage): void {
    this.#bodies.set(body, 0);
    body.on('data', (piece: Buffer) => this.#came(body, piece.length + BYTES_PER_PIECE));
    for (const event of ['end', 'close']) body.once(event, () => this.#release(body));
  }

  #came(body: IncomingMessage, bytes: number): void {
    const before = this.#bodies.get(body);
    if (before === undefined) return;
    this.#bodies.set(body, before + bytes);
    this.#bytes += bytes;
    if (this.#bytes > this.maxBytes) this.#cutLargest();
  }

  #cutLargest(): void {
    const [largest] = [...this.#bodies].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.#release(largest);
    largest.socket.destroy();
    this.onCut();
  }

  #release(body: IncomingMessage): void {
    this.#bytes -= this.#bodies.get(body) ?? 0;
    this.#bodies.delete(body);
  }
}

import type { Writable } from 'node:stream';
import { atMost } from '@tranche/runtime';
import { pino, type DestinationStream } from 'pino';

/** What waits for the reader of the log at most, bytes. Beyond it only lines of level error are kept, up to twice as much. */
const WAITING_BYTES = 4 * 1024 * 1024;

const METADATA: unique symbol = Symbol.for('pino.metadata');

/**
 * Where log lines go: a stream whose reader may stand still. Writing never waits for the reader, because a service that waited would not
 * answer its health checks, lose its Kafka sessions and put calls in doubt. Lines that find no room are dropped and counted.
 */
export class LogOutput implements DestinationStream {
  /** pino says the level of each line in `lastLevel` before it writes it. */
  readonly [METADATA] = true;
  lastLevel = 0;
  /** Lines dropped since the start of the process, by level. */
  readonly dropped = new Map<string, number>();
  /** Called when there is room again, with the count of lines dropped before that. */
  onRecovered: (dropped: number) => void = () => undefined;
  #droppedNow = 0;

  constructor(
    private readonly stream: Writable,
    private readonly waitingBytes = WAITING_BYTES,
  ) {
    // The reader is gone (EPIPE): the service goes on without it. From then on the stream is not writable.
    stream.on('error', () => undefined);
  }

  write(line: string): void {
    const isError = this.lastLevel >= pino.levels.values['error']!;
    const isRoom = this.stream.writableLength + line.length <= this.waitingBytes * (isError ? 2 : 1);
    if (isRoom && this.stream.writable) this.stream.write(line);
    else this.#drop(pino.levels.labels[this.lastLevel] ?? 'unknown');
  }

  /** Resolves when all has been read, or after this time: a reader that stands still must not keep a process from ending. */
  async flush(timeoutMs: number): Promise<void> {
    if (!this.stream.writable || this.stream.writableLength === 0) return;
    await atMost(timeoutMs, this.#untilRead());
  }

  #drop(level: string): void {
    this.dropped.set(level, (this.dropped.get(level) ?? 0) + 1);
    if (++this.#droppedNow === 1) void this.#sayWhenRecovered();
  }

  async #sayWhenRecovered(): Promise<void> {
    if (this.stream.writable) await this.#untilRead();
    const dropped = this.#droppedNow;
    this.#droppedNow = 0;
    if (this.stream.writable) this.onRecovered(dropped);
  }

  /** Resolves when what waits now has been read, or never will be. */
  #untilRead(): Promise<void> {
    return new Promise((resolve) => this.stream.write('', () => resolve()));
  }
}

let output: LogOutput | undefined;

/** The one stdout of this process. Of a pipe or a socket Node.js writes what fits, and the rest when it is read; a file or a terminal takes all at once. */
export const standardOutput = (): LogOutput => (output ??= new LogOutput(process.stdout));

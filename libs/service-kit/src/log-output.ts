import type { Writable } from 'node:stream';
import { atMost } from '@tranche/runtime';
import { pino, type DestinationStream } from 'pino';

/** Maximum bytes that wait for the reader of the log. Beyond it only lines of level error are kept, up to twice as many bytes. */
const WAITING_BYTES = 4 * 1024 * 1024;

const METADATA: unique symbol = Symbol.for('pino.metadata');

/**
 * Destination of log lines: a stream whose reader may stall. Writing never waits for the reader; otherwise a stalled reader would fail
 * health checks and Kafka sessions, and put platform calls in doubt. Lines beyond the bound are dropped and counted.
 */
export class LogOutput implements DestinationStream {
  /** pino stores the level of each line in `lastLevel` before it writes the line. */
  readonly [METADATA] = true;
  lastLevel = 0;
  /** Dropped lines since the start of the process, by level. */
  readonly dropped = new Map<string, number>();
  /** Called with the number of dropped lines when there is room again. */
  onRecovered: (dropped: number) => void = () => undefined;
  #droppedNow = 0;

  constructor(
    private readonly stream: Writable,
    private readonly waitingBytes = WAITING_BYTES,
  ) {
    // The reader is gone (EPIPE): the service continues without it, and the stream is no longer writable.
    stream.on('error', () => undefined);
  }

  write(line: string): void {
    const isError = this.lastLevel >= pino.levels.values['error']!;
    const isRoom = this.stream.writableLength + line.length <= this.waitingBytes * (isError ? 2 : 1);
    if (isRoom && this.stream.writable) this.stream.write(line);
    else this.#drop(pino.levels.labels[this.lastLevel] ?? 'unknown');
  }

  /** Waits for the reader at most `timeoutMs`, so that a stalled one does not keep the process from ending. */
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

  #untilRead(): Promise<void> {
    return new Promise((resolve) => this.stream.write('', () => resolve()));
  }
}

let output: LogOutput | undefined;

/** The process's stdout. Node.js writes to a pipe or socket as its reader reads, and to a file or terminal synchronously. */
export const standardOutput = (): LogOutput => (output ??= new LogOutput(process.stdout));

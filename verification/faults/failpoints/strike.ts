import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Failpoint, WRITTEN, type WrittenPoint } from './failpoints.js';

type Signal = (name: 'SIGKILL' | 'SIGSTOP') => void;

/** Counts how often each point is passed. At the wanted hit it prints one line on stderr and signals this process. */
export function failpoints(
  armed: readonly Failpoint[],
  say: (line: string) => void,
  signal: Signal,
): (name: string, key: string) => void {
  const left = armed.map((failpoint) => ({ ...failpoint }));
  return (name, key) => {
    for (const failpoint of left) {
      if (failpoint.point !== name || !key.includes(failpoint.order ?? '') || --failpoint.hit !== 0) continue;
      say(`failpoint ${name} ${failpoint.do}\n`);
      signal(failpoint.do === 'kill' ? 'SIGKILL' : 'SIGSTOP');
    }
  };
}

/** Uses this process. The line is written synchronously, so it is complete before the process dies. */
export function strikeThisProcess(armed: readonly Failpoint[]): void {
  const pass = failpoints(
    armed,
    (line) => writeSync(2, line),
    (name) => process.kill(process.pid, name),
  );
  (globalThis as { failpoint?: typeof pass }).failpoint = pass;
  const wanted = new Set(armed.map(({ point }) => point));
  watchWrites(
    WRITTEN.filter(({ name }) => wanted.has(name)),
    pass,
  );
}

type Encoding = BufferEncoding | 'buffer';
type Written = { chunk: Buffer | string; encoding: Encoding };
type Callback = (error?: Error | null) => void;
interface Writes {
  _write: (this: Writes, chunk: Buffer | string, encoding: Encoding, callback: Callback) => void;
  _writev: (this: Writes, chunks: Written[], callback: Callback) => void;
}

/**
 * Wraps every write of a TCP connection to the kernel; small writes are in the kernel when the call returns. Returns a function that
 * removes the wrapper.
 */
export function watchWrites(points: readonly WrittenPoint[], pass: (name: string, key: string) => void): () => void {
  if (points.length === 0) return () => undefined;
  const socket = Socket.prototype as unknown as Writes;
  const { _write, _writev } = socket;
  const around = (self: Writes, bytes: Buffer, write: () => void, callback: Callback) => {
    const text = bytes.toString('latin1');
    const due = points.filter(({ is }) => is.test(text));
    for (const { name } of due.filter(({ written }) => written === 'none')) pass(name, text);
    const halves = due.filter(({ written }) => written === 'half');
    if (halves.length > 0) {
      const half = Math.floor(bytes.length / 2);
      _write.call(self, bytes.subarray(0, half), 'buffer', () => undefined);
      for (const { name } of halves) pass(name, text);
      _write.call(self, bytes.subarray(half), 'buffer', callback);
    } else write();
    for (const { name } of due.filter(({ written }) => written === 'all')) pass(name, text);
  };
  socket._write = function (chunk, encoding, callback) {
    around(this, bytesOf({ chunk, encoding }), () => _write.call(this, chunk, encoding, callback), callback);
  };
  socket._writev = function (chunks, callback) {
    around(this, Buffer.concat(chunks.map(bytesOf)), () => _writev.call(this, chunks, callback), callback);
  };
  return () => Object.assign(socket, { _write, _writev });
}

function bytesOf({ chunk, encoding }: Written): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding === 'buffer' ? 'utf8' : encoding) : chunk;
}

export interface ClockJump {
  ms: number;
}

/** `Date` of this process jumps on SIGUSR2; monotonic clocks do not. */
export function jumpClock({ ms }: ClockJump): void {
  const RealDate = Date;
  let aheadMs = 0;
  process.once('SIGUSR2', () => (aheadMs = ms));
  const nowMs = () => RealDate.now() + aheadMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget) as Date,
    get: (target, name, receiver) => (name === 'now' ? nowMs : (Reflect.get(target, name, receiver) as unknown)),
  });
}

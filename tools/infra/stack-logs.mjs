/** Keeps the output of running stacks in .infra/stack-PID/NAME.log until the stack ends. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './is-running.mjs';

const PREFIX = 'stack-';
const LOOK_EVERY_MS = 100;
const CHUNK_BYTES = 64 * 1024;
/** A longer log is started anew, because a stack may run for days. */
const MOST_BYTES = 64 * 1024 * 1024;

const fileOf = (pid, name) => resolve('.infra', `${PREFIX}${pid}`, `${name}.log`);

export function keepStackLogs(held, { mostBytes = MOST_BYTES } = {}) {
  const folder = held.removeAtEnd(resolve('.infra', `${PREFIX}${process.pid}`));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const outputOf = (name) => {
    const file = join(folder, `${name}.log`);
    let bytes = 0;
    writeFileSync(file, '');
    return (line) => {
      const text = `${line}\n`;
      const isFull = (bytes += Buffer.byteLength(text)) > mostBytes;
      if (isFull) bytes = Buffer.byteLength(text);
      (isFull ? writeFileSync : appendFileSync)(file, text);
    };
  };
  return { outputOf };
}

export function runningStacks() {
  const names = existsSync('.infra') ? readdirSync('.infra').filter((name) => /^stack-\d+$/.test(name)) : [];
  const begunAt = (pid) => statSync(resolve('.infra', `${PREFIX}${pid}`), { throwIfNoEntry: false })?.birthtimeMs ?? 0;
  const pids = names.map((name) => Number(name.slice(PREFIX.length))).filter(isRunning);
  return pids.sort((a, b) => begunAt(b) - begunAt(a));
}

/** Writes the log's content and everything that is added, until the stack ends or `signal` is aborted. */
export async function followLog({ pid, name, write, signal }) {
  const file = fileOf(pid, name);
  let position = 0;
  while (!signal.aborted) {
    const isOver = !isRunning(pid); // checked before the last reading, so that no line is missed
    position = readFrom(file, position, write);
    if (isOver) return;
    await delay(LOOK_EVERY_MS);
  }
}

function readFrom(file, position, write) {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return position;
  let at = size < position ? 0 : position;
  const opened = openSync(file, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (
      let read = readSync(opened, chunk, 0, CHUNK_BYTES, at);
      read > 0;
      read = readSync(opened, chunk, 0, CHUNK_BYTES, at)
    ) {
      write(Buffer.from(chunk.subarray(0, read)));
      at += read;
    }
    return at;
  } finally {
    closeSync(opened);
  }
}

/** Keeps the output of running stacks in .infra/stack-PID/NAME.log until the stack ends. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './processes.mjs';

const PREFIX = 'stack-';
const LOOK_EVERY_MS = 100;
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

/** Writes the lines of the log from its begin and those that are added, until the stack ends or `signal` is aborted. */
export async function followLog({ held, pid, name, write, signal }) {
  const tail = held.start('tail', ['-n', '+1', '-F', fileOf(pid, name)], {
    onLine: (line, stream) => stream === 'stdout' && write(`${line}\n`),
    disposable: true,
  });
  while (!signal.aborted && isRunning(pid)) await delay(LOOK_EVERY_MS);
  await delay(LOOK_EVERY_MS); // for the last lines
  tail.kill();
  await tail.exited;
}

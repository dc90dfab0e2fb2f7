/** Processes and temporary folders that must not outlive a tool, whichever way it ends. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const GRACE_MS = 8_000;

/** A failure whose message says everything: printed without a stack. */
export class Expected extends Error {}

/** Opens the watchdog. Everything started here ends with `close()` or with this process, even if it is killed. */
export function holdProcesses() {
  const guard = spawn(process.execPath, [resolve('tools/infra/guard.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const guardEnded = new Promise((done) => guard.once('exit', done));
  guard.stdin.on('error', () => undefined); // a guard that was killed; close() below does its work as well
  guard.unref();
  guard.stdin.unref();
  const running = new Set();
  let closing;

  const tell = (line) => guard.stdin.write(`${line}\n`);

  /**
   * Starts a child that leads its own process group. `disposable`: keeps nothing worth a clean end, so it is killed at once.
   * `onLine` is told each line, and whether it came from `stdout` or `stderr`. `exited` resolves to the exit code, or the name of the signal,
   * and never rejects.
   */
  function start(
    command,
    args,
    { env = process.env, cwd = process.cwd(), onLine = () => undefined, disposable = false } = {},
  ) {
    if (closing) throw new Expected('stopping');
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) tell(`process ${child.pid}`);
    for (const name of ['stdout', 'stderr'])
      createInterface({ input: child[name] }).on('line', (line) => onLine(line, name));
    const started = {
      pid: child.pid,
      disposable,
      exitCode: undefined,
      kill: (name = 'SIGTERM') => signalGroup(child.pid, name),
    };
    started.exited = new Promise((done) => {
      const ended = (outcome) => {
        started.exitCode ??= outcome;
        running.delete(started);
        done(outcome);
      };
      child.once('error', (error) => {
        onLine(error.message, 'stderr');
        ended('not started');
      });
      child.once('exit', () => signalGroup(child.pid, 'SIGKILL')); // what it started goes with it
      child.once('close', (code, name) => {
        tell(`gone ${child.pid}`);
        ended(code ?? name);
      });
    });
    running.add(started);
    return started;
  }

  return {
    start,

    /** Runs a command to its end; rejects with its last lines if it fails. */
    async run(command, args, { onLine = () => undefined, ...options } = {}) {
      const lines = [];
      const keep = (line) => {
        lines.push(line);
        onLine(line);
      };
      const outcome = await start(command, args, { ...options, onLine: keep }).exited;
      if (outcome !== 0)
        throw new Expected(`${[command, ...args].join(' ')} ended with ${outcome}\n${lines.slice(-25).join('\n')}`);
      return lines;
    },

    /** A folder in the temporary folder that is removed at the end. None is made when the end has come: nobody would remove it. */
    folder(prefix) {
      if (closing) throw new Expected('stopping');
      return this.removeAtEnd(mkdtempSync(join(tmpdir(), prefix)));
    },

    /** Of a file or a folder that lies elsewhere, or is not there yet. */
    removeAtEnd(path) {
      tell(`folder ${path}`);
      return path;
    },

    container: (name) => tell(`container ${name}`),

    /** Services get SIGTERM and time to drain, then brokers and stores go, then the guard removes the folders. */
    close() {
      closing ??= (async () => {
        await stopAll([...running].filter((child) => !child.disposable));
        for (const child of running) child.kill('SIGKILL');
        await Promise.all([...running].map((child) => child.exited));
        guard.ref();
        guard.stdin.end();
        await guardEnded;
      })();
      return closing;
    },
  };
}

/** SIGTERM to all of them, SIGKILL to those who are still there after the grace. */
export async function stopAll(children, graceMs = GRACE_MS) {
  for (const child of children) child.kill('SIGTERM');
  const overdue = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), graceMs);
  await Promise.all(children.map((child) => child.exited));
  clearTimeout(overdue);
}

function signalGroup(pid, name) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

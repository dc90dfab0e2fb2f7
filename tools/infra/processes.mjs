/** Holds processes and temporary folders that must not outlive a tool, however it ends. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const GRACE_MS = 8_000;
const KEPT_LINES = 20;

/** An error whose message is complete for the user, so it is printed without a stack. */
export class Expected extends Error {}

/** Starts the watchdog. Everything started here ends with `close()` or with this process, even if it is killed. */
export function holdProcesses() {
  const guard = spawn(process.execPath, [resolve('tools/infra/guard.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const guardEnded = new Promise((done) => guard.once('exit', done));
  guard.stdin.on('error', () => undefined); // the guard may have been killed; close() then does its work
  guard.unref();
  guard.stdin.unref();
  const running = new Set();
  let closing;

  const tell = (line) => guard.stdin.write(`${line}\n`);

  /**
   * Starts a child that leads its own process group. A `disposable` child needs no clean end, so it is killed at once. `onLine` gets each
   * line and `stdout` or `stderr`. `exited` resolves to the exit code or the signal's name, and never rejects.
   */
  function start(
    command,
    args,
    { env = process.env, cwd = process.cwd(), uid, gid, onLine = () => undefined, disposable = false } = {},
  ) {
    if (closing) throw new Expected('stopping');
    const child = spawn(command, args, { env, cwd, uid, gid, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const lastLines = [];
    if (child.pid !== undefined) tell(`process ${child.pid}`);
    for (const name of ['stdout', 'stderr'])
      createInterface({ input: child[name] }).on('line', (line) => {
        if (lastLines.push(line) > KEPT_LINES) lastLines.shift();
        onLine(line, name);
      });
    const started = {
      pid: child.pid,
      disposable,
      exitCode: undefined,
      kill: (name = 'SIGTERM') => signalGroup(child.pid, name),
      /** Says why `portOpens` waits in vain. */
      gaveUp: () =>
        started.exitCode === undefined ? undefined : [`ended with ${started.exitCode}`, ...lastLines].join('\n'),
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
      child.once('exit', () => signalGroup(child.pid, 'SIGKILL')); // kills the child's own children
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

    /** Makes a temporary folder that is removed at the end. Throws during the end, because nobody would remove the folder then. */
    folder(prefix) {
      if (closing) throw new Expected('stopping');
      return this.removeAtEnd(mkdtempSync(join(tmpdir(), prefix)));
    },

    /** Removes a path at the end that lies elsewhere, or does not exist yet. */
    removeAtEnd(path) {
      tell(`folder ${path}`);
      return path;
    },

    container: (name) => tell(`container ${name}`),

    isClosing: () => closing !== undefined,

    /** Services get SIGTERM and time to drain, then brokers and stores are killed, then the guard removes the folders. */
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

export async function stopAll(children, graceMs = GRACE_MS) {
  for (const child of children) child.kill('SIGTERM');
  const overdue = setTimeout(() => children.forEach((child) => child.kill('SIGKILL')), graceMs);
  await Promise.all(children.map((child) => child.exited));
  clearTimeout(overdue);
}

/** Every child leads a process group, so its own children end with it. */
export function signalGroup(pid, name) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** True if a process with this id exists, or with `-id` a process group, also another user's. */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

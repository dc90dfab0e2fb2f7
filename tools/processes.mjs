/** Processes and temporary folders that must not outlive a tool, whichever way it ends. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const GRACE_MS = 8_000;

/**
 * Runs a tool's story and ends what it started: after its end, an error, SIGINT, SIGTERM or SIGHUP, or when the npm that runs it was
 * killed. The process exits with the story's number (nothing: 0), with 1 after an error, with 128 + n after a signal; with 0 then if the
 * tool runs until it is stopped.
 */
export async function runTool(story, { runsUntilStopped = false } = {}) {
  const held = holdProcesses();
  const interruption = new AbortController();
  const interrupt = (reason) => interruption.abort(reason);
  let exitCode = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => {
      exitCode ||= runsUntilStopped ? 0 : 128 + constants.signals[name];
      interrupt(new Stopped(`stopped by ${name}`));
    });
  }
  whenNpmIsGone(() => interrupt(new Stopped('npm was killed')));
  process.on('uncaughtException', interrupt);
  process.on('unhandledRejection', interrupt);
  const interrupted = new Promise((_, reject) => {
    interruption.signal.addEventListener('abort', () => reject(interruption.signal.reason), { once: true });
  });
  try {
    const result = await Promise.race([story({ held, signal: interruption.signal }), interrupted]);
    exitCode ||= result ?? 0;
  } catch (error) {
    if (!(error instanceof Stopped)) {
      console.error(error instanceof Expected ? error.message : error);
      exitCode ||= 1;
    }
  }
  await held.close();
  process.exit(exitCode);
}

class Stopped extends Error {}

/**
 * npm passes signals on to its child (that is us, not a shell: package.json says `exec node …`), but not its own violent death. Started by
 * hand, a tool may outlive its shell.
 */
function whenNpmIsGone(tell) {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  setInterval(() => process.ppid === npm || tell(), 500).unref();
}

/** A failure whose message says everything: printed without a stack. */
export class Expected extends Error {}

/** Opens the watchdog. Everything started here ends with `close()` or with this process, even if it is killed. */
export function holdProcesses() {
  const guard = spawn(process.execPath, [resolve('tools/guard.mjs')], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const guardEnded = new Promise((done) => guard.once('exit', done));
  guard.stdin.on('error', () => undefined); // a guard that was killed; close() below does its work as well
  guard.unref();
  guard.stdin.unref();
  const running = new Set();
  let closing;

  const tell = (line) => guard.stdin.write(`${line}\n`);

  /**
   * Starts a child that leads its own process group. `disposable`: keeps nothing worth a clean end, so it is killed at once.
   * `exited` resolves to the exit code, or the name of the signal, and never rejects.
   */
  function start(command, args, { env = process.env, cwd = process.cwd(), onLine = () => undefined, disposable = false } = {}) {
    if (closing) throw new Expected('stopping');
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) tell(`process ${child.pid}`);
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
    const started = { pid: child.pid, disposable, exitCode: undefined, kill: (name = 'SIGTERM') => signalGroup(child.pid, name) };
    started.exited = new Promise((done) => {
      const ended = (outcome) => {
        started.exitCode ??= outcome;
        running.delete(started);
        done(outcome);
      };
      child.once('error', (error) => {
        onLine(error.message);
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
      if (outcome !== 0) throw new Expected(`${[command, ...args].join(' ')} ended with ${outcome}\n${lines.slice(-25).join('\n')}`);
      return lines;
    },

    /** A folder that is removed at the end. */
    folder(prefix) {
      const path = mkdtempSync(join(tmpdir(), prefix));
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

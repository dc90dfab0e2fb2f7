import { constants } from 'node:os';
import { Expected, holdProcesses } from './processes.mjs';

/**
 * Runs a tool's story and ends everything that it started: after its end, an error, SIGINT, SIGTERM or SIGHUP, when the reader of its
 * output is gone, or when the npm that runs it was killed. The process exits with the story's number (0 without one), with 1 after an
 * error or where the story resolves to a signal's name, and with 128 + n after a signal, or 0 if the tool runs until it is stopped.
 * Temporary files of the story and its children are in one folder that is removed at the end.
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
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', () => interrupt(new Stopped('nobody reads the output')));
  whenNpmIsGone(() => interrupt(new Stopped('npm was killed')));
  process.on('uncaughtException', interrupt);
  process.on('unhandledRejection', interrupt);
  const interrupted = new Promise((_, reject) => {
    interruption.signal.addEventListener('abort', () => reject(interruption.signal.reason), { once: true });
  });
  const begin = async () => {
    process.env.TMPDIR = held.folder('tranche-');
    return story({ held, signal: interruption.signal });
  };
  try {
    const result = await Promise.race([begin(), interrupted]);
    exitCode ||= typeof result === 'string' ? 1 : (result ?? 0);
  } catch (error) {
    if (!(error instanceof Stopped)) {
      console.error(toldAs(error));
      exitCode ||= 1;
    }
  }
  await held.close();
  await Promise.all([process.stdout, process.stderr].map(allWritten));
  process.exit(exitCode);
}

/** `process.exit` would drop output that a slow reader of a pipe has not taken yet. */
const allWritten = (stream) => new Promise((done) => stream.write('', () => done()));

class Stopped extends Error {}

/** Returns the message alone if a person can act on it; a stack only for errors in our code. */
export function toldAs(error) {
  if (error instanceof Expected) return error.message;
  const isOfTheFileSystem = error?.syscall !== undefined && error.path !== undefined && error.syscall !== 'spawn';
  return isOfTheFileSystem ? `${error.message}; see that it can be read and written, or name another one` : error;
}

/**
 * npm passes signals on to its child (that is us, not a shell: package.json says `exec node …`), but it cannot pass on its own SIGKILL. A
 * tool started by hand may outlive its shell.
 */
function whenNpmIsGone(tell) {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  setInterval(() => process.ppid === npm || tell(), 500).unref();
}

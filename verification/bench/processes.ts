import { fork, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePorts, repositoryRoot, startApp, waitFor, type AppName } from '@tranche/testing';

const STOP_TIMEOUT_MS = 20_000;
/** The image sets the same option (Dockerfile): the young generation then holds a second of commands. */
const NODE_OPTIONS = '--max-semi-space-size=64';

/** A process that `await using` stops. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly exited: Promise<unknown>;
  /** @throws with its last lines if it has ended */
  readonly assertRunning: () => void;
}

export interface RunningService extends Running {
  readonly managementUrl: string;
}

/**
 * Starts a shipped service and waits until it is ready. It logs warnings only: at `info` the gateway logs each result, which would be
 * measured too. BENCH_NODE_OPTIONS replaces the options of its Node. With `profileFile` it starts its compiled modules instead of their
 * bundle, so that a profile has their names.
 */
export async function startService(
  name: AppName,
  env: Record<string, string>,
  profileFile?: string,
  readyTimeoutMs = 60_000,
): Promise<RunningService> {
  const [port, managementPort] = await freePorts();
  const ports = { PORT: String(port), MANAGEMENT_PORT: String(managementPort), BIND_ADDRESS: '127.0.0.1' };
  const nodeOptions = process.env.BENCH_NODE_OPTIONS ?? NODE_OPTIONS;
  const profiler = `--import=${pathToFileURL(join(repositoryRoot(), 'verification/dist/bench/profiler.js')).href}`;
  const options: Record<string, string> =
    profileFile === undefined
      ? { NODE_OPTIONS: nodeOptions }
      : { NODE_OPTIONS: `${nodeOptions} ${profiler}`, PROFILE_FILE: profileFile };
  const start = { readyTimeoutMs, isUnbundled: profileFile !== undefined };
  const app = await startApp(name, { LOG_LEVEL: 'warn', ...options, ...ports, ...env }, start);
  const { pid, url, managementUrl, exited } = app;
  const assertRunning = () => {
    if (app.killed) throw new Error(`${name} has ended\n${app.logs.slice(-20).join('\n')}`);
  };
  return { pid, url, managementUrl, exited, assertRunning, [Symbol.asyncDispose]: async () => void (await app.stop()) };
}

const running = new Set<() => unknown>();
process.once('exit', () => running.forEach((kill) => kill()));

interface Script {
  /** Built file below verification/dist/bench, and its arguments. */
  main: readonly [file: string, ...args: string[]];
  env: Record<string, string>;
  /** The script is ready when this path answers 200. */
  readyPath?: string;
}

export interface RunningScript extends Running {
  /** The figures that it sent last. */
  readonly report: Record<string, number>;
}

/** Starts a program of the bench in a process of its own. */
export async function startScript({ main: [file, ...args], env, readyPath }: Script): Promise<RunningScript> {
  const [port] = await freePorts();
  const child = fork(join(repositoryRoot(), 'verification/dist/bench', file), args, {
    env: { ...surroundings(), NODE_OPTIONS, PORT: String(port), ...env },
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const report: RunningScript['report'] = {};
  child.on('message', (message) => Object.assign(report, message));
  const url = `http://127.0.0.1:${port}`;
  const script = supervised(child, [file, ...args].join(' '), url);
  if (readyPath !== undefined) {
    const isReady = async () => script.hasEnded() || (await fetch(url + readyPath)).ok;
    await waitFor(isReady, { timeoutMs: 60_000, what: `${file} to answer` });
    script.assertRunning();
  }
  return { ...script, report };
}

/** Folder with the jars of the Java peers; unset where they are left out. */
export const javaPeers = process.env.JAVA_PEERS;

/** Starts a Java peer with the options that Java has by itself. It is ready when its first event comes. */
export function startJavaPeer(name: string, env: Record<string, string>): Running {
  const options = ['-XX:-UsePerfData', '-cp', join(javaPeers ?? '', '*'), 'Peer', name];
  const stdio = ['ignore', process.stderr, process.stderr] as const;
  return supervised(spawn('java', options, { env: { ...surroundings(), ...env }, stdio: [...stdio] }), name, '');
}

const surroundings = () => ({ PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR });

function supervised(child: ChildProcess, name: string, url: string): Running & { hasEnded: () => boolean } {
  const kill = () => child.kill('SIGKILL');
  running.add(kill);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => running.delete(kill));
  const hasEnded = () => !running.has(kill);
  const assertRunning = () => {
    if (hasEnded()) throw new Error(`${name} has ended`);
  };
  const stop = async () => {
    child.kill('SIGTERM');
    const overdue = setTimeout(kill, STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(overdue);
  };
  return { pid: child.pid ?? 0, url, exited, hasEnded, assertRunning, [Symbol.asyncDispose]: stop };
}

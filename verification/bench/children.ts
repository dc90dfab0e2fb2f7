import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const KEPT_LINES = 200;

export interface Child {
  readonly pid: number;
  /** The last lines that it printed. */
  readonly lines: string[];
  assertRunning(): void;
  readonly exited: Promise<void>;
  /** Sends SIGTERM, and SIGKILL if that is not enough; resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  main: string[];
  env: Record<string, string>;
  /** The child is ready when this URL answers 200. */
  readyUrl?: string;
  onLine?: (line: string) => void;
  /** Options of Node itself, such as `--cpu-prof`. */
  nodeOptions?: string[];
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts a built program of this repository as a child process and waits until it is ready. */
export async function startChild({ main, env, readyUrl, onLine, nodeOptions = [] }: ChildOptions): Promise<Child> {
  const [file = '', ...rest] = main;
  const child = spawn(process.execPath, [...nodeOptions, join(root(), file), ...rest], {
    cwd: root(),
    env: { ...systemVariables(), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (lines.push(line) > KEPT_LINES) lines.shift();
      onLine?.(line);
    });
  }
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      running.delete(child);
      resolve();
    });
  });
  const hasEnded = () => !running.has(child);
  const started: Child = {
    pid: child.pid ?? 0,
    lines,
    exited,
    assertRunning() {
      if (hasEnded()) throw new Error(`${main.join(' ')} has ended\n${lines.slice(-20).join('\n')}`);
    },
    async stop() {
      if (!hasEnded()) child.kill('SIGTERM');
      const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(overdue);
    },
  };
  if (readyUrl === undefined) return started;
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await isReady(readyUrl))) {
    if (hasEnded() || performance.now() > deadline) {
      await started.stop();
      throw new Error(`${file} did not become ready\n${lines.slice(-20).join('\n')}`);
    }
    await delay(50);
  }
  return started;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false; // not ready yet: the caller asks again until its deadline
  }
}

/** Returns the repository's root: this file is built into verification/dist/bench. */
export function root(): string {
  return dirname(dirname(dirname(dirname(process.argv[1] ?? ''))));
}

/** Starts something on a free port, and tries another one if that port was taken meanwhile. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (attempt === 3 || !String(error).includes('EADDRINUSE')) throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function systemVariables(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  return { PATH, HOME, TMPDIR, LANG };
}

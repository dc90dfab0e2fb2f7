import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from './wait-for.js';

const READY_TIMEOUT_MS = 100_000;
const STOP_TIMEOUT_MS = 30_000;

export type AppName =
  | 'payment-gateway'
  | 'notification-ingest'
  | 'auth-service'
  | 'cse-token-service'
  | 'checkout-demo'
  | 'platform-simulator';

/** An exit code, or the signal that ended the process. */
export type Exit = number | NodeJS.Signals;

export interface RunningApp {
  readonly pid: number;
  /** Everything it has printed so far, a line each. */
  readonly logs: string[];
  /** Where its API listens; an error until it said so, which it does when it has started. */
  readonly url: string;
  /** Where /health and /metrics listen; an error until it said so, which is the first line that it prints. */
  readonly managementUrl: string;
  /** Resolves when the process has ended, whoever ended it. */
  readonly exited: Promise<Exit>;
  /** Whether it has ended. */
  readonly killed: boolean;
  /** Sends the signal and resolves to the end; SIGKILL after 30 s. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface StartOptions {
  /** The path that says when it is ready, or `undefined` to wait for nothing: then see `logs` and `exited`. */
  readyPath?: string | undefined;
  readyTimeoutMs?: number;
  /** Root of another built release to start it from; this one's when absent. */
  root?: string | undefined;
  /** Starts `main.js` and its modules instead of the bundle, so that a module hook sees each compiled file. */
  isUnbundled?: boolean;
  /** A file that gets each line of `logs` too, for specs in other processes. */
  logFile?: string;
}

/**
 * Starts the built `apps/NAME/dist/service.js` with these variables, and waits until it is ready. It chooses its ports itself (PORT=0) and
 * prints them, so two runs on one machine never meet. A process that ends before it is ready is an error with what it printed. All of them
 * end with the process that started them.
 */
export async function startApp(
  name: AppName,
  env: Record<string, string> = {},
  options: StartOptions = {},
): Promise<RunningApp> {
  const root = options.root ?? repositoryRoot();
  const main = builtFile(root, name, options.isUnbundled ? ['main.js'] : ['service.js', 'main.js']);
  const child = spawn(process.execPath, [main], {
    cwd: root,
    env: { ...systemVariables(), LOG_LEVEL: 'info', PORT: '0', MANAGEMENT_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  guard(repositoryRoot(), child);

  const logs: string[] = [];
  const ports: Ports = {};
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      logs.push(line);
      if (options.logFile !== undefined) appendFileSync(options.logFile, `${line}\n`);
      Object.assign(ports, portsIn(line));
    });
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve((exit = code ?? signal ?? 1)));
  });
  const address = (port: number | undefined) => {
    if (port === undefined) throw new Error(`${name} did not say yet where it listens\n${logs.slice(-10).join('\n')}`);
    return `http://127.0.0.1:${port}`;
  };

  const app: RunningApp = {
    pid: child.pid ?? 0,
    logs,
    get url() {
      return address(ports.port);
    },
    get managementUrl() {
      return address(name === 'platform-simulator' ? ports.port : ports.managementPort);
    },
    exited,
    get killed() {
      return exit !== undefined;
    },
    async stop(signal = 'SIGTERM') {
      if (exit === undefined) child.kill(signal);
      const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      const ended = await exited;
      clearTimeout(overdue);
      return ended;
    },
  };
  const { readyPath, readyTimeoutMs = READY_TIMEOUT_MS } = { readyPath: '/health/ready', ...options };
  if (readyPath === undefined) return app;
  try {
    await waitFor(async () => exit !== undefined || (await fetch(app.managementUrl + readyPath)).ok, {
      timeoutMs: readyTimeoutMs,
      what: `${name} to be ready`,
    });
    if (exit !== undefined) throw new Error(`${name} ended with ${exit}`);
  } catch (error) {
    await app.stop('SIGKILL');
    throw new Error(`${(error as Error).message}\n${logs.slice(-30).join('\n')}`, { cause: error });
  }
  return app;
}

interface Ports {
  port?: number;
  managementPort?: number;
}

/** The ports that a line of a service's log names: a service's when it begins and when it has started, the simulator's when it listens. */
function portsIn(line: string): Ports {
  if (!/"(managementPort|listening)":\d/.test(line)) return {};
  try {
    const { port, managementPort, listening } = JSON.parse(line) as Ports & { listening?: number };
    const own = port ?? listening;
    return { ...(own !== undefined && { port: own }), ...(managementPort !== undefined && { managementPort }) };
  } catch {
    return {};
  }
}

export function startSimulator(env: Record<string, string> = {}, options: StartOptions = {}): Promise<RunningApp> {
  return startApp('platform-simulator', env, options);
}

/** A release from before the bundles (docs/decisions/0074) has its `main.js` only. */
function builtFile(root: string, name: AppName, names: string[]): string {
  const files = names.map((file) => join(root, 'apps', name, 'dist', file));
  const built = files.find((file) => existsSync(file));
  if (built === undefined) throw new Error(`${files[0]} is not there: run \`npm run build\``);
  return built;
}

/** The folder with nx.json, from wherever the test runs. */
export function repositoryRoot(from = process.cwd()): string {
  if (existsSync(join(from, 'nx.json'))) return from;
  if (dirname(from) === from) throw new Error(`no nx.json above ${process.cwd()}`);
  return repositoryRoot(dirname(from));
}

/** The tests' own settings must not reach the app, except where a test passes them on. */
function systemVariables(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG, NODE_EXTRA_CA_CERTS } = process.env;
  return { PATH, HOME, TMPDIR, LANG, NODE_EXTRA_CA_CERTS };
}

const guarded = new Set<ChildProcess>();
let watchdog: ChildProcess | undefined;

/** tools/infra/guard.mjs ends the apps when this process is gone, even if it was killed; it goes with the last app. */
function guard(root: string, child: ChildProcess): void {
  watchdog ??= startWatchdog(root);
  const { stdin } = watchdog;
  stdin?.write(`process ${child.pid}\n`);
  guarded.add(child);
  child.once('close', () => {
    guarded.delete(child);
    stdin?.write(`gone ${child.pid}\n`);
    if (guarded.size > 0) return;
    stdin?.end();
    watchdog = undefined;
  });
}

function startWatchdog(root: string): ChildProcess {
  const started = spawn(process.execPath, [join(root, 'tools', 'infra', 'guard.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  started.unref();
  (started.stdin as unknown as { unref(): void }).unref();
  started.stdin.on('error', () => undefined);
  return started;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from './wait-for.js';

const READY_PATH = '/health/ready';
const READY_TIMEOUT_MS = 100_000;
const STOP_TIMEOUT_MS = 30_000;
/** At these levels an app doesn't print where it listens. */
const WITHOUT_INFO = new Set(['warn', 'error', 'silent']);

export type AppName =
  | 'payment-gateway'
  | 'notification-ingest'
  | 'auth-service'
  | 'cse-token-service'
  | 'operations'
  | 'checkout-demo'
  | 'platform-simulator';

/** An exit code, or the signal that ended the process. */
export type Exit = number | NodeJS.Signals;

export interface RunningApp {
  readonly pid: number;
  /** All printed lines so far. */
  readonly logs: string[];
  /** URL of the API. Throws until the app has printed its port, which is at the end of its start. */
  readonly url: string;
  /** URL of /health and /metrics. Throws until the app has printed that port, in its first line. */
  readonly managementUrl: string;
  readonly exited: Promise<Exit>;
  readonly killed: boolean;
  /** Sends the signal, after 30 s SIGKILL, and resolves with the exit. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface StartOptions {
  /** Path that answers when the app is ready; with `undefined` nothing is awaited, then see `logs` and `exited`. */
  readyPath?: string | undefined;
  readyTimeoutMs?: number;
  /** Root of another build of this repository (this one). */
  root?: string | undefined;
  /** Starts `main.js` and its modules instead of the bundle, so that a module hook sees each compiled file. */
  isUnbundled?: boolean;
  /** A file that also receives each log line, for specs in other processes. */
  logFile?: string;
}

/**
 * Starts the built `apps/NAME/dist/service.js` with these variables, and waits until it is ready. The app chooses free ports (PORT=0) and
 * prints them, so that two runs on one machine do not conflict. If the process ends before it is ready, this throws with its output. All
 * apps end with the process that started them.
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
  const ports = givenPorts(env);
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
    const origin = `http://127.0.0.1:${port}`;
    return options.root === undefined && exit === undefined ? noteService(name, origin) : origin;
  };
  void exited.then(() => forgetService(ports));

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
  const { readyPath, readyTimeoutMs = READY_TIMEOUT_MS } = { readyPath: READY_PATH, ...options };
  // Its answer may come before its last line of the start, which says where the API listens.
  const hasSaid = () =>
    readyPath !== READY_PATH ||
    name === 'platform-simulator' ||
    WITHOUT_INFO.has(env.LOG_LEVEL ?? 'info') ||
    logs.some((line) => line.includes('has started'));
  if (readyPath === undefined) return app;
  try {
    await waitFor(async () => exit !== undefined || ((await fetch(app.managementUrl + readyPath)).ok && hasSaid()), {
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

/** Jest's `fetch` checks answers of these origins by the OpenAPI document of the service (`jest.fetch.cjs`). Outside of Jest there is no map. */
const noted = globalThis as { trancheServices?: Map<string, string> };

export function noteService(name: string, origin: string): string {
  noted.trancheServices?.set(origin, name);
  return origin;
}

/** The port of an ended process may become that of a stub. */
function forgetService({ port, managementPort }: Ports): void {
  for (const one of [port, managementPort]) noted.trancheServices?.delete(`http://127.0.0.1:${one}`);
}

interface Ports {
  port?: number;
  managementPort?: number;
}

/** A caller that silences the line in which an app prints its ports must choose them. */
function givenPorts({ PORT, MANAGEMENT_PORT }: Record<string, string>): Ports {
  return {
    ...(Number(PORT) > 0 && { port: Number(PORT) }),
    ...(Number(MANAGEMENT_PORT) > 0 && { managementPort: Number(MANAGEMENT_PORT) }),
  };
}

/** Reads the ports from a log line: a service prints them when it begins and when it has started, the simulator when it listens. */
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

/** A release from before the bundles (docs/decisions/0074) has only `main.js`. */
function builtFile(root: string, name: AppName, names: string[]): string {
  const files = names.map((file) => join(root, 'apps', name, 'dist', file));
  const built = files.find((file) => existsSync(file));
  if (built === undefined) throw new Error(`${files[0]} is not there: run \`npm run build\``);
  return built;
}

/** The closest folder with nx.json above the working directory. */
export function repositoryRoot(from = process.cwd()): string {
  if (existsSync(join(from, 'nx.json'))) return from;
  if (dirname(from) === from) throw new Error(`no nx.json above ${process.cwd()}`);
  return repositoryRoot(dirname(from));
}

/** Keeps the tests' own settings from the app, unless a test passes them. */
function systemVariables(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG, NODE_EXTRA_CA_CERTS } = process.env;
  return { PATH, HOME, TMPDIR, LANG, NODE_EXTRA_CA_CERTS };
}

const guarded = new Set<ChildProcess>();
let watchdog: ChildProcess | undefined;

/** tools/infra/guard.mjs ends the apps if this process is gone, even if it was killed. The guard ends with the last app. */
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

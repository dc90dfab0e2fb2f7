import { mkdtempSync, rmSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningApp, noteService } from './apps.js';

/** Processes for all spec files of one test run. */
export interface Stage {
  readonly prefix: string;
  readonly env: Record<string, string>;
  readonly apps: Record<string, RunningApp>;
}
export interface StartedStage extends Stage {
  stop(): Promise<void>;
}

/**
 * Starts a stage; `logFile(name)` is the log file of one of its processes, which other processes can read. `stageOf(name)` starts another one, if
 * it does not run yet, for a stage that is built on it.
 */
export type StageDefinition = (
  logFile: (name: string) => string,
  stageOf: (name: string) => Promise<Stage>,
) => Promise<StartedStage>;

/** The JSON of a started stage for the workers. */
interface StageDescription {
  prefix: string;
  env: Record<string, string>;
  apps: Record<string, { pid: number; url?: string; managementUrl?: string; logFile: string }>;
}

export interface StageKeeper {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Keeps the stages of a test run in the process that starts Jest's workers. A stage starts once, when the first spec asks for it, and ends
 * with the run. `GET /NAME` returns its description, or 500 with the reason why it could not start.
 */
export async function keepStages(definitions: Record<string, StageDefinition>): Promise<StageKeeper> {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-stages-'));
  const stages = new Map<string, Promise<StartedStage>>();

  function started(name: string, definition: StageDefinition): Promise<StartedStage> {
    const stageOf = (other: string) => started(other, definitions[other]!);
    const stage = stages.get(name) ?? definition((app) => join(folder, `${name}-${app}.log`), stageOf);
    stages.set(name, stage);
    return stage;
  }

  async function answer(name: string, response: ServerResponse): Promise<void> {
    const definition = definitions[name];
    if (definition === undefined) return respond(response, 404, `no stage is called ${name}`);
    try {
      const { prefix, env, apps } = await started(name, definition);
      const described = Object.entries(apps).map(([app, running]) => [
        app,
        { pid: running.pid, ...addresses(running), logFile: join(folder, `${name}-${app}.log`) },
      ]);
      respond(response, 200, JSON.stringify({ prefix, env, apps: Object.fromEntries(described) as object }));
    } catch (error) {
      respond(response, 500, (error as Error).message);
    }
  }

  const server = createServer((request, response) => void answer((request.url ?? '/').slice(1), response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      const ends = await Promise.allSettled([...stages.values()]);
      await Promise.all(ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.stop()] : [])));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An app without a public port throws on `url`, which is then left out. */
function addresses(app: RunningApp): { url?: string; managementUrl?: string } {
  const found: { url?: string; managementUrl?: string } = {};
  for (const name of ['url', 'managementUrl'] as const) {
    try {
      found[name] = app[name];
    } catch {
      // The app has no such port.
    }
  }
  return found;
}

function respond(response: ServerResponse, status: number, body: string): void {
  // A worker that was busy for long would reuse a connection that was closed meanwhile.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body);
}

/** Variable with the keeper's URL. Jest's global set-up sets it, and every worker inherits it. */
export const KEEPER_VARIABLE = 'TRANCHE_TEST_STAGES';

/**
 * Returns the stage of this test run, and starts it if needed. Other specs use it concurrently: a spec must have its own orders, must not
 * look at others, and must not stop anything. A spec that kills, freezes or configures a process starts its own.
 */
export async function stage(name: string): Promise<Stage> {
  const keeper = process.env[KEEPER_VARIABLE];
  if (!keeper) throw new Error(`${KEEPER_VARIABLE} is not set: run the spec with \`npm test -- PATH\``);
  const response = await fetch(`${keeper}/${name}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`the stage ${name} could not start: ${body}`);
  const { prefix, env, apps } = JSON.parse(body) as StageDescription;
  const running = Object.entries(apps).map(([app, described]) => [app, sharedApp(app, described)] as const);
  return { prefix, env, apps: Object.fromEntries(running) };
}

function sharedApp(name: string, described: StageDescription['apps'][string]): RunningApp {
  const { pid, url, managementUrl, logFile } = described;
  const known = (address: string | undefined) => {
    if (address === undefined) throw new Error(`${name} has no such port`);
    return noteService(name, address);
  };
  return {
    pid,
    get url() {
      return known(url);
    },
    get managementUrl() {
      return known(managementUrl);
    },
    get logs() {
      return existsSync(logFile) ? readFileSync(logFile, 'utf8').split('\n').filter(Boolean) : [];
    },
    exited: new Promise(() => undefined),
    killed: false,
    stop: () => Promise.reject(new Error(`${name} belongs to all specs: a spec that stops it starts its own`)),
  };
}

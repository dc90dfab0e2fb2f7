import { existsSync, readFileSync } from 'node:fs';
import { noteService, type RunningApp } from '../apps.js';
import type { StageDescription } from './stage-keeper.js';

/** Variable with the keeper's URL. Jest's global set-up sets it, and every worker inherits it. */
export const KEEPER_VARIABLE = 'TRANCHE_TEST_STAGES';

export interface Stage {
  readonly prefix: string;
  readonly env: Record<string, string>;
  readonly apps: Record<string, RunningApp>;
}

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

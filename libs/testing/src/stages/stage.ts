import { existsSync, readFileSync } from 'node:fs';
import type { RunningApp } from '../apps.js';
import type { StageDescription } from './stage-keeper.js';

/** Where the keeper of this test run answers; Jest's global set-up sets it, and every worker inherits it. */
export const KEEPER_VARIABLE = 'TRANCHE_TEST_STAGES';

export interface Stage {
  readonly prefix: string;
  readonly env: Record<string, string>;
  readonly apps: Record<string, RunningApp>;
}

/**
 * The stage of this test run, started if this is the first spec that asks. Other specs use it at the same time: a spec has orders of its
 * own, looks at nothing else, and stops nothing. What kills, freezes or configures a process starts its own.
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

/** A process of a stage, as a spec in another process sees it. */
function sharedApp(name: string, described: StageDescription['apps'][string]): RunningApp {
  const { pid, url, managementUrl, logFile } = described;
  const known = (address: string | undefined) => {
    if (address === undefined) throw new Error(`${name} has no such port`);
    return address;
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

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS } from '../faults/catalogue.js';
import { Infrastructure, type CommandLines } from '../faults/infrastructure.js';
import { settled, type Scenario } from '../faults/scenario.js';
import { canariesOf } from './canaries.js';
import { playDemo, type DemoResult } from './demo-run.js';
import { plantFiles } from './planted-files.js';
import { playPlanted, type Remains } from './planted-run.js';
import { redisFile, redisPlaces } from './redis-places.js';
import { reportOf, tableOf, type CanaryReport } from './report.js';

/** One fault of each kind that makes services log what they were doing: a death, an outage, a refusal, a lost answer. */
const FAULTS = ['killed-granted', 'platform-answers-lost', 'wrong-key-then-corrected', 'redis-flushed-at-points-1'];

export const CALM: Scenario = {
  name: 'calm',
  fault: 'none',
  load: { orders: 12, perSecond: 4 },
  async run(stage, load) {
    await stage.readyGateway();
    load.start();
    await settled(load);
  },
};

export interface CanaryOptions {
  readonly json: boolean;
  readonly seed: number;
  readonly runs?: number;
}

export async function runCanaries(
  { json, seed, runs = FAULTS.length }: CanaryOptions,
  place: CommandLines,
): Promise<number> {
  const infrastructure = new Infrastructure(place);
  const playable = FAULTS.flatMap((name) => SCENARIOS.find((scenario) => scenario.name === name) ?? []);
  const left = playable.filter(({ needs = [] }) => needs.every((name) => infrastructure.has(name)));
  try {
    await infrastructure.start();
    const { report, demo, faults } = await sweep({
      infrastructure,
      scenarios: left.slice(0, runs),
      withDemo: true,
      seed,
      log: (line) => console.error(line),
    });
    console.error(tableOf(report));
    if (demo !== undefined && demo.failed > 0)
      console.error(`${demo.failed} scenarios of the demo failed: less was played than is searched`);
    for (const fault of faults) console.error(fault);
    if (json) console.log(JSON.stringify({ ...report, faults: faults.length, demo, seed }));
    return report.hits + faults.length + (demo?.failed ?? 0) > 0 ? 1 : 0;
  } finally {
    await infrastructure.stop();
  }
}

export interface Sweep {
  readonly infrastructure: Infrastructure;
  readonly scenarios: readonly Scenario[];
  readonly withDemo: boolean;
  readonly seed: number;
  readonly log?: (line: string) => void;
}

export async function sweep({
  infrastructure,
  scenarios,
  withDemo,
  seed,
  log = () => undefined,
}: Sweep): Promise<{ report: CanaryReport; faults: string[]; demo?: DemoResult }> {
  const folderName = join(infrastructure.folder, `canaries-${process.pid}`);
  const folder = plantFiles(folderName);
  try {
    if (withDemo) log('playing the demo with planted secrets');
    const played = withDemo ? await playDemo(infrastructure, folder) : undefined;
    const remains: Remains[] = played === undefined ? [] : [played];
    for (const [at, scenario] of scenarios.entries()) {
      log(`playing ${scenario.name} with planted secrets`);
      remains.push(await playPlanted({ infrastructure, folder, scenario, seed: seed + at }));
    }
    const canaries = [...folder.canaries, ...remains.flatMap(({ issued }) => canariesOf(issued))];
    const stored = [...(await redisPlaces(infrastructure.redisUrl)), ...redisFile(infrastructure.redisFolder)];
    const places = [...remains.flatMap((one) => one.places), ...stored];
    const misplaced = remains.reduce((sum, one) => sum + one.misplaced, 0);
    return {
      report: reportOf({ places, canaries, misplaced }),
      faults: remains.flatMap((one) => one.faults),
      ...(played === undefined ? {} : { demo: played.demo }),
    };
  } finally {
    rmSync(folderName, { recursive: true, force: true });
  }
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS } from '../faults/catalogue.js';
import { Infrastructure, type CommandLines } from '../faults/infrastructure.js';
import { settled, type Scenario } from '../faults/scenario.js';
import { countsOf } from '../figures.js';
import { canariesOf } from './canaries.js';
import { redisFile, redisPlaces } from './places.js';
import { plantFiles } from './planted.js';
import { playPlanted, type Remains } from './planted-run.js';
import { reportOf, type CanaryReport } from './search.js';

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

export async function runCanaries(
  { json, seed, runs = FAULTS.length }: { json: boolean; seed: number; runs?: number },
  place: CommandLines,
): Promise<number> {
  const infrastructure = new Infrastructure(place);
  const scenarios = FAULTS.flatMap((name) => SCENARIOS.find((scenario) => scenario.name === name) ?? []);
  try {
    await infrastructure.start();
    const swept = await sweep(infrastructure, scenarios.slice(0, runs), seed);
    const { hits, found, searched, planted, misplaced, faults } = swept;
    for (const hit of found) console.error(`${hit.canary} (${hit.form}) in ${hit.place}, ${hit.entry}: ${hit.around}`);
    for (const fault of faults) console.error(fault);
    console.error(`searched: ${inWords(searched)}\nplanted: ${inWords(planted)}`);
    console.error(`${hits} hits, ${misplaced} requests with card data to wrong addresses`);
    if (json) console.log(JSON.stringify({ ...swept, faults: faults.length, seed }));
    return hits + faults.length > 0 ? 1 : 0;
  } finally {
    await infrastructure.stop();
  }
}

const inWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');

export interface Swept extends CanaryReport {
  /** Number of canaries of each name. */
  readonly planted: Readonly<Record<string, number>>;
  /** Requests that sent card data to a wrong address. */
  readonly misplaced: number;
  readonly faults: readonly string[];
}

/** Plays the scenarios with planted secrets, and searches all that is left. */
export async function sweep(
  infrastructure: Infrastructure,
  scenarios: readonly Scenario[],
  seed: number,
): Promise<Swept> {
  const folderName = join(infrastructure.folder, `canaries-${process.pid}`);
  const folder = plantFiles(folderName);
  try {
    const remains: Remains[] = [];
    for (const [at, scenario] of scenarios.entries()) {
      console.error(`playing ${scenario.name} with planted secrets`);
      remains.push(await playPlanted({ infrastructure, folder, scenario, seed: seed + at }));
    }
    const canaries = [...folder.planted.canaries, ...remains.flatMap(({ issued }) => canariesOf(issued))];
    const stored = [...(await redisPlaces(infrastructure.redisUrl)), ...redisFile(infrastructure.redisFolder)];
    return {
      ...reportOf([...remains.flatMap((one) => one.places), ...stored], canaries),
      planted: countsOf(canaries.map(({ name }) => name)),
      misplaced: remains.reduce((sum, one) => sum + one.misplaced, 0),
      faults: remains.flatMap((one) => one.faults),
    };
  } finally {
    rmSync(folderName, { recursive: true, force: true });
  }
}

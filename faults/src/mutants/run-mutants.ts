import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { campaign } from '../parts/children.js';
import { MUTANTS, type Mutant } from './mutants.js';
import { planted } from './planted.js';

const RUNS = 4_000;
const CHUNK = 20;

export interface MutantsOptions {
  runs?: number;
  seed?: number;
  only?: string;
  json: boolean;
  workers?: number;
}

/** Plants each bug in turn in the real cores, each in processes of its own, and looks for the first run that shows it. */
export async function runMutants(
  { runs = RUNS, seed = 1, only, json, workers = Math.min(2, availableParallelism()) }: MutantsOptions,
  resolve: (name: string) => string,
): Promise<number> {
  const chosen = MUTANTS.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`no mutant is named ${only}; there are ${MUTANTS.map(({ name }) => name).join(', ')}`);
  for (const mutant of chosen) planted(compiled(mutant, resolve), mutant);
  const results: { name: string; found: boolean; seed: number | null; by?: string; runs: number }[] = [];
  const queue = [...chosen];
  const work = async () => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) results.push(await hunt(mutant, seed, runs));
  };
  await Promise.all(Array.from({ length: workers }, work));
  results.sort((a, b) => chosen.findIndex(({ name }) => name === a.name) - chosen.findIndex(({ name }) => name === b.name));
  const found = results.filter((result) => result.found).length;
  if (json) console.log(JSON.stringify({ planted: results.length, found, mutants: results }));
  else console.log(`${found} of ${results.length} planted bugs were found`);
  return found === results.length ? 0 : 1;
}

async function hunt(
  { name, does }: Mutant,
  seed: number,
  runs: number,
): Promise<{ name: string; found: boolean; seed: number | null; by?: string; runs: number }> {
  let tried = 0;
  let first: { seed: number; kind: string; detail: string } | undefined;
  const part = { mutant: name, stopsAtFirst: true };
  let trouble = '';
  await campaign({
    part,
    seed,
    runs,
    workers: 1,
    chunk: CHUNK,
    onTally: (tally) => {
      tried += tally.runs;
      first ??= tally.failed[0];
    },
  }).catch((error: unknown) => (trouble = ` (${String(error)})`));
  console.error(
    `${first ? 'found    ' : 'NOT FOUND'} ${name.padEnd(40)} ${first ? `seed ${first.seed}, ${first.kind}: ${first.detail.slice(0, 120)}` : `in ${tried} runs: ${does}${trouble}`}`,
  );
  return { name, found: first !== undefined, seed: first?.seed ?? null, ...(first ? { by: first.kind } : {}), runs: tried };
}

function compiled({ project, file }: Mutant, resolve: (name: string) => string): string {
  return readFileSync(fileURLToPath(new URL(file, `file://${resolve(`@tranche/${project}`)}`)), 'utf8');
}

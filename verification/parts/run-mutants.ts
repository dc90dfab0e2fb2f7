import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { campaign, chunksOf } from './children.js';
import type { Chunk, Part, Played } from './run-part.js';
import { findMutant, MUTANTS, textsOf, type Mutant, type Resolve } from '../mutants/mutants.js';
import { planted } from '../mutants/planted.js';
import type { Given } from '../seed.js';
import type { Violation } from '../simulation/violations.js';

const RUNS = 4_000;
const CHUNK = 20;

/** Plants each bug in the real code, each in its own processes, and searches for the first run that shows it. */
export async function runMutants(
  { runs = RUNS, seed, only, json, workers = Math.min(2, availableParallelism()) }: Given,
  resolve: Resolve,
): Promise<number> {
  const chosen = only === undefined ? MUTANTS : [findMutant(only)];
  for (const text of chosen.flatMap((mutant) => textsOf(mutant, resolve)))
    planted(readFileSync(fileURLToPath(text.url), 'utf8'), text);
  const mutants: Finding[] = [];
  const queue = [...chosen.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) mutants[next[0]] = await hunt(next[1], seed, runs);
  };
  await Promise.all(Array.from({ length: workers }, work));
  const found = mutants.filter((mutant) => mutant.found).length;
  if (json) console.log(JSON.stringify({ planted: mutants.length, found, mutants, seed }));
  else console.log(`${found} of ${mutants.length} planted bugs were found`);
  return found === chosen.length ? 0 : 1;
}

interface Finding {
  name: string;
  found: boolean;
  seed: number | null;
}

/** A run counts only if it has no violation without the bug. */
async function hunt({ name, does, profile = 'plain' }: Mutant, seed: number, runs: number): Promise<Finding> {
  const planted: Part = { mutant: name, stopsAtFirst: true };
  const chunks = (from: number) => chunksOf(profile, from, seed + runs - from, CHUNK);
  let failed = await firstFailure(planted, chunks(seed));
  while (failed && (await firstFailure({ stopsAtFirst: true }, chunksOf(profile, failed.seed, 1, 1))))
    failed = await firstFailure(planted, chunks(failed.seed + 1));
  const tried = failed ? failed.seed - seed + 1 : runs;
  const words = failed
    ? `seed ${failed.seed}, ${failed.kind}: ${failed.detail.slice(0, 120)}`
    : `in ${tried} runs: ${does}`;
  console.error(`${failed ? 'found    ' : 'NOT FOUND'} ${name.padEnd(40)} ${words}`);
  return { name, found: failed !== undefined, seed: failed?.seed ?? null };
}

async function firstFailure(part: Part, chunks: readonly Chunk[]): Promise<({ seed: number } & Violation) | undefined> {
  let first: ({ seed: number } & Violation) | undefined;
  const onPlayed = ({ seed, violations: [violation] }: Played) => {
    if (violation) first ??= { seed, ...violation };
  };
  await campaign({ part, chunks, workers: 1, onPlayed });
  return first;
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Random } from '../simulation/random.js';
import { FEATURES, play, shrunk } from './compare.js';
import { nextSide, type OldSide, type Sides } from './sides.js';
import { stepsOf, stories, type Step, type Story } from './stories.js';
import { changed, DAMAGES, damaged, type Damage } from './variations.js';

const HISTORIES = 20_000;
/** Stories made from each journal besides the original one; each story is played whole and `DAMAGED` times damaged. */
const STORIES = 6;
const DAMAGED = 3;
const PROGRESS_MS = 10_000;
const MOST_REPORTED = 10;

interface History {
  name: string;
  steps: Step[];
  damage?: Damage;
}

/**
 * Plays histories with the fold of another commit and with today's. Resolves with 1 where they differ, else 0.
 * @param folder the folder that `tools/infra/old-fold.mjs` made
 */
export async function runOracle(
  folder: string,
  options: { histories?: number; seed: number; json: boolean },
): Promise<number> {
  const old = (await import(pathToFileURL(join(folder, 'fold.mjs')).href)) as OldSide;
  const sides = { old, next: nextSide };
  const corpus = join(folder, 'libs/order-journal/test/corpus');
  const { seed, json, histories: most = HISTORIES } = options;
  const figures: Record<string, number> = Object.fromEntries(
    ['histories', 'records', ...FEATURES, ...DAMAGES, 'differences'].map((name) => [name, 0]),
  );
  const count = (name: string, by = 1) => (figures[name] = (figures[name] ?? 0) + by);
  const begun = performance.now();
  let toldMs = begun;
  for await (const { name, steps, damage } of histories(stories(corpus, sides, new Random(seed)), sides, seed)) {
    const { features, difference } = play(steps, sides);
    count('histories');
    count('records', steps.length);
    for (const feature of features) count(feature);
    if (damage !== undefined) count(damage);
    if (difference !== undefined && count('differences') <= MOST_REPORTED) report(name, shrunk(steps, sides), sides);
    if (figures.histories === most) break;
    if (performance.now() - toldMs < PROGRESS_MS) continue;
    toldMs = performance.now();
    console.error(`${figures.histories} of ${most} histories, ${figures.differences} differ`);
  }
  console.error(`${((performance.now() - begun) / 1000).toFixed(0)} s`);
  const result = { ...figures, seed };
  console.log(
    json
      ? JSON.stringify(result)
      : Object.entries(result)
          .map((pair) => pair.join(' '))
          .join('\n'),
  );
  return figures.differences === 0 ? 0 : 1;
}

async function* histories(all: AsyncIterable<Story>, sides: Sides, seed: number): AsyncGenerator<History> {
  let journals = 0;
  for await (const story of all) {
    // Each journal has its own seed, so that a change of one journal does not change the variations of others.
    const random = new Random(seed * 1_000_003 + journals++);
    for (let at = 0; at <= STORIES; at++) {
      const steps = stepsOf(at === 0 ? story : changed(story, random, sides), sides);
      const name = `${story.name}, variation ${at}`;
      yield { name, steps };
      for (let left = DAMAGED; left > 0; left--) yield { name, ...damaged(steps, random) };
    }
  }
}

function report(name: string, steps: readonly Step[], sides: Sides): void {
  console.error(`\n${name}:`);
  for (const { old, next } of steps) {
    console.error(`  ${JSON.stringify(next)}`);
    if (old.record === 'CARRIED') console.error(`    old ${JSON.stringify(old.state)}`);
  }
  for (const line of play(steps, sides).difference?.lines ?? []) console.error(`  ${line}`);
}

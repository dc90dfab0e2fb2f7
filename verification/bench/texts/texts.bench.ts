import type { Bench, Context } from '../bench.js';
import { row, type Row } from '../report.js';
import { falseRefusals, missedCards, type Counted } from './texts.js';

const TEXTS = 10_000;
const SEED = 30;

/** Counts ordinary texts that are refused as card data, and planted cards that are missed. */
export const texts: Bench = {
  name: 'texts',
  about: 'ordinary texts refused as card data, per kind, and planted cards missed (--commands: texts of each kind)',
  needsNothing: true,
  parts: [
    { name: 'refused', run: (context) => Promise.resolve(rows('refused', context, falseRefusals, 0.1)) },
    { name: 'missed', run: (context) => Promise.resolve(rows('missed', context, missedCards, 0)) },
  ],
};

function rows(
  part: string,
  { commands = TEXTS, log }: Context,
  count: (texts: number, seed: number) => Counted[],
  atMost: number,
): Row[] {
  return count(commands, SEED).map(({ name, wrong, texts: all, examples }) => {
    for (const example of examples) log(`${part}: ${name}: ${example}`);
    return row({ name: `${part} ${name}`, unit: '%', ours: (100 * wrong) / all, target: { atMost } });
  });
}

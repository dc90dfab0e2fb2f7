import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { runMutants } from './mutants/run-mutants.js';
import { runPart, type Part } from './parts/run-part.js';
import { runSimulated } from './parts/run-simulated.js';

const { values } = parseArgs({
  options: {
    simulated: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    corpus: { type: 'string' },
    only: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const require = createRequire(import.meta.url);
const resolve = (name: string): string => require.resolve(name);

if (process.send) {
  process.once('message', (part: Part) => void runPart(part, resolve));
} else if (values.corpus !== undefined) {
  const { writeCorpus } = await import('./corpus/write-corpus.js');
  console.error(await writeCorpus({ folder: values.corpus, seed: numbers().seed ?? 1, journals: numbers().runs ?? 240 }));
} else if (values.mutants) {
  process.exitCode = await runMutants(
    { ...numbers(), json: values.json, ...(values.only === undefined ? {} : { only: values.only }) },
    resolve,
  );
} else if (values.simulated) {
  process.exitCode = await runSimulated({ ...numbers(), json: values.json });
} else {
  console.error(
    'There are two modes: --simulated (seeded worlds over the real cores) and --mutants (planted bugs that these worlds must find).',
  );
  process.exitCode = 2;
}

function numbers(): { runs?: number; seed?: number; workers?: number } {
  const given = Object.entries({ runs: values.runs, seed: values.seed, workers: values.workers }).filter(([, text]) => text !== undefined);
  for (const [name, text] of given) if (!/^[0-9]{1,15}$/.test(text ?? '')) throw new Error(`--${name} must be a whole number, not ${text}`);
  return Object.fromEntries(given.map(([name, text]) => [name, Number(text)]));
}

import { createRequire } from 'node:module';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { runMutants } from './parts/run-mutants.js';
import { runPart, type Part } from './parts/run-part.js';
import { runSimulated } from './parts/run-simulated.js';
import type { CommandLines } from './faults/infrastructure.js';
import { seedOf, type Given } from './seed.js';
import { PROFILES } from './simulation/profile.js';

/** `npm run faults` checks what goes with what (tools/commands/faults.mjs). */
const { values } = readArguments({
  options: {
    amounts: { type: 'boolean', default: false },
    orders: { type: 'string' },
    simulated: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    'kill-anywhere': { type: 'boolean', default: false },
    minutes: { type: 'string' },
    'per-second': { type: 'string' },
    brokers: { type: 'string' },
    soak: { type: 'string' },
    beside: { type: 'string' },
    rate: { type: 'string' },
    markdown: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const profiles = [...PROFILES, 'all' as const];
const profile = profiles.find((name) => name === values.profile);
if (values.profile !== undefined && profile === undefined) refuse(`--profile is one of ${profiles.join(', ')}`);

const require = createRequire(import.meta.url);
const resolve = (name: string): string => require.resolve(name);

if (process.send) process.once('message', (part: Part) => void runPart(part, resolve));
else if (values.simulated) process.exitCode = await runSimulated({ ...given(), ...(profile && { profile }) });
else if (values.mutants) process.exitCode = await runMutants(given(), resolve);
else if (values.amounts) {
  const { runAmounts } = await import('./amounts/run-amounts.js');
  process.exitCode = runAmounts(given());
} else if (values.list) {
  const { listOfScenarios } = await import('./faults/run-real.js');
  console.log(listOfScenarios());
} else {
  process.exitCode = await runOnInfrastructure(commandLines());
  // A pipe with a slow reader may still have output to write.
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((done) => stream.write('', () => done()));
  // A run that could not be judged may leave readers that try to reach their Kafka for ever.
  process.exit();
}

async function runOnInfrastructure(places: [CommandLines, ...CommandLines[]]): Promise<number> {
  const [place] = places;
  if (values.soak !== undefined) {
    const { runSoak } = await import('./faults/run-soak.js');
    const { beside, rate } = values;
    const told = { ...(rate !== undefined && { rate: Number(rate) }), ...(beside !== undefined && { beside }) };
    return runSoak({ ...given(), ...told, minutes: Number(values.soak), markdown: values.markdown }, place);
  }
  if (!values['kill-anywhere']) return (await import('./faults/run-real.js')).runReal(given(), places);
  const { runKillAnywhere } = await import('./faults/run-kill-anywhere.js');
  const [minutes, perSecond] = [Number(values.minutes ?? 3), Number(values['per-second'] ?? 100)];
  return runKillAnywhere({ ...given(), minutes, perSecond }, place);
}

function commandLines(): [CommandLines, ...CommandLines[]] {
  const { FAULTS_INFRASTRUCTURE: lines } = process.env;
  if (lines === undefined)
    return refuse('tools/commands/faults.mjs says how to start Kafka and Redis: use `npm run faults`');
  return JSON.parse(lines) as [CommandLines, ...CommandLines[]];
}

/** A seed is drawn if the command line names none. */
function given(): Given {
  const { runs, orders, workers, seed, only, json } = values;
  const numbers = Object.entries({ runs, orders, workers }).filter(([, text]) => text !== undefined);
  return {
    ...Object.fromEntries(numbers.map(([name, text]) => [name, Number(text)])),
    ...(only !== undefined && { only }),
    ...{ json, seed: seedOf(seed === undefined ? undefined : Number(seed), (line) => console.error(line)) },
  };
}

function readArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(reason: string): never {
  console.error(reason);
  process.exit(2);
}

import { createRequire } from 'node:module';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { runMutants } from './mutants/run-mutants.js';
import { runPart, type Part } from './parts/run-part.js';
import { runSimulated } from './parts/run-simulated.js';
import type { CommandLines } from './faults/infrastructure.js';
import { seedOf } from './seed.js';
import { PROFILES, type ProfileName } from './simulation/profile.js';

/** `npm run faults` checks what goes with what (tools/commands/faults.mjs). */
const { values } = readArguments({
  options: {
    amounts: { type: 'boolean', default: false },
    orders: { type: 'string' },
    simulated: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    forgeries: { type: 'boolean', default: false },
    canaries: { type: 'boolean', default: false },
    'kill-anywhere': { type: 'boolean', default: false },
    minutes: { type: 'string' },
    'per-second': { type: 'string' },
    brokers: { type: 'string' },
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

if (values.profile !== undefined && profile().profile === undefined)
  refuse(`--profile is one of ${PROFILES.join(', ')}`);

const require = createRequire(import.meta.url);
const resolve = (name: string): string => require.resolve(name);

if (process.send) {
  process.once('message', (part: Part) => void runPart(part, resolve));
} else if (values.mutants) {
  process.exitCode = await runMutants(
    { ...campaign(), ...(values.only === undefined ? {} : { only: values.only }) },
    resolve,
  );
} else if (values.amounts) {
  const { runAmounts } = await import('./amounts/run-amounts.js');
  process.exitCode = runAmounts(campaign());
} else if (values.simulated) {
  process.exitCode = await runSimulated({ ...campaign(), ...profile() });
} else if (values.list) {
  const { listOfScenarios } = await import('./faults/run-real.js');
  console.log(listOfScenarios());
} else {
  const places = commandLines();
  const options = campaign();
  if (values.forgeries) {
    const { runForgeries } = await import('./forgeries/run-forgeries.js');
    process.exitCode = await runForgeries(options, places[0]);
  } else if (values.canaries) {
    const { runCanaries } = await import('./canaries/run-canaries.js');
    process.exitCode = await runCanaries(options, places[0]);
  } else if (values['kill-anywhere']) {
    const { runKillAnywhere } = await import('./faults/run-kill-anywhere.js');
    process.exitCode = await runKillAnywhere(
      { ...options, minutes: options.minutes ?? 3, perSecond: options['per-second'] ?? 100 },
      places[0],
    );
  } else {
    const { runReal } = await import('./faults/run-real.js');
    process.exitCode = await runReal(
      { ...options, ...(values.only === undefined ? {} : { only: values.only }) },
      places,
    );
  }
  // A pipe with a slow reader may still have output to write.
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((done) => stream.write('', () => done()));
  // A run that could not be judged may leave readers that try to reach their Kafka for ever.
  process.exit();
}

function commandLines(): [CommandLines, ...CommandLines[]] {
  const { FAULTS_INFRASTRUCTURE: lines } = process.env;
  if (lines === undefined)
    return refuse('tools/commands/faults.mjs says how to start Kafka and Redis: use `npm run faults`');
  return JSON.parse(lines) as [CommandLines, ...CommandLines[]];
}

function profile(): { profile?: ProfileName } {
  const named = PROFILES.find((name) => name === values.profile);
  return named === undefined ? {} : { profile: named };
}

function campaign(): Numbers & { seed: number; json: boolean } {
  const given = numbers();
  return { ...given, seed: seedOf(given.seed, (line) => console.error(line)), json: values.json };
}

type Numbers = Partial<Record<'runs' | 'orders' | 'seed' | 'workers' | 'minutes' | 'per-second', number>>;

function numbers(): Numbers {
  const { runs, orders, seed, workers, minutes, 'per-second': perSecond } = values;
  const given = Object.entries({ runs, orders, seed, workers, minutes, 'per-second': perSecond });
  return Object.fromEntries(given.flatMap(([name, text]) => (text === undefined ? [] : [[name, Number(text)]])));
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

import { parseArgs } from 'node:util';
import type { Bench, Part } from './bench.js';
import type { Infrastructure } from './stage.js';

export interface Chosen {
  readonly bench: Bench;
  readonly parts: readonly Part[];
  readonly commands: number | undefined;
  readonly json: boolean;
  readonly strict: boolean;
  readonly check: boolean;
}

export interface Refused {
  readonly fault: string;
}

/** Parses `NAME [--only PART] [--commands N] [--json] [--strict] [--check]`. */
export function readArguments(args: readonly string[], benches: readonly Bench[]): Chosen | Refused {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      commands: { type: 'string' },
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
    },
  });
  const { only, json, strict, check } = values;
  const [name = 'without a name'] = positionals;
  const bench = benches.find((one) => one.name === name);
  if (bench === undefined) {
    const lines = benches.map((one) => `${one.name.padEnd(8)} ${one.about}`);
    return { fault: [`There is no bench ${name}. There is:`, ...lines].join('\n  ') };
  }
  const parts = bench.parts.filter((part) => only === undefined || part.name.startsWith(only));
  if (parts.length === 0) {
    const lines = bench.parts.map((part) => part.name);
    return { fault: [`There is no part ${only} of ${bench.name}. There is:`, ...lines].join('\n  ') };
  }
  if (positionals.length > 1) return { fault: `one bench at a time, not ${positionals.join(' ')}` };
  const commands = values.commands === undefined ? undefined : Number(values.commands);
  if (commands !== undefined && !(Number.isInteger(commands) && commands > 0))
    return { fault: `--commands must be a whole number, not ${values.commands}` };
  return { bench, parts, commands, json, strict, check };
}

export function infrastructureOf(env: NodeJS.ProcessEnv): Infrastructure | Refused {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = env;
  if (!brokers || !redisUrl) return { fault: 'KAFKA_BROKERS and REDIS_URL must be set, or use: npm run bench' };
  return { brokers, redisUrl };
}

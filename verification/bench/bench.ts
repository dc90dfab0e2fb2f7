import { parseArgs } from 'node:util';
import type { Row } from './report.js';
import type { Infrastructure } from './stage.js';

/** A part can be run alone with `--only`; the names of its rows begin with its name. */
export interface Part {
  name: string;
  run(context: Context): Promise<Row[]>;
}

export interface Context extends Infrastructure {
  log: (line: string) => void;
  /** Replaces the part's default number of commands. */
  commands?: number;
}

export interface Bench {
  name: string;
  about: string;
  parts: Part[];
  /** `--profile` runs these in place of the parts. */
  profiles?: Part[];
}

export interface Chosen {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly commands: number | undefined;
  readonly json: boolean;
  readonly strict: boolean;
}

/** Parses `NAME [--only PART] [--commands N] [--profile] [--json] [--strict]`. @throws with what there is, if that is not there */
export function readArguments(args: readonly string[], benches: readonly Bench[]): Chosen {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      commands: { type: 'string' },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
    },
  });
  const { only = '', profile, json, strict } = values;
  const [name = 'without a name'] = positionals;
  const bench = benches.find((one) => one.name === name);
  if (bench === undefined) {
    const lines = benches.map((one) => `${one.name.padEnd(8)} ${one.about}`);
    throw new Error([`There is no bench ${name}. There is:`, ...lines].join('\n  '));
  }
  const all = profile ? bench.profiles : bench.parts;
  if (all === undefined) throw new Error(`--profile goes with gateway, not with ${name}`);
  const parts = all.filter((part) => part.name.startsWith(only));
  if (parts.length === 0)
    throw new Error([`There is no part ${only} of ${name}. There is:`, ...all.map((part) => part.name)].join('\n  '));
  if (positionals.length > 1) throw new Error(`one bench at a time, not ${positionals.join(' ')}`);
  const commands = values.commands === undefined ? undefined : Number(values.commands);
  if (commands !== undefined && !(Number.isInteger(commands) && commands > 0))
    throw new Error(`--commands must be a whole number, not ${values.commands}`);
  return { name, parts, commands, json, strict };
}

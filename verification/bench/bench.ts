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
  /** Replaces the number of turns that contestants take. */
  turns?: number;
}

export interface Bench {
  name: string;
  about: string;
  parts: Part[];
  /** `--profile` runs these in place of the parts. */
  profiles?: Part[];
}

export type Chosen = ReturnType<typeof readArguments>;

/** Parses `NAME [--only PART] [--commands N] [--turns N] [--profile] [--markdown FILE] [--picture FILE] [--json] [--strict]`. @throws with what there is, if that is not there */
export function readArguments(args: readonly string[], benches: readonly Bench[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      commands: { type: 'string' },
      turns: { type: 'string' },
      profile: { type: 'boolean', default: false },
      /** A Markdown file whose table the rows go into, and one for the picture. */
      markdown: { type: 'string' },
      picture: { type: 'string' },
      json: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
    },
  });
  const { only, profile, commands, turns, ...others } = values;
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
  if (others.picture !== undefined && parts.filter((part) => part.name.startsWith('latency-bound-')).length < 2)
    throw new Error('--picture needs at least two parts latency-bound-N');
  if (positionals.length > 1) throw new Error(`one bench at a time, not ${positionals.join(' ')}`);
  const numbers = { commands: wholeNumber('commands', commands), turns: wholeNumber('turns', turns) };
  return { name, parts, isPart: only !== '', ...numbers, ...others };
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  const number = text === undefined ? undefined : Number(text);
  if (number !== undefined && !(Number.isInteger(number) && number > 0))
    throw new Error(`--${option} must be a whole number, not ${text}`);
  return number;
}

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
  parts: Part[];
  /** `--profile` runs these in place of the parts. */
  profiles?: Part[];
}

export type Chosen = ReturnType<typeof readArguments>;

/** `npm run bench` checks names and numbers (tools/commands/bench.mjs). @throws with what there is, if that is not there */
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
  const bench = benches.find(({ name }) => name === positionals[0]);
  if (bench === undefined)
    throw new Error(`There is no bench ${positionals[0]}, but ${benches.map(({ name }) => name).join(', ')}`);
  const { name } = bench;
  const all = profile ? bench.profiles : bench.parts;
  if (all === undefined) throw new Error(`--profile goes with gateway, not with ${name}`);
  const parts = all.filter((part) => part.name.startsWith(only));
  if (parts.length === 0)
    throw new Error([`There is no part ${only} of ${name}. There is:`, ...all.map((part) => part.name)].join('\n  '));
  if (others.picture !== undefined && parts.filter((part) => part.name.startsWith('latency-bound-')).length < 2)
    throw new Error('--picture needs at least two parts latency-bound-N');
  const numbers = { ...(commands && { commands: Number(commands) }), ...(turns && { turns: Number(turns) }) };
  return { name, parts, isPart: only !== '', numbers, ...others };
}

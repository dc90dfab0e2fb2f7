import { readFileSync } from 'node:fs';
import { TEMPORARY } from './variables.mjs';

/**
 * The list of commands, in the order of `node tools/tranche.mjs --help`. A command is a file that exports
 *   description   one sentence
 *   options       `{ name: { value, help, default, check } }`; without `value` it is a flag
 *   positionals   `{ name, help, choices, required }`, if it takes any
 *   variables     `{ NAME: { help, check } }`
 *   exitCodes     `{ 0: 'what it means', 1: … }`; 2, 130 and 143 are the same everywhere
 *   fault         optional: returns one line if options or arguments, each valid alone, do not fit together
 *   run           `({ options, positionals, args, held, log, signal })`; resolves to the exit code
 *   passesOn      optional: names the program that gets the unknown arguments
 *   runsUntilStopped   optional: true if only a signal ends the command; its exit code is then 0
 */
export const COMMANDS = [
  'demo',
  'test',
  'stack',
  'verify',
  'simulator',
  'bench',
  'faults',
  'mutation',
  'doctor',
  'topics',
  'acls',
  'generate-schemas',
  'check-contracts',
  'docs',
  'check-docs',
  'check-deploy',
  'bundle',
  'pack',
  'pictures',
];
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Every command takes the variables for temporary files. */
export async function commandOf(name) {
  const command = await import(`./${name}.mjs`);
  return { ...command, variables: { ...command.variables, ...TEMPORARY } };
}

export function calledAs(name, more = '') {
  if (name === 'test') return ['npm test', more].filter(Boolean).join(' -- ');
  if (Object.hasOwn(scripts, name)) return [`npm run ${name}`, more].filter(Boolean).join(' -- ');
  return ['node tools/tranche.mjs', name, more].filter(Boolean).join(' ');
}

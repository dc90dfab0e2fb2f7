import { readFileSync } from 'node:fs';

/**
 * The list of commands, in the order of `node tools/dev.mjs --help`. A command is a file that exports
 *   description   one sentence
 *   options       `{ name: { value, help, default, check } }`; without `value` it is a flag
 *   positionals   what it does, of which exactly one must be given
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
  'generate-schemas',
  'check-contracts',
  'docs',
  'check-docs',
  'check-deploy',
  'watch-alerts',
  'build',
  'bundle',
  'pack',
  'pictures',
  'first-commands',
];
/** These names stay in a checkout for what the command `tranche` of apps/cli does. */
export const OF_CLI = ['topics', 'acls'];
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

export async function commandOf(name) {
  const command = await import(`./${name}.mjs`);
  const TMPDIR = { help: 'where temporary files go; nothing of them stays' };
  return { ...command, variables: { ...command.variables, TMPDIR } };
}

export function calledAs(name, more = '') {
  if (name === 'test') return ['npm test', more].filter(Boolean).join(' -- ');
  if (Object.hasOwn(scripts, name)) return [`npm run ${name}`, more].filter(Boolean).join(' -- ');
  return ['node tools/dev.mjs', name, more].filter(Boolean).join(' ');
}

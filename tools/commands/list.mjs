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
export const COMMANDS = {
  demo: () => import('./demo.mjs'),
  test: () => import('./test.mjs'),
  stack: () => import('./stack.mjs'),
  verify: () => import('./verify.mjs'),
  simulator: () => import('./simulator.mjs'),
  bench: () => import('./bench.mjs'),
  faults: () => import('./faults.mjs'),
  quarantine: () => import('./quarantine.mjs'),
  doctor: () => import('./doctor.mjs'),
  topics: () => import('./topics.mjs'),
  acls: () => import('./acls.mjs'),
  'generate-schemas': () => import('./generate-schemas.mjs'),
  'check-contracts': () => import('./check-contracts.mjs'),
  'generate-life': () => import('./generate-life.mjs'),
  docs: () => import('./docs.mjs'),
  'check-docs': () => import('./check-docs.mjs'),
  'check-coverage': () => import('./check-coverage.mjs'),
  'check-deploy': () => import('./check-deploy.mjs'),
  'deploy-test': () => import('./deploy-test.mjs'),
  bundle: () => import('./bundle.mjs'),
  pack: () => import('./pack.mjs'),
  sbom: () => import('./sbom.mjs'),
  'card-encryption': () => import('./card-encryption.mjs'),
  pictures: () => import('./pictures.mjs'),
};

const WITH_A_SCRIPT = new Set([
  'demo',
  'stack',
  'verify',
  'simulator',
  'bench',
  'faults',
  'quarantine',
  'doctor',
  'deploy-test',
  'docs',
  'generate-schemas',
  'check-contracts',
  'pack',
]);

export function calledAs(name, more = '') {
  if (name === 'test') return ['npm test', more].filter(Boolean).join(' -- ');
  if (WITH_A_SCRIPT.has(name)) return [`npm run ${name}`, more].filter(Boolean).join(' -- ');
  return ['node tools/tranche.mjs', name, more].filter(Boolean).join(' ');
}

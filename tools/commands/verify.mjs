import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { bootstrap } from '../infra/bootstrap.mjs';
import { Expected } from '../infra/processes.mjs';
import { TEMPORARY } from './variables.mjs';

export const description = 'format, lint and import boundaries, types, unit tests, schemas, documents: all that needs no infrastructure';
export const variables = TEMPORARY;
export const exitCodes = { 0: 'all steps passed', 1: 'a step failed; what it printed is shown' };

const bin = (name) => resolve('node_modules/.bin', name);

/** In this order, two at a time. */
const STEPS = [
  { name: 'format', command: [bin('prettier'), '--check', '--log-level=warn', '.'] },
  {
    name: 'lint and boundaries',
    command: [bin('eslint'), '--max-warnings=0', '.'],
    before: projectGraph,
    mustNotSay: /rule will be skipped/,
  },
  { name: 'types', command: [bin('tsc'), '-p', 'tsconfig.spec.json', '--noEmit'] },
  {
    name: 'unit tests',
    command: [bin('jest'), '--silent', '--maxWorkers=1', '--cacheDirectory=node_modules/.cache/jest'],
    env: { UNIT: '1' },
  },
  { name: 'schemas unchanged', command: [process.execPath, 'tools/tranche.mjs', 'generate-schemas', '--check'] },
  { name: 'docs', command: [process.execPath, 'tools/tranche.mjs', 'check-docs'] },
];

export async function run({ held, log }) {
  await bootstrap({ held, log });
  const queue = [...STEPS];
  const failed = [];
  const work = async () => {
    for (let step = queue.shift(); step; step = queue.shift()) if (!(await passes(step, held))) failed.push(step.name);
  };
  await Promise.all([work(), work()]);
  console.log(failed.length === 0 ? `verify: ${STEPS.length} steps passed` : `verify: failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

async function passes({ name, command: [command, ...args], env, before, mustNotSay }, held) {
  const begun = performance.now();
  const lines = [];
  let reason;
  try {
    await before?.(held);
    const options = {
      env: { ...process.env, NX_DAEMON: 'false', ...env },
      onLine: (line) => lines.push(line),
    };
    const outcome = await held.start(command, args, options).exited;
    if (outcome !== 0) reason = `ended with ${outcome}`;
    if (lines.some((line) => mustNotSay?.test(line))) reason = `said ${mustNotSay}`;
  } catch (error) {
    if (!(error instanceof Expected)) throw error;
    reason = error.message;
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${reason ? 'FAILED' : 'ok    '}  ${name} (${seconds} s)`);
  if (reason) console.log([...lines, reason].map((line) => `        ${line}`).join('\n'));
  return reason === undefined;
}

/** The boundaries rule reads Nx's project graph from its cache and, without one, says nothing of any import. */
async function projectGraph(held) {
  await held.run(bin('nx'), ['show', 'projects'], { env: { ...process.env, NX_DAEMON: 'false' } });
  const cache = '.nx/workspace-data/project-graph.json';
  const known = existsSync(cache) ? Object.keys(JSON.parse(readFileSync(cache, 'utf8')).nodes) : [];
  const folders = ['apps', 'libs', 'examples'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
  const projects = [...folders, 'bench', 'faults'].map((folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).name);
  const unknown = projects.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Expected(`Nx's project graph misses ${unknown.join(', ')}: the import boundaries cannot be checked`);
}

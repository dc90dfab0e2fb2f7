import { delimiter, dirname, resolve } from 'node:path';
import { AUDITS } from '../checks/packages.mjs';
import { bootstrap } from '../infra/bootstrap.mjs';
import { ensureNode, supportedNodes } from '../infra/nodes.mjs';
import { TEMPORARY } from './variables.mjs';

export const description =
  'format, lint and import boundaries, types, unit tests, schemas, documents, deployment, signatures of packages: all that needs no infrastructure';
export const options = {
  'all-nodes': { help: 'runs the unit tests on every supported major version of Node.js; npm fetches the others' },
};
export const variables = TEMPORARY;
export const exitCodes = { 0: 'all steps passed', 1: 'a step failed; what it printed is shown' };

const NX = resolve('node_modules/.bin/nx');
const JEST = resolve('node_modules/jest/bin/jest.js');
const TARGETS = ['lint', 'typecheck', 'test', 'format', 'schemas', 'docs', 'deploy'];

/** Nx skips targets whose inputs have not changed. Without a project graph the boundaries rule only warns, so that warning fails the step. */
const OF_ALL_PROJECTS = {
  name: TARGETS.join(', '),
  command: [NX, 'run-many', '--targets', TARGETS.join(), '--output-style=static', '--parallel=2'],
  mustNotSay: /rule will be skipped/,
};

export async function run({ options: { 'all-nodes': isOnAll }, held, log }) {
  await bootstrap({ held, log });
  const steps = [OF_ALL_PROJECTS, ...(isOnAll ? await unitTestsOnOtherNodes({ held, log }) : [])];
  const failed = [];
  for (const step of steps) if (!(await passes(step, held))) failed.push(step.name);
  for (const audit of AUDITS) if (!(await hasNoFaults(audit, held))) failed.push(audit.name);
  console.log(failed.length === 0 ? 'verify: all passed' : `verify: failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
}

/** A registry that cannot be reached is reported, but it is no failure: the repository works without it. */
async function hasNoFaults({ name, args, read }, held) {
  const lines = [];
  const onLine = (line, stream) => stream === 'stdout' && lines.push(line);
  await held.start('npm', args, { onLine }).exited;
  const { faults = [], skipped } = read(lines.join('\n'));
  console.log(
    `${skipped ? 'skipped' : faults.length > 0 ? 'FAILED ' : 'ok     '} ${name}${skipped ? `: ${skipped}` : ''}`,
  );
  for (const fault of faults) console.log(`        ${fault}`);
  return faults.length === 0;
}

async function unitTestsOnOtherNodes({ held, log }) {
  const others = supportedNodes().filter(({ major }) => major !== Number(process.versions.node.split('.')[0]));
  const steps = [];
  for (const node of others) {
    const binary = await ensureNode(node, { held, log });
    const env = { UNIT: '1', PATH: [dirname(binary), process.env.PATH].join(delimiter) };
    steps.push({
      name: `unit tests on Node.js ${node.major}`,
      command: [binary, JEST, '--silent', '--maxWorkers=2'],
      env,
    });
  }
  return steps;
}

async function passes({ name, command: [command, ...args], env, mustNotSay }, held) {
  const begun = performance.now();
  const lines = [];
  const options = { env: { ...process.env, NX_DAEMON: 'false', ...env }, onLine: (line) => lines.push(line) };
  const outcome = await held.start(command, args, options).exited;
  const said = lines.some((line) => mustNotSay?.test(line)) ? `said ${mustNotSay}` : undefined;
  const reason = outcome === 0 ? said : `ended with ${outcome}`;
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${reason ? 'FAILED ' : 'ok     '} ${name} (${seconds} s)`);
  for (const line of reason ? [...lines, reason] : skippedIn(lines)) console.log(`        ${line}`);
  return reason === undefined;
}

/** Returns the lines in which a step that passed says what it skipped. */
export const skippedIn = (lines) =>
  lines.map((line) => line.trim()).filter((line) => /^skipped |, skipped [1-9]/.test(line));

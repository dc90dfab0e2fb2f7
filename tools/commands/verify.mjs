import { resolve } from 'node:path';
import { bootstrap } from '../infra/bootstrap.mjs';

export const description =
  'format, lint and import boundaries, types, unit tests, schemas, documents, deployment, signatures of packages: all that needs no infrastructure';
export const exitCodes = { 0: 'all passed', 1: 'something failed; the last line says what' };

const NX = resolve('node_modules/.bin/nx');
const TARGETS = ['lint', 'typecheck', 'test', 'format', 'schemas', 'docs', 'deploy'];

/** npm asks the registry: are signatures valid, and has what services load known vulnerabilities? */
const AUDITS = [
  ['signatures of packages', ['signatures']],
  ['known vulnerabilities', ['--omit=dev']],
];

export async function run({ held, log }) {
  await bootstrap({ held, log });
  const failed = (await passTargets(held)) ? [] : [TARGETS.join(', ')];
  for (const audit of AUDITS) if (!(await hasNoFaults(audit, held))) failed.push(audit[0]);
  console.log(failed.length === 0 ? 'verify: all passed' : `verify: failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
}

/** Nx skips targets whose inputs have not changed. Without a project graph the boundaries rule only warns, so that warning is a failure. */
async function passTargets(held) {
  const args = ['run-many', '--targets', TARGETS.join(), '--output-style=static', '--parallel=2'];
  let isGraphMissing = false;
  const onLine = (line) => {
    isGraphMissing ||= /rule will be skipped/.test(line);
    console.log(line);
  };
  const outcome = await held.start(NX, args, { env: { ...process.env, NX_DAEMON: 'false' }, onLine }).exited;
  return outcome === 0 && !isGraphMissing;
}

/** A registry that cannot be reached is reported, but it is no failure: the repository works without it. */
async function hasNoFaults([name, args], held) {
  const lines = [];
  const onLine = (line, stream) => stream === 'stdout' && lines.push(line);
  await held.start('npm', ['audit', ...args, '--json', '--fetch-retries=0', '--fetch-timeout=10000'], { onLine })
    .exited;
  const faults = faultsOf(lines.join('\n'));
  const outcome = faults === undefined ? 'skipped' : faults.length > 0 ? 'FAILED ' : 'ok     ';
  console.log(`${outcome} ${name}${faults === undefined ? ': the registry offers none, or can not be asked' : ''}`);
  for (const fault of faults ?? []) console.log(`        ${fault}`);
  return !faults?.length;
}

/** Reads what `npm audit` or `npm audit signatures` prints; undefined if the registry gave nothing. */
export function faultsOf(output) {
  let said;
  try {
    said = JSON.parse(output);
  } catch {
    return undefined;
  }
  const { invalid = [], missing = [], vulnerabilities = {} } = said;
  if (!said.invalid && !said.vulnerabilities) return undefined;
  const severe = Object.values(vulnerabilities).filter(({ severity }) => ['high', 'critical'].includes(severity));
  return [
    ...invalid.map(({ name, version }) => `${name}@${version}: its signature does not fit`),
    ...missing.map(({ name, version }) => `${name}@${version}: it has no signature`),
    ...severe.map(({ name, severity, range }) => `${name} ${range}: ${severity}`),
  ];
}

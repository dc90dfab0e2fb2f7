/** Installs the packages of the lock file and compiles every project, so that a fresh clone has built services. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { APPS } from './apps.mjs';
import { buildClassicScript, bundleServices } from './bundles.mjs';
import { buildConsole } from './console.mjs';
import { Expected, isRunning } from './processes.mjs';
import { readJson } from './read-json.mjs';

const LOCK_TIMEOUT_MS = 600_000;

/**
 * Safe to run several times at once in one folder: the others wait. `apps`: these and what they refer to, instead of every project.
 * `whenCompiled` runs beside the bundling, which is half of the time. Resolves to what that gave, as `compiled`.
 */
export async function bootstrap({ held, log, apps, whenCompiled }) {
  const fault = nodeFault(process.versions.node, readJson('package.json').engines.node);
  if (fault) throw new Expected(fault);
  return oneAtATime(resolve('.infra/bootstrap.lock'), async () => {
    await install({ held, log });
    log('building (tsc -b)');
    return build({ held, apps, whenCompiled });
  });
}

export async function install({ held, log }) {
  if (isInstalled()) return;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = (more) => held.run('npm', [...args, ...more], { env: withoutScripts() });
  log('installing packages (npm ci)');
  // A list of versions in npm's cache may be older than the lock file.
  await npm(['--prefer-offline']).catch(() => {
    log('installing packages once more, without what npm has in its cache of their versions');
    return npm([]);
  });
}

/** Bundles exactly the apps that it compiles. */
async function build({ held, apps, whenCompiled = () => undefined }) {
  const projects = apps ? ['libs/card-encryption', ...apps.map((name) => `apps/${name}`)] : [];
  const building = apps === undefined || apps.includes('operations') ? buildConsole() : undefined;
  // Its failure is told where it is waited for.
  building?.catch(() => undefined);
  const compiler = ['node_modules/typescript7/bin/tsc', '-b', ...projects];
  const outcome = await held.start(process.execPath, compiler, { onLine: (line) => console.error(line) }).exited;
  if (outcome !== 0) throw new Expected(`the code does not compile (tsc -b ended with ${outcome})`);
  const [compiled] = await Promise.all([whenCompiled(), buildClassicScript(), bundleServices(apps ?? APPS), building]);
  return { compiled };
}

/** Returns one line if this Node is older than `engines` allows. */
export function nodeFault(version, engines) {
  const [major, minor] = version.split('.').map(Number);
  const fits = engines.split('||').some((range) => {
    const [, operator, ...floor] = /^(\^|>=)(\d+)\.(\d+)\.0$/.exec(range.trim()) ?? [];
    if (operator === undefined) throw new Error(`engines: "${range}" is not of the form ^1.2.0 or >=1.2.0`);
    return major === Number(floor[0]) ? minor >= Number(floor[1]) : operator === '>=' && major > Number(floor[0]);
  });
  return fits
    ? undefined
    : `Node.js ${version} is too old or not supported: ${engines} is needed, see https://nodejs.org`;
}

export function isInstalled() {
  const installed = 'node_modules/.package-lock.json';
  return existsSync(installed) && missingPackages(readJson('package-lock.json'), readJson(installed)).length === 0;
}

/** Returns the paths in node_modules without the lock file's version; optional packages of other platforms may be missing. */
export function missingPackages(lock, installed) {
  const isThere = ([place, wanted]) => {
    const found = installed.packages[place];
    return found ? found.version === wanted.version && found.link === wanted.link : wanted.optional === true;
  };
  return Object.entries(lock.packages)
    .filter(([place]) => place.includes('node_modules/'))
    .filter((entry) => !isThere(entry))
    .map(([place]) => place);
}

function withoutScripts() {
  return { ...process.env, npm_config_ignore_scripts: 'true', npm_config_update_notifier: 'false' };
}

/** Holds a lock file during `work`, and takes over one whose owner is gone. */
export async function oneAtATime(lockFile, work) {
  mkdirSync(resolve(lockFile, '..'), { recursive: true });
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  while (!tryLock(lockFile)) {
    const owner = existsSync(lockFile) ? Number(readFileSync(lockFile, 'utf8')) : 0;
    if (owner > 0 && !isRunning(owner)) rmSync(lockFile, { force: true });
    else if (performance.now() > deadline) throw new Expected(`process ${owner} holds ${lockFile} for too long`);
    else await delay(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function tryLock(lockFile) {
  try {
    const file = openSync(lockFile, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

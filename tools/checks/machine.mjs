/** Reports what this machine and its environment lack for the tools and the services. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { built } from '../infra/built.mjs';
import { isInstalled, nodeFault } from '../infra/bootstrap.mjs';
import { isEngineThere } from '../infra/docker.mjs';
import { areKafkaJarsThere } from '../infra/kafka.mjs';
import { canInstall, installLine, PACKAGES } from '../infra/packages.mjs';
import { isPortFree } from '../infra/ports.mjs';
import { listedPorts, stackPorts } from '../infra/service-ports.mjs';
import { readJson } from '../infra/read-json.mjs';

const IDENTITY_TIMEOUT_MS = 30_000;

/**
 * Returns `{ name, required, fault }` for each check; `fault` is undefined if all is well. A check with `required: false` is a note:
 * nothing fails without it.
 */
export async function machineChecks() {
  const docker = isEngineThere();
  const isNeeded = !docker && !(process.env.KAFKA_BROKERS && process.env.REDIS_URL);
  return [
    await check('Node.js', () =>
      nodeFault(process.versions.node, JSON.parse(readFileSync('package.json', 'utf8')).engines.node),
    ),
    await check('npm', () => missing(answers('npm', '--version'), 'not on the PATH', 'install Node.js with npm')),
    await packageCheck('java', { isNeeded }),
    await packageCheck('maven', { isNeeded, isCached: areKafkaJarsThere() }),
    await packageCheck('redis', { isNeeded }),
    await check(
      'Docker engine',
      () => missing(docker, 'does not answer', 'nothing to do: Kafka and Redis run without it'),
      false,
    ),
    await packageNote('chromium', 'the browser tests need it'),
    await check('packages', () => missing(isInstalled(), 'node_modules is not what package-lock.json says', 'npm ci')),
    await check('build', () => missing(isBuilt(), 'missing or older than the sources', 'npm run build')),
    await check('ports of the stack', takenPorts, false),
    await check('merchants', merchantsFault),
    await check('accounts', () => jsonFault(accountsFile(), ['accounts', 'callers'])),
    ...(process.env.AUTH_URL ? [await check('accounts at the token API', refusedAccounts)] : []),
  ];
}

const accountsFile = () => process.env.ACCOUNTS_FILE || 'config/accounts.demo.json';

async function check(name, look, required = true) {
  return { name, required, fault: await look() };
}

function packageCheck(name, { isNeeded, isCached = false }) {
  const { what, isThere } = PACKAGES[name];
  return check(
    what,
    () => missing(isThere(), 'not on the PATH', installHint(name)),
    isNeeded && !isCached && !canInstall(),
  );
}

function packageNote(name, why) {
  const { what, isThere } = PACKAGES[name];
  return check(what, () => missing(isThere(), `not found, and ${why}`, installHint(name)), false);
}

function installHint(name) {
  return canInstall() ? 'installed by itself when it is needed' : `${installLine([name])} as root`;
}

function missing(isThere, problem, fix) {
  return isThere ? undefined : `${problem}; ${fix}`;
}

/** A build that is older than its newest source would run old code; so would the checkout's page. */
function isBuilt() {
  const projects = ['libs', 'apps'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
  const builds = projects.map((project) => [`${project}/src`, `${project}/dist/.tsbuildinfo`]);
  builds.push(['apps/checkout-demo/page', 'apps/checkout-demo/dist/page/.tsbuildinfo']);
  const isNewer = ([sources, stamp]) => existsSync(stamp) && newest(sources) <= statSync(stamp).mtimeMs;
  return builds.every(isNewer);
}

function newest(folder) {
  const sources = readdirSync(folder, { recursive: true }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
  );
  return Math.max(0, ...sources.map((name) => statSync(`${folder}/${name}`).mtimeMs));
}

async function takenPorts() {
  const taken = [];
  for (const { port } of listedPorts(await stackPorts(process.env))) if (!(await isPortFree(port))) taken.push(port);
  return taken.length === 0
    ? undefined
    : `${taken.join(', ')} taken; end who holds them before \`npm run stack\`, or set STACK_PORT_OFFSET`;
}

async function merchantsFault() {
  const file = process.env.MERCHANTS_FILE ?? 'config/merchants.demo.json';
  if (!existsSync('libs/contracts/dist/index.js')) return jsonFault(file);
  const { loadMerchants } = await built('libs/contracts/dist/index.js');
  try {
    loadMerchants(file);
    return undefined;
  } catch (error) {
    return `${error.message}; correct ${file} or set MERCHANTS_FILE`;
  }
}

/**
 * Runs auth-service's own check, which asks the token API for a token of each account. It caches nothing, so it needs no key and no Redis.
 */
function refusedAccounts() {
  const main = 'apps/auth-service/dist/check/main.js';
  if (!existsSync(main)) return 'not asked, for auth-service is not built; npm run build';
  const standIns = { TOKEN_ENCRYPTION_KEY: randomBytes(32).toString('base64'), REDIS_URL: 'redis://127.0.0.1' };
  const options = {
    env: { ...process.env, ...standIns, ACCOUNTS_FILE: accountsFile() },
    encoding: 'utf8',
    timeout: IDENTITY_TIMEOUT_MS,
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--json'], options);
  if (status === 0) return undefined;
  const accounts =
    stdout.trim() === ''
      ? []
      : stdout
          .trim()
          .split('\n')
          .map((text) => JSON.parse(text));
  const refused = accounts
    .filter(({ ok }) => !ok)
    .map(({ account, reason }) => `${account}: ${reason.replace(/\.$/, '')}`);
  const faults = refused.length > 0 ? refused : [stderr.trim() || `no answer within ${IDENTITY_TIMEOUT_MS / 1000} s`];
  return `${faults.join(', ')}; correct ${accountsFile()} or AUTH_URL`;
}

function jsonFault(file, lists = []) {
  try {
    const content = readJson(file);
    const absent = lists.filter((name) => !Array.isArray(content[name]));
    return absent.length === 0
      ? undefined
      : `${file} has no list ${absent.join(', ')}; see apps/auth-service/README.md`;
  } catch (error) {
    return `${file}: ${error.message}; correct it or set another one`;
  }
}

function answers(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

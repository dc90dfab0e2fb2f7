/** `npm run doctor`: what is missing or misconfigured here, one line each with its fix. `-- --json`. Exits 1 if something required is missing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isInstalled, nodeFault } from './bootstrap.mjs';
import { isEngineThere } from './docker.mjs';
import { areKafkaJarsThere } from './kafka.mjs';
import { canInstall, installLine, PACKAGES } from './packages.mjs';
import { isPortFree } from './ports.mjs';
import { SERVICES } from './services.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const docker = isEngineThere();
const givenFromOutside = Boolean(process.env.KAFKA_BROKERS && process.env.REDIS_URL);
const ownInfrastructure = !docker && !givenFromOutside;

/** `fault`: undefined when all is well. `required: false`: worth knowing, nothing fails without it. */
const checks = [
  await check('Node.js', () => nodeFault(process.versions.node, JSON.parse(readFileSync('package.json', 'utf8')).engines.node)),
  await check('npm', () => missing(answers('npm', '--version'), 'not on the PATH', 'install Node.js with npm')),
  await packageCheck('java'),
  await packageCheck('maven', areKafkaJarsThere()),
  await packageCheck('redis'),
  await check('Docker engine', () => missing(docker, 'does not answer', 'nothing to do: Kafka and Redis run without it'), false),
  await check('Chromium', () => missing(answers('chromium', '--version'), 'not on the PATH', 'apt-get install chromium'), false),
  await check('packages', () => missing(isInstalled(), 'node_modules is not what package-lock.json says', 'npm ci')),
  await check('build', () => missing(isBuilt(), 'missing or older than the sources', 'npm run build')),
  await check('ports of the stack', takenPorts, false),
  await check('merchants', merchantsFault),
  await check('accounts', () => jsonFault(process.env.ACCOUNTS_FILE ?? 'config/accounts.demo.json', ['accounts', 'callers'])),
];

if (options.json) console.log(JSON.stringify({ checks, ok: checks.every(isWell) }));
else
  for (const { name, fault, required } of checks)
    console.log(`${fault ? (required ? 'MISSING' : 'note   ') : 'ok     '}  ${[name, fault].filter(Boolean).join(': ')}`);
process.exitCode = checks.every(isWell) ? 0 : 1;

function isWell({ fault, required }) {
  return !fault || !required;
}

async function check(name, look, required = true) {
  return { name, required, fault: await look() };
}

function packageCheck(name, isCached = false) {
  const { what, isThere } = PACKAGES[name];
  const fix = canInstall() ? 'installed by itself when it is needed' : `${installLine([name])} as root`;
  return check(what, () => missing(isThere(), 'not on the PATH', fix), ownInfrastructure && !isCached && !canInstall());
}

function missing(isThere, problem, fix) {
  return isThere ? undefined : `${problem}; ${fix}`;
}

/** Every project's build is newer than its newest source. */
function isBuilt() {
  return ['libs', 'apps'].every((folder) =>
    readdirSync(folder).every((name) => {
      const stamp = `${folder}/${name}/dist/.tsbuildinfo`;
      return existsSync(stamp) && newest(`${folder}/${name}/src`) <= statSync(stamp).mtimeMs;
    }),
  );
}

function newest(folder) {
  const sources = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
  return Math.max(0, ...sources.map((name) => statSync(`${folder}/${name}`).mtimeMs));
}

async function takenPorts() {
  const wanted = [9092, 6379, ...Object.values(SERVICES).flatMap(({ port, managementPort }) => [port, managementPort].filter(Boolean))];
  const taken = [];
  for (const port of wanted) if (!(await isPortFree(port))) taken.push(port);
  return taken.length === 0 ? undefined : `${taken.join(', ')} taken; end who holds them before \`npm run stack\``;
}

async function merchantsFault() {
  const file = process.env.MERCHANTS_FILE ?? 'config/merchants.demo.json';
  if (!existsSync('libs/contracts/dist/index.js')) return jsonFault(file);
  const { loadMerchants } = await import('../libs/contracts/dist/index.js');
  try {
    loadMerchants(file);
    return undefined;
  } catch (error) {
    return `${error.message}; correct ${file} or set MERCHANTS_FILE`;
  }
}

function jsonFault(file, lists = []) {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    const absent = lists.filter((name) => !Array.isArray(content[name]));
    return absent.length === 0 ? undefined : `${file} has no list ${absent.join(', ')}; see apps/auth-service/README.md`;
  } catch (error) {
    return `${file}: ${error.message}; correct it or set another one`;
  }
}

function answers(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Reports what this machine and its environment lack for the tools and the services. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isInstalled, nodeFault } from '../infra/bootstrap.mjs';
import { built } from '../infra/built.mjs';
import { isEngineThere } from '../infra/docker.mjs';
import { areKafkaJarsThere } from '../infra/kafka.mjs';
import { canInstall, installLine, PACKAGES } from '../infra/packages.mjs';
import { postgresFault } from '../infra/postgres.mjs';
import { readJson } from '../infra/read-json.mjs';
import { stackPorts, takenPorts } from '../infra/service-ports.mjs';

/**
 * Returns `{ name, required, fault }` for each check; `fault` is undefined if all is well. A check with `required: false` is a note:
 * nothing fails without it.
 */
export async function machineChecks() {
  const docker = isEngineThere();
  const isNeeded = !docker && !(process.env.KAFKA_BROKERS && process.env.REDIS_URL) && !canInstall();
  const isNpmThere = spawnSync('npm', ['--version'], { stdio: 'ignore' }).status === 0;
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  return [
    check('Node.js', nodeFault(process.versions.node, engines.node)),
    check('npm', missing(isNpmThere, 'not on the PATH', 'install Node.js with npm')),
    packageCheck('java', 'not on the PATH', isNeeded),
    packageCheck('maven', 'not on the PATH', isNeeded && !areKafkaJarsThere()),
    packageCheck('redis', 'not on the PATH', isNeeded),
    check('Docker engine', missing(docker, 'does not answer', 'nothing to do: Kafka and Redis run without it'), false),
    check(
      'PostgreSQL',
      process.env.DATABASE_URL || !isInstalled() ? undefined : postgresFault({ hasDocker: () => docker }),
      false,
    ),
    packageCheck('chromium', 'not found, and the browser tests need it', false),
    check(
      'packages',
      missing(isInstalled(), 'not what package-lock.json says', 'installed by the first command'),
      false,
    ),
    check('build', missing(isBuilt(), 'missing', 'made by the first command'), false),
    check('ports of the stack', await portsFault(), false),
    check('merchants', await merchantsFault(process.env.MERCHANTS_FILE || 'config/merchants.demo.json')),
    check('accounts', jsonFault(process.env.ACCOUNTS_FILE || 'config/accounts.demo.json', ['accounts', 'callers'])),
  ];
}

const check = (name, fault, required = true) => ({ name, required, fault });

function packageCheck(name, problem, isNeeded) {
  const { what, isThere } = PACKAGES[name];
  const fix = canInstall() ? 'installed by itself when it is needed' : `${installLine([name])} as root`;
  return check(what, missing(isThere(), problem, fix), isNeeded);
}

function missing(isThere, problem, fix) {
  return isThere ? undefined : `${problem}; ${fix}`;
}

const isBuilt = () => readdirSync('apps').every((name) => existsSync(`apps/${name}/dist/service.js`));

async function portsFault() {
  const taken = (await takenPorts(await stackPorts(process.env))).map(({ port }) => port);
  const how = 'end who holds them before `npm run stack`, or use --free-ports or STACK_PORT_OFFSET';
  return taken.length === 0 ? undefined : `${taken.join(', ')} taken; ${how}`;
}

async function merchantsFault(file) {
  if (!existsSync('libs/contracts/dist/index.js')) return jsonFault(file);
  const { loadMerchants } = await built('libs/contracts/dist/index.js');
  try {
    loadMerchants(file);
    return undefined;
  } catch (error) {
    return `${error.message}; correct ${file} or set MERCHANTS_FILE`;
  }
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

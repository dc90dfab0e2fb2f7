/** Finds the machine's Java, Maven, Redis and Chromium, installs them as root on Debian, or says in one line what to install. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromiumPath } from './chromium.mjs';
import { Expected } from './processes.mjs';

const JAVA_FLOOR = 17;
/** A JVM otherwise leaves a folder in the temporary folder. */
export const NO_TRACES = '-XX:-UsePerfData';

export const REDIS_SERVER = process.env.REDIS_SERVER || 'redis-server';
const WITHOUT_OURS = 'start Docker, or set KAFKA_BROKERS and REDIS_URL';

export const PACKAGES = {
  java: {
    apt: 'default-jre-headless',
    what: `Java ${JAVA_FLOOR} or newer`,
    isThere: () => javaVersion() >= JAVA_FLOOR,
    orElse: WITHOUT_OURS,
  },
  maven: { apt: 'maven', what: 'Maven', isThere: () => answers('mvn', '--version'), orElse: WITHOUT_OURS },
  redis: {
    apt: 'redis-server',
    what: 'redis-server',
    isThere: () => answers(REDIS_SERVER, '--version'),
    orElse: WITHOUT_OURS,
  },
  chromium: {
    apt: 'chromium',
    what: 'Chromium',
    isThere: () => answers(chromiumPath() ?? 'chromium', '--version'),
    orElse: 'set CHROMIUM_PATH',
  },
};

export function javaVersion() {
  const { stdout, stderr } = spawnSync('java', [NO_TRACES, '-version'], { encoding: 'utf8' });
  return parseJavaVersion(`${stdout}${stderr}`);
}

/** Reads `openjdk version "17.0.15"` as 17 and `java version "1.8.0_392"` as 8. */
export function parseJavaVersion(text) {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return Number(first === '1' ? second : (first ?? 0));
}

export function canInstall() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && answers('apt-get', '--version');
}

export function installLine(names) {
  return `apt-get install ${names.map((name) => PACKAGES[name].apt).join(' ')}`;
}

/** Installs the named packages if they are missing. @throws one line if it cannot */
export async function ensurePackages(names, { held, log }) {
  const missing = names.filter((name) => !PACKAGES[name].isThere());
  if (missing.length === 0) return;
  const whats = missing.map((name) => PACKAGES[name].what).join(', ');
  if (!canInstall()) {
    const ways = [`install with "${installLine(missing)}"`, ...new Set(missing.map((name) => PACKAGES[name].orElse))];
    throw new Expected(`${whats} missing: ${ways.join(', or ')}`);
  }
  log(`installing ${whats} with apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => held.run('apt-get', ['-q', '-y', '-o', 'DPkg::Lock::Timeout=180', ...args], { env });
  await apt('update');
  await apt('install', '--no-install-recommends', ...missing.map((name) => PACKAGES[name].apt));
  // Debian starts a daemon when it installs one, but ours run on their own ports.
  if (missing.includes('redis')) spawnSync('systemctl', ['disable', '--now', 'redis-server'], { stdio: 'ignore' });
  const stillMissing = missing.filter((name) => !PACKAGES[name].isThere());
  if (stillMissing.length > 0)
    throw new Expected(
      `apt-get ran, but ${stillMissing.map((name) => PACKAGES[name].what).join(', ')} is still missing`,
    );
}

function answers(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore', env: { ...process.env, MAVEN_OPTS: NO_TRACES } }).status === 0;
}

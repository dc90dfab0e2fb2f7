import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import * as contracts from '@tranche/contracts';
import { repositoryRoot } from '@tranche/testing';
import {
  filesIn,
  installOffline,
  pack,
  PACKED,
  readJson,
  temporaryFolder,
  writeProject,
  type PackedName,
} from './packed.js';

const MEBIBYTE = 1024 * 1024;
const DEPENDENCIES = ['kafkajs', 'lz4-napi', 'snappy'];
const root = repositoryRoot();
const project = temporaryFolder();
const folderOf = (name: PackedName) => join(project, 'node_modules/@tranche', name);

beforeAll(() => {
  installOffline(project, pack(project), [...DEPENDENCIES, '@types/node', 'undici-types']);
}, 180_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

function node(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trim();
}

const manifestOf = (name: PackedName) =>
  readJson<{ dependencies?: object; peerDependencies?: object }>(join(folderOf(name), 'package.json'));

describe('a package', () => {
  it('depends on kafkajs and two native modules at most; Nest is an optional peer, 11 or 12', () => {
    const { dependencies = {}, peerDependencies = {} } = manifestOf('client');
    expect(Object.keys(dependencies)).toEqual(DEPENDENCIES);
    expect(peerDependencies).toEqual({
      '@nestjs/common': '^11.0.0 || ^12.0.0',
      '@nestjs/core': '^11.0.0 || ^12.0.0',
    });
    expect([manifestOf('contracts').dependencies, manifestOf('card-encryption').dependencies]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each(PACKED)('names no module that it does not have, in code and types (%s)', (name) => {
    const allowed = new Set([...DEPENDENCIES, ...builtinModules]);
    const named = /(?:\bfrom |\bimport |\bimport\(|\brequire\()["']((?:@[\w-]+\/)?[\w:-]+)[^"']*["']/g;
    for (const file of filesIn(folderOf(name)).filter((path) => /\.(?:js|d\.ts)$/.test(path))) {
      const text = readFileSync(join(folderOf(name), file), 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
      const others = [...text.matchAll(named)]
        .map(([, id]) => id!.replace(/^node:/, ''))
        .filter((id) => !allowed.has(id));
      const ofNest = /nest\.(?:js|d\.ts)$|tranche\.module\.d\.ts$/.test(file);
      expect([file, others.filter((id) => !(ofNest && /^@nestjs\/(?:common|core)$/.test(id)))]).toEqual([file, []]);
    }
  });

  it.each(PACKED)(
    'has its licence, README and source maps, and names no place of the machine that built it (%s)',
    (name) => {
      const files = filesIn(folderOf(name));
      expect(files).toEqual(
        expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/esm/index.js', 'dist/cjs/index.js']),
      );
      let maps = 0;
      for (const file of files) {
        const text = readFileSync(join(folderOf(name), file), 'utf8');
        expect([file, text.includes(root) || text.includes(project)]).toEqual([file, false]);
        if (!/^dist\/(?:esm|cjs)\/[^/]+\.js$/.test(file) || !text.includes('sourceMappingURL=')) continue;
        maps++;
        const map = readJson<{ sources: string[]; sourcesContent: string[] }>(join(folderOf(name), `${file}.map`));
        expect(map.sources.filter((source) => !/^(?:libs\/[\w-]+\/src|node_modules|tools)\//.test(source))).toEqual([]);
        expect(map.sourcesContent.every((content) => content.length > 0)).toBe(true);
      }
      expect(maps).toBeGreaterThan(0);
    },
  );

  it.each(['client', 'contracts'] as const)(
    'has the schemas and AsyncAPI as they are in the repository (%s)',
    (name) => {
      for (const file of ['schemas/capture.json', 'asyncapi.json'])
        expect(readJson(join(folderOf(name), file))).toEqual(readJson(join(root, 'libs/contracts', file)));
    },
  );

  it('is small: the client takes 8 MiB beside kafkajs', () => {
    const bytes = filesIn(folderOf('client')).reduce(
      (sum, file) => sum + statSync(join(folderOf('client'), file)).size,
      0,
    );
    // The native modules of Linux (x64) take 2.4 MiB.
    expect(bytes).toBeLessThan(5.5 * MEBIBYTE);
  });
});

const PROGRAM = `
  const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const tranche = new InMemoryTranche();
  tranche.on('payment.void', () => ({ type: 'payment.void.succeeded' }));
  const command = { merchant: 'shop-fr', orderId: 'order-1', description: 'Cancelled' };
  const use = async () => {
    const { type } = await tranche.publisher.voidAndWait(command, { id: newCommandId() });
    const refused = await tranche.publisher.void({}, { id: 'x' }).catch(({ name, faults }) => name + faults.length);
    const away = await Tranche.connect({ brokers: ['127.0.0.1:1'], clientId: 'stranger', connectTimeoutMs: 300, log }).catch(({ name }) => name);
    console.log(type, refused, away, Client.UnknownTopicError.name);
    process.exit();
  };
  void use();`;
const ANSWER = 'payment.void.succeeded InvalidCommandError3 KafkaUnreachableError UnknownTopicError';

it('works as an ES module and as CommonJS, and prints nothing on standard error', () => {
  writeProject(project, {
    'use.mjs': `import * as Client from '@tranche/client';
      import { newCommandId, Tranche } from '@tranche/client';
      import { InMemoryTranche } from '@tranche/client/testing';${PROGRAM}`,
    'use.cjs': `const Client = require('@tranche/client');
      const { newCommandId, Tranche } = Client;
      const { InMemoryTranche } = require('@tranche/client/testing');${PROGRAM}`,
  });
  expect(node('use.mjs')).toBe(ANSWER);
  expect(node('use.cjs')).toBe(ANSWER);
}, 60_000);

it('finds every fault that the gateway finds, with the same words', () => {
  const { commandClass, validateCommandData, validateEventData } = jest.requireActual<typeof contracts>(
    // By its path, because Jest takes the name for the source.
    join(folderOf('contracts'), 'dist/cjs/index.js'),
  );
  const wrongValues = [
    undefined,
    null,
    '',
    0,
    -1,
    1.5,
    true,
    'x'.repeat(3000),
    '4970101200040016',
    [],
    [{}],
    {},
    { a: 1 },
  ];
  let compared = 0;
  for (const rail of contracts.RAILS)
    for (const type of contracts.COMMAND_TYPES) {
      const message = contracts.commandClass(rail, type);
      expect(commandClass(rail, type)?.name).toBe(message?.name);
      if (message === undefined) continue;
      const example = contracts.exampleOf(message) as Record<string, unknown>;
      for (const path of pathsIn(example))
        for (const wrong of wrongValues) {
          const data = withValue(example, path, wrong);
          const rules = { requirements: 'all' } as const;
          const { faults } = contracts.validateCommandData(rail, type, data, rules);
          expect({ path, wrong, faults: validateCommandData(rail, type, data, rules).faults }).toEqual({
            path,
            wrong,
            faults,
          });
          compared += faults.length;
        }
    }
  expect(compared).toBeGreaterThan(1000);
  const event = { merchant: '', orderId: 5, faults: [{ path: 1 }] };
  expect(validateEventData('payment.command.rejected', event)).toEqual(
    contracts.validateEventData('payment.command.rejected', event),
  );
});

/** Paths of all fields, also inside objects and lists, and of the whole. */
function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))];
}

function withValue(value: unknown, [name, ...rest]: string[], wrong: unknown): unknown {
  if (name === undefined) return wrong;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = withValue(copy[name], rest, wrong);
  return copy;
}

const SHOP = `
  import { InvalidCommandError, newCommandId, type EventOf, type Tranche } from '@tranche/client';
  import { InMemoryTranche } from '@tranche/client/testing';
  import { validateCommandData } from '@tranche/contracts';
  import { cardFaults } from '@tranche/card-encryption';
  export async function main(client: Tranche | InMemoryTranche): Promise<string> {
    await client.subscribe({ group: 'shop', on: { 'payment.refund.refused': (event, { attempt }) => void (event.data.attempt + attempt) } });
    // @ts-expect-error an id is required
    await client.publisher.void({ merchant: 'shop-fr', orderId: '1', description: 'x' }, {});
    // @ts-expect-error no such event
    await client.subscribe({ group: 'shop', on: { 'payment.paid': () => undefined } });
    const result = await client.publisher.captureAndWait({ merchant: 'm', orderId: 'o', description: 'd' }, { id: newCommandId(), rail: 'card' });
    if (result.type === 'payment.command.rejected') return result.data.faults.map(({ code }) => code).join();
    return (result satisfies EventOf<Exclude<typeof result.type, never>>).data.commandId;
  }
  export const used = [InvalidCommandError, validateCommandData, cardFaults];`;
const STRICT = {
  target: 'es2022',
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  types: ['node'],
  lib: ['es2023', 'dom'],
};

it.each([
  ['node10', ['shop.ts'], { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' }],
  ['node16, CommonJS and ES modules', ['shop.cts', 'shop.mts'], { module: 'node16', moduleResolution: 'node16' }],
  ['bundler', ['shop.ts'], { module: 'esnext', moduleResolution: 'bundler' }],
])(
  'has types for a strict compiler that reads them all (%s)',
  (_name, files, options) => {
    // The compiler of version 7 is faster, and knows no node10.
    const compiler = options.moduleResolution === 'node10' ? 'typescript/bin/tsc' : 'typescript7/bin/tsc';
    writeProject(project, {
      ...Object.fromEntries(files.map((file) => [file, SHOP])),
      'tsconfig.json': { compilerOptions: { ...STRICT, ...options }, files },
    });
    const args = [join(root, 'node_modules', compiler), '-p', project];
    expect(() => execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' })).not.toThrow();
  },
  120_000,
);

it('is loaded quickly', () => {
  const program = (id: string) => `const { cpuUsage } = process; const begun = cpuUsage(); require('${id}');
    const { user, system } = cpuUsage(begun); console.log((user + system) / 1000);`;
  const ms = (id: string) => Math.min(...[1, 2, 3].map(() => Number(node('-e', program(id)))));
  // Loose: a busy machine counts more. The nightly test has the promise, 150 ms.
  expect(ms('@tranche/client')).toBeLessThan(600);
});

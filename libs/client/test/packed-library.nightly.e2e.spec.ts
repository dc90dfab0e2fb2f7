import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';

interface Packed {
  filename: string;
  files: { path: string }[];
}

const root = repositoryRoot();
const libraries = ['runtime', 'contracts', 'kafka', 'client'];
const tsc = require.resolve('typescript/bin/tsc');
const packed: Record<string, Packed> = {};
let folder: string;

/** A folder with the packed libraries installed; third-party packages come from this repository, because nothing is downloaded. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-packed-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@tranche'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@tranche' && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const name of libraries) {
    const args = ['pack', join(root, 'libs', name), '--json', '--ignore-scripts', '--pack-destination', folder];
    const [answer] = JSON.parse(
      execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as [Packed];
    packed[name] = answer;
    mkdirSync(join(modules, '@tranche', name));
    execFileSync('tar', [
      '-xzf',
      join(folder, answer.filename),
      '--strip-components=1',
      '-C',
      join(modules, '@tranche', name),
    ]);
  }
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = (program: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 50_000,
  }).trim();

it.each(libraries)(
  'packs of %s what was built of the sources, and neither sources nor specs nor the compiler’s notes',
  (library) => {
    const paths = packed[library]!.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
    const built = paths.filter((path) => path.startsWith('dist/'));
    expect(paths.filter((path) => !built.includes(path)).sort()).toEqual(['README.md', 'package.json']);
    for (const path of built) {
      const [, name] = /^dist\/([a-z0-9./-]+)\.(?:js|d\.ts)$/.exec(path) ?? [];
      expect(existsSync(join(root, 'libs', library, 'src', `${name}.ts`))).toBe(true);
      expect(name).not.toContain('spec');
    }
  },
);

it('packs every file that its exports name', () => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'node_modules/@tranche/client/package.json'), 'utf8')) as {
    exports: Record<string, Record<string, string>>;
  };
  expect(Object.keys(exports)).toEqual(['.', './testing', './nest']);
  const paths = packed['client']!.files.map(({ path }) => `./${path}`);
  for (const target of Object.values(exports).flatMap((entry) => Object.values(entry))) expect(paths).toContain(target);
});

it('can be used by somebody who has only the packed files', () => {
  const program = `
    import { InvalidCommandError, newCommandId, Tranche } from '@tranche/client';
    import { InMemoryTranche } from '@tranche/client/testing';
    import { TrancheModule } from '@tranche/client/nest';
    const tranche = new InMemoryTranche();
    tranche.on('payment.void', () => ({ type: 'payment.void.succeeded' }));
    const command = { merchant: 'shop-fr', orderId: 'order-1', description: 'Cancelled' };
    const { type } = await tranche.publisher.voidAndWait(command, { id: newCommandId() });
    const refused = await tranche.publisher.void({}, { id: 'x' }).catch((error) => error instanceof InvalidCommandError);
    const away = await Tranche.connect({ brokers: ['127.0.0.1:1'], clientId: 'stranger', connectTimeoutMs: 300 }).catch(({ name }) => name);
    console.log(type, refused, away, typeof TrancheModule.forRoot);
    process.exit();`;
  expect(node(program)).toBe('payment.void.succeeded true KafkaUnreachableError function');
});

it('brings types that a strict compiler takes', () => {
  const source = `
    import { newCommandId, Tranche, type EventOf } from '@tranche/client';
    import { InMemoryTranche } from '@tranche/client/testing';
    import { OnPaymentEvent } from '@tranche/client/nest';
    import type { EventOf as Captured } from '@tranche/client';
    export class Orders {
      @OnPaymentEvent('payment.capture.succeeded')
      captured(event: Captured<'payment.capture.succeeded'>): number { return event.data.attempt; }
    }
    export async function main(client: Tranche | InMemoryTranche): Promise<string> {
      await client.subscribe({ group: 'shop', on: { 'payment.refund.refused': async (event, { attempt }) => { const n: number = event.data.attempt + attempt; void n; } } });
      // @ts-expect-error an id is required
      await client.publisher.void({ merchant: 'shop-fr', orderId: '1', description: 'x' }, {});
      // @ts-expect-error no such event
      await client.subscribe({ group: 'shop', on: { 'payment.paid': () => undefined } });
      const result = await client.publisher.captureAndWait({ merchant: 'm', orderId: 'o', description: 'd' }, { id: newCommandId(), rail: 'card' });
      if (result.type === 'payment.command.rejected') return result.data.faults.map(({ code }) => code).join();
      return (result satisfies EventOf<Exclude<typeof result.type, never>>).data.commandId;
    }`;
  writeFileSync(join(folder, 'shop.ts'), source);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['shop.ts'] }));
  expect(() => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', stdio: 'pipe' })).not.toThrow();
}, 120_000);

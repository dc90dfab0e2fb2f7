import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { publisherOfTests, repositoryRoot, startShopWorld } from '@tranche/testing';
import { npmInstall, pack, temporaryFolder } from './packed.js';

const root = repositoryRoot();
const folder = temporaryFolder();
const platform = `${process.platform}-${process.arch}`;

/** Packages of npm that hold only the program. */
const RUNTIMES: Record<string, { from: string; file: string; args?: string[] }> = {
  'Node.js 20': { from: `node-${platform}@^20.19.0`, file: 'bin/node' },
  'Node.js 22': { from: `node-${platform}@^22.13.0`, file: 'bin/node' },
  'Node.js 24': { from: `node-${platform}@^24.11.0`, file: 'bin/node' },
  Bun: { from: `@oven/bun-${platform}@^1.3.0`, file: 'bin/bun' },
  Deno: {
    from: `@deno/${platform}${process.platform === 'linux' ? '-glibc' : ''}@^2.5.0`,
    file: 'deno',
    args: ['run', '-A'],
  },
};

let world: Awaited<ReturnType<typeof startShopWorld>>;
let tarball: string;
let env: Record<string, string>;

beforeAll(async () => {
  const { kid, privateKey } = publisherOfTests();
  world = await startShopWorld({ merchant: { requireSignatures: true } });
  tarball = pack(folder).client;
  const keyFile = join(folder, 'key.pem');
  writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  env = {
    KAFKA_BROKERS: world.env['KAFKA_BROKERS']!,
    KAFKA_TOPIC_PREFIX: world.prefix,
    ...{ SIGNING_KEY_FILE: keyFile, SIGNING_KID: kid, ENVIRONMENT_ID: 'tests' },
  };
}, 600_000);
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Path of the program, or undefined where npm cannot fetch it. */
function programOf({ from, file }: (typeof RUNTIMES)[string]): string | undefined {
  const [, name, major] = /^(.+)@\^(\d+)/.exec(from)!;
  const home = join(root, '.infra/nodes', name!.startsWith('node-') ? major! : name!.replaceAll('/', '-'));
  const program = join(home, 'node_modules', name!, file);
  return existsSync(program) || npmInstall(home, '--no-save', '--no-package-lock', from) ? program : undefined;
}

it.each(Object.keys(RUNTIMES))(
  'a signed payment goes on to its capture and refund, and nothing is printed on standard error (%s)',
  async (name) => {
    const runtime = RUNTIMES[name]!;
    const program = programOf(runtime);
    const project = join(folder, name);
    const begunMs = performance.now();
    if (program === undefined || !npmInstall(project, tarball)) return;
    cpSync(join(root, 'examples/quickstart/payment.mjs'), join(project, 'payment.mjs'));
    const seconds = () => ((performance.now() - begunMs) / 1000).toFixed(1);
    const took = [`installed after ${seconds()} s`];
    const child = spawn(program, [...(runtime.args ?? []), 'payment.mjs'], {
      cwd: project,
      env: { ...process.env, ...env },
      timeout: 120_000,
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line.replace(/ [0-9a-f]{32}$/, ' TRANSACTION'));
      took.push(`${line.split(' ')[0]} after ${seconds()} s`);
    });
    const errors: string[] = [];
    child.stderr.on('data', (text: Buffer) => errors.push(text.toString()));
    const [status] = (await once(child, 'close')) as [number];
    expect({ status, errors: errors.join('') }).toEqual({ status: 0, errors: '' });
    expect(lines).toEqual([
      'payment.authorize.redirect_required TRANSACTION',
      'payment.authorize.succeeded TRANSACTION',
      'payment.capture.succeeded 30000',
      'payment.refund.succeeded 10000',
    ]);
    console.info(`${name}, from an empty folder: ${took.join(', ')}`);
  },
  600_000,
);

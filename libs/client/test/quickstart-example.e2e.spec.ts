import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@tranche/testing';
import { gatewayWorld, type GatewayWorld } from './gateway.js';

const root = repositoryRoot();
const file = join(root, 'examples/quickstart/quickstart.mjs');

let world: GatewayWorld;
beforeAll(async () => (world = await gatewayWorld()));
afterAll(() => world.close());

it('publishes an authorization and prints its result', async () => {
  const env = { ...process.env, KAFKA_BROKERS: world.brokers.join(','), KAFKA_TOPIC_PREFIX: world.prefix };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { env, timeout: 60_000 });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^payment\.authorize\.redirect_required \{/);
  expect(stdout).toMatch(/redirectHtml: [1-9]\d*,/);
  const orderId = /orderId: '(quickstart-\d+)'/.exec(stdout)?.[1];
  expect(await world.executed(orderId!)).toBe(1);
});

it('takes at most 15 lines', () => {
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(15);
});

it.each(['quickstart', 'payment'])('%s is strict TypeScript as it is', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-quickstart-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    cpSync(join(root, `examples/quickstart/${name}.mjs`), join(folder, `${name}.mts`));
    const tsc = join(root, 'node_modules/typescript7/bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, `${name}.mts`], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@tranche/testing';
import { gatewayWorld, type GatewayWorld } from './gateway.js';

const file = join(repositoryRoot(), 'examples/quickstart/quickstart.mjs');

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

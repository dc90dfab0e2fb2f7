import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure, waitFor } from '@tranche/testing';
import { processesWith } from '../infra/processes-with.mjs';

const temporary = mkdtempSync(join(tmpdir(), 'tranche-demo-test-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** A test that failed or took too long must not leave its demo running. */
const demos = [];
afterEach(async () => {
  for (const { demo, exited } of demos.splice(0)) {
    demo.kill('SIGTERM');
    await exited;
  }
});

/** On the Kafka and Redis of the tests: topics and index have a prefix of the demo's own. */
function startDemo(...args) {
  const { brokers, redisUrl } = infrastructure();
  const env = { ...process.env, KAFKA_BROKERS: brokers, REDIS_URL: redisUrl, TMPDIR: temporary };
  delete env.npm_lifecycle_event;
  const demo = spawn(process.execPath, ['tools/tranche.mjs', 'demo', ...args], { env });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) demo[name].on('data', (chunk) => (said[name] += chunk));
  const exited = new Promise((done) => demo.once('close', (code, signal) => done(code ?? signal)));
  demos.push({ demo, exited });
  return { demo, said, exited };
}

const leftOvers = () => readdirSync(temporary).filter((name) => name.startsWith('tranche-'));

it('stopped by SIGTERM with all services up: ends by it, and nothing is left', async () => {
  const { demo, said, exited } = startDemo();
  await waitFor(() => said.stderr.includes('all services are ready'), {
    timeoutMs: 180_000,
    what: 'the services of the demo',
  });
  demo.kill('SIGTERM');
  await expect(exited).resolves.toBe(143);
  expect(leftOvers()).toEqual([]);
  expect(processesWith(temporary)).toEqual([]);
}, 240_000);

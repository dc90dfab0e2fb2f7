import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure } from '@tranche/testing';
import { SERVICES } from '../infra/services.mjs';

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

it('plays every scenario and ends with one JSON line, and keeps the logs where it was told to', async () => {
  const logs = join(temporary, 'logs');
  const { said, exited } = startDemo('--json', '--logs', logs);
  const exitCode = await exited;
  if (exitCode !== 0) throw new Error(`demo ended with ${exitCode}\n${said.stderr}`);
  const result = JSON.parse(said.stdout.trimEnd().split('\n').at(-1));
  expect(result).toMatchObject({ passed: 15, failed: 0 });
  const eventsOf = (name) => result.scenarios.find((scenario) => scenario.name === name).events;
  expect(eventsOf('method-a-capture-refund')).toEqual([
    'payment.authorize.redirect_required',
    'payment.authorize.succeeded',
    'payment.capture.succeeded',
    'payment.refund.succeeded',
    'payment.capture.rejected',
  ]);
  expect(eventsOf('card-payment')).toEqual(['payment.pay.succeeded']);
  expect(eventsOf('card-refused')).toEqual(['payment.pay.refused']);
  expect(eventsOf('key-rotated')).toEqual(['payment.pay.succeeded']);
  for (const doubtful of ['gateway-killed', 'platform-timeout']) {
    expect(eventsOf(doubtful).slice(-2)).toEqual(['payment.capture.in_doubt', 'payment.capture.doubt_resolved']);
  }
  expect(eventsOf('back-office-refund').slice(-3)).toEqual([
    'payment.operation.external',
    'payment.refund.rejected',
    'payment.refund.succeeded',
  ]);
  expect(eventsOf('pending-expires').slice(-2)).toEqual(['payment.authorize.pending', 'payment.authorize.expired']);
  expect(eventsOf('capture-window').slice(-2)).toEqual(['payment.capture_window.closing', 'payment.capture.refused']);
  const measured = Object.keys(SERVICES).filter((name) => name !== 'platform-simulator');
  expect(readdirSync(logs).sort()).toEqual(
    [...Object.keys(SERVICES).map((name) => `${name}.log`), ...measured.map((name) => `${name}.metrics`)].sort(),
  );
  expect(leftOvers()).toEqual([]);
}, 900_000);

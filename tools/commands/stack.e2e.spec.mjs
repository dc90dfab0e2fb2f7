import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure, waitFor } from '@tranche/testing';
import { alerts, countersOf, metricsOf, queries, seriesIn } from '../checks/metrics.mjs';

const temporary = mkdtempSync(join(tmpdir(), 'tranche-stack-test-'));
const started = [];
afterAll(async () => {
  for (const { child, exited } of started) {
    child.kill('SIGTERM');
    await exited;
  }
  rmSync(temporary, { recursive: true, force: true });
});

function stack(args, env) {
  const { npm_lifecycle_event: _npm, ...rest } = process.env;
  const child = spawn(process.execPath, ['tools/dev.mjs', 'stack', ...args], {
    env: { ...rest, ...env, TMPDIR: temporary },
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (said[name] += chunk));
  const exited = new Promise((done) => child.once('close', (code, signal) => done(code ?? signal)));
  started.push({ child, exited });
  return { child, said, exited };
}

/** The metrics of every service that prints an address. */
async function metricsTold(said) {
  const addresses = [...said.matchAll(/^[a-z-]+ +(http:\S+)(?: {2}(http:\S+))?$/gm)].map(
    ([, url, management]) => management ?? url,
  );
  const texts = await Promise.all(addresses.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return texts.join('\n');
}

it('stands on ports of its own, has every metric that an alert or a dashboard asks for, every counter of an alert at 0 before the first event, keeps the log of each service, goes on without one that ends and says how it starts again, and leaves nothing else', async () => {
  const { brokers, redisUrl } = infrastructure();
  const prefix = `stack-${randomBytes(4).toString('hex')}.`;
  const logs = join(temporary, 'logs');
  const one = stack(['--free-ports', '--logs', logs], {
    KAFKA_BROKERS: brokers,
    REDIS_URL: redisUrl,
    KAFKA_TOPIC_PREFIX: prefix,
  });
  const isUp = () => one.said.stderr.includes('running until Ctrl-C') || one.child.exitCode !== null;
  await waitFor(isUp, { timeoutMs: 180_000, what: 'the stack' });
  const [, simulator] = /^platform-simulator +(http:\S+)/m.exec(one.said.stdout) ?? [];
  if (simulator === undefined) throw new Error(one.said.stderr);
  const [, ingest] = /^notification-ingest +(http:\S+)/m.exec(one.said.stdout);
  for (const address of [simulator, ingest]) expect(address).not.toMatch(/:40\d\d$/);

  const metrics = await metricsTold(one.said.stdout);
  const told = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const missing = queries.flatMap(([name, expr]) =>
    metricsOf(expr)
      .filter((metric) => !told.has(metric))
      .map((metric) => `${metric} of ${name}`),
  );
  expect([told.size > 50, missing]).toEqual([true, []]);

  const counters = [...new Set(alerts.flatMap(({ expr }) => countersOf(expr)))];
  const notAtZero = counters.filter((counter) => {
    const values = seriesIn(metrics, counter);
    return values.length === 0 || values.some((value) => value !== 0);
  });
  expect([counters.length > 15, notAtZero]).toEqual([true, []]);

  const [line] = readFileSync(join(logs, 'payment-gateway.log'), 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({ service: 'payment-gateway' });

  const [, gateway] = /payment-gateway is ready, process (\d+)/.exec(one.said.stderr);
  process.kill(Number(gateway), 'SIGKILL');
  const ended = /payment-gateway ended with SIGKILL; it starts again by: (.+)/;
  const [, again] = await waitFor(() => ended.exec(one.said.stderr) ?? undefined, { what: 'the line about its end' });
  const { KAFKA_BROKERS: _kafka, REDIS_URL: _redis, ...rest } = process.env;
  const second = spawn(`exec ${again}`, { shell: true, env: rest, stdio: 'ignore' });
  started.push({ child: second, exited: new Promise((done) => second.once('exit', done)) });
  const [, management] = /^payment-gateway +(http:\S+)/m.exec(one.said.stdout);
  const isReady = (url) =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitFor(() => isReady(management), { timeoutMs: 60_000, what: 'the gateway, started by hand' });
  await expect(isReady(simulator)).resolves.toBe(true);

  one.child.kill('SIGINT');
  await expect(one.exited).resolves.toBe(0);
  expect(readdirSync(temporary)).toEqual(['logs']);
}, 300_000);

import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hashOf } from '../src/request/platform-hash.js';
import { formOf, instalment } from './running-simulator.js';

const main = resolve(__dirname, '../dist/main.js');
let folder: string;
const started = new Set<ChildProcess>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulator-'));
});
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let [output, errors] = ['', ''];
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const ended = new Promise<{ code: number | null; output: string; errors: string }>((done) => {
    child.on('close', (code) => {
      started.delete(child);
      done({ code, output, errors });
    });
  });
  const listening = new Promise<string>((done, failed) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      const line = output.split('\n').find((one) => one.startsWith('{"listening":'));
      if (line !== undefined) done(`http://127.0.0.1:${(JSON.parse(line) as { listening: number }).listening}`);
    });
    void ended.then(({ errors: reason }) => failed(new Error(reason)));
  });
  // A test of a failing start awaits only `ended`; without this, Node.js would report an unhandled rejection.
  listening.catch(() => undefined);
  return { child, ended, listening };
}

const merchantsFile = (merchant: object) => {
  const file = join(folder, 'merchants.json');
  writeFileSync(file, JSON.stringify([{ merchant: 'shop', identifier: 'Shop', accountKey: 'k', ...merchant }]));
  return file;
};

it.each(['SIGTERM', 'SIGINT'] as const)(
  'stands alone, says where it listens, and waits for nobody when it ends by %s',
  async (signal) => {
    // This merchant never answers. The stop must wait neither for the notification nor for a client with a request in flight.
    const silent = createServer(() => undefined);
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const notified = new Promise((done) => silent.once('request', done));
    const notificationUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/n`;
    const files = { MERCHANTS_FILE: merchantsFile({ notificationUrl }) };
    const simulator = start({ PORT: '0', ...files, LOG_LEVEL: 'error', UNLISTED_PARAMETERS: 'true' });
    const url = await simulator.listening;
    expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({ status: 'ok' });

    const post = async (parameters: Record<string, string>) => {
      const signed = {
        ...parameters,
        IDENTIFIER: 'Shop',
        HASH: hashOf('k', Object.entries({ ...parameters, IDENTIFIER: 'Shop' })),
      };
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return fetch(`${url}/front/service/rest/process`, { method: 'POST', headers, body: formOf(signed) });
    };
    const card = {
      OPERATIONTYPE: 'payment',
      ORDERID: 'o',
      AMOUNT: '5000',
      CARDCODE: '4111111111111111',
      CARDVALIDITYDATE: '12-49',
    };
    expect(await (await post(card)).json()).toMatchObject({ EXECCODE: '0000' });
    await notified;
    const rule = { fault: { timeout: true } };
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/simulator/faults`, { method: 'POST', headers, body: JSON.stringify(rule) });
    const hanging = post(instalment()).catch((error: Error) => error.message);

    // Neither request ends by itself, so a stop that waited for one would hang.
    simulator.child.kill(signal);
    expect((await simulator.ended).code).toBe(0);
    expect(await hanging).toBe('fetch failed');
    silent.closeAllConnections();
    await new Promise((done) => silent.close(done));
  },
);

it('names every bad setting in one message and exits 78', async () => {
  const { code, output, errors } = await start({
    PORT: 'x',
    LATENCY_MS: 'slow',
    MERCHANTS_FILE: join(folder, 'nowhere.json'),
  }).ended;
  expect([code, output]).toEqual([78, '']);
  expect(errors.trim().split('\n')).toHaveLength(1);
  for (const name of ['PORT', 'LATENCY_MS', 'MERCHANTS_FILE']) expect(errors).toContain(name);
});

it('says so and exits 1 when the port is taken', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '0.0.0.0', done));
  const PORT = String((other.address() as AddressInfo).port);
  const { code, errors } = await start({ PORT, MERCHANTS_FILE: merchantsFile({}), LOG_LEVEL: 'silent' }).ended;
  expect([code, errors]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
  await new Promise((done) => other.close(done));
});

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tranche/testing';
import { holdProcesses } from './processes.mjs';
import { followLog, keepStackLogs, runningStacks } from './stack-logs.mjs';

const FOLDER = `.infra/stack-${process.pid}`;

// The test runs outside the checkout, or a search for its newest stack would find this one.
const checkout = process.cwd();
let held;
let folder;
beforeAll(() => {
  held = holdProcesses(); // finds its guard in the checkout
  folder = mkdtempSync(join(tmpdir(), 'stack-logs-'));
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(checkout);
  await held.close();
  rmSync(folder, { recursive: true });
});

it('a stack that is gone is not followed for ever', async () => {
  const pid = 2 ** 22 + 1; // no system uses such an id
  await expect(
    followLog({ held, pid, name: 'auth-service', write: () => undefined, signal: new AbortController().signal }),
  ).resolves.toBeUndefined();
});

it('a log is shown from its begin, followed, begun anew when it is too long, and gone at the end', async () => {
  const print = keepStackLogs(held, { mostBytes: 40 }).outputOf('auth-service');
  print('{"msg":"first"}');
  expect(runningStacks()).toContain(process.pid);
  const stop = new AbortController();
  let seen = '';
  const write = (text) => (seen += text);
  const followed = followLog({ held, pid: process.pid, name: 'auth-service', write, signal: stop.signal });
  await waitFor(() => seen === '{"msg":"first"}\n', { what: 'the first line' });
  print('{"msg":"second"}');
  await waitFor(() => seen.endsWith('{"msg":"second"}\n'), { what: 'the second line' });
  print('{"msg":"x"}');
  await waitFor(() => seen.endsWith('{"msg":"x"}\n'), { what: 'the first line of a new log' });
  stop.abort();
  await followed;
  await held.close();
  expect(existsSync(FOLDER)).toBe(false);
});

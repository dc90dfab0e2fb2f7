import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { launchBrowser, repositoryRoot, waitFor } from '../src/index.js';

/** TMPDIR may be too long: Chromium creates a socket in our folder, and a socket's path has at most 107 characters. */
const temporary = mkdtempSync('/tmp/own-');
afterAll(() => rmSync(temporary, { recursive: true }));

/** Runs tools/infra/test/browser.mjs under its own parent process, which can be killed; both write only to this folder. */
async function ownedBrowser(TMPDIR = temporary) {
  const script = `
    const { spawn } = require('node:child_process');
    const keeper = spawn(process.execPath, ['tools/infra/test/browser.mjs'], { detached: true, stdio: ['pipe', 'inherit', 'inherit'] });
    process.on('SIGTERM', () => keeper.stdin.end());
  `;
  const env = { ...process.env, TMPDIR };
  const owner = spawn(process.execPath, ['-e', script], {
    cwd: repositoryRoot(),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  return { owner, address };
}

/** Ids of processes that have our folder on their command line or as their working directory. */
function processesOfOurs(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        (readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readlinkSync(`/proc/${pid}/cwd`)).includes(temporary)
      );
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

const nothingStays = () =>
  waitFor(() => processesOfOurs().length === 0 && readdirSync(temporary).length === 0, {
    what: 'processes and profile to be gone',
  });

it('shows a page, and each context begins with nothing', async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>Shop</title>');
    expect(await page.title()).toBe('Shop');
    const { cookies, origins } = await page.context().storageState();
    expect([cookies, origins]).toEqual([[], []]);
  } finally {
    await browser.close();
  }
});

it.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])(
  'the owner ends by %s in the middle of a page: neither processes nor profile stay',
  async (signal) => {
    const { owner, address } = await ownedBrowser();
    const browser = await chromium.connect(address);
    await (await browser.newPage()).goto('data:text/html,<title>Shop</title>');
    expect(processesOfOurs().length).toBeGreaterThan(1);
    expect(readdirSync(temporary)).toHaveLength(1);
    await killed(owner, signal);
    await nothingStays();
    await waitFor(() => !browser.isConnected(), { what: 'the connection to end' });
  },
);

it('starts where the path of TMPDIR is too long for the socket of Chromium', async () => {
  const long = join(temporary, 'long'.repeat(20));
  mkdirSync(long);
  const { owner, address } = await ownedBrowser(long);
  const browser = await chromium.connect(address);
  await (await browser.newPage()).goto('data:text/html,<title>Shop</title>');
  await killed(owner, 'SIGTERM');
  await waitFor(() => !browser.isConnected(), { what: 'the connection to end' });
});

it('says what to install where there is no Chromium', async () => {
  const env = { ...process.env, PATH: '', CHROMIUM_PATH: '', TMPDIR: temporary };
  const keeper = spawn(process.execPath, ['tools/infra/test/browser.mjs'], {
    cwd: repositoryRoot(),
    env,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const [complaint] = (await once(createInterface({ input: keeper.stderr }), 'line')) as [string];
  expect(complaint).toBe('Chromium missing: install with "apt-get install chromium", or set CHROMIUM_PATH');
});

async function killed(process: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(process, 'exit');
  process.kill(signal);
  await exited;
}

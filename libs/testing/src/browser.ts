import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { repositoryRoot } from './apps.js';

const START_TIMEOUT_MS = 40_000;
const STEP_TIMEOUT_MS = 30_000;

export interface TestBrowser {
  /** A profile of its own, with nothing in it. Each step in it may take 30 s. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** A page in a profile of its own. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/**
 * Starts the machine's Chromium, with these arguments beside the usual ones. It runs under tools/infra/browser.mjs, which ends it and removes
 * what it wrote when this process is gone, even if it was killed. A spec that calls it is named `*.browser.e2e.spec.ts`: by that `npm test`
 * knows that Chromium must be there.
 */
export async function launchBrowser(...chromiumArguments: string[]): Promise<TestBrowser> {
  const { address, close } = await startChromium(...chromiumArguments);
  try {
    return await connectBrowser(address, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Chromium without a connection to it; `address` is what `connectBrowser` takes, in this process or another one. */
export async function startChromium(
  ...chromiumArguments: string[]
): Promise<{ address: string; close: () => Promise<void> }> {
  const root = repositoryRoot();
  const keeper = spawn(process.execPath, [join(root, 'tools', 'infra', 'browser.mjs'), ...chromiumArguments], {
    cwd: root,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(keeper, 'exit');
  const complaints: string[] = [];
  createInterface({ input: keeper.stderr }).on('line', (line) => complaints.push(line));
  const close = async () => {
    keeper.stdin.end();
    await exited;
  };
  const overdue = setTimeout(() => keeper.kill(), START_TIMEOUT_MS);
  const lines = createInterface({ input: keeper.stdout });
  const [address] = (await Promise.race([once(lines, 'line'), exited.then(() => [])])) as [string?];
  clearTimeout(overdue);
  if (address === undefined) throw new Error(complaints.join('\n') || 'the browser ended before it was ready');
  return { address, close };
}

/** A connection to a Chromium that runs; `close` ends the connection, and then does what else it is given. */
export async function connectBrowser(
  address: string,
  close: () => Promise<void> = () => Promise.resolve(),
): Promise<TestBrowser> {
  // Only here: a spec that takes a builder need not load it.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.connect(address, { timeout: STEP_TIMEOUT_MS });
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    return context;
  };
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    close: async () => {
      await browser.close();
      await close();
    },
  };
}

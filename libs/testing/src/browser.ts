import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { repositoryRoot } from './apps.js';
import { stage, type StageDefinition } from './stage-keeper.js';

const START_TIMEOUT_MS = 40_000;
const STEP_TIMEOUT_MS = 30_000;

export interface TestBrowser {
  /** A context with an empty profile. Each step in it may take 30 s. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** A page with an empty profile. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/**
 * Starts the machine's Chromium with additional arguments. It runs under tools/infra/test/browser.mjs, which ends it and removes its files when
 * this process is gone, even if it was killed. The spec must be named `*.browser.e2e.spec.ts`, so that `npm test` provides Chromium.
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

/** Starts Chromium without connecting to it; `address` is for `connectBrowser`, in this process or another one. */
async function startChromium(...chromiumArguments: string[]): Promise<{ address: string; close: () => Promise<void> }> {
  const root = repositoryRoot();
  const keeper = spawn(process.execPath, [join(root, 'tools', 'infra', 'test', 'browser.mjs'), ...chromiumArguments], {
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

/** Connects to a running Chromium; `close` disconnects and then calls the given function. */
async function connectBrowser(
  address: string,
  close: () => Promise<void> = () => Promise.resolve(),
): Promise<TestBrowser> {
  // Imported here, so that specs which need only builders do not load it.
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

/** A host of this machine other than localhost, whose HTTP pages are an insecure context. */
const INSECURE_HOST = '--host-resolver-rules=MAP shop.test 127.0.0.1';

/** One Chromium for all specs of a run; each page has its own profile. */
export const startBrowserStage: StageDefinition = async () => {
  const { address, close } = await startChromium(INSECURE_HOST);
  return { prefix: '', env: { ADDRESS: address }, apps: {}, stop: close };
};

/** Connects to the Chromium of this test run. `close` ends only the connection. */
export async function sharedBrowser(): Promise<TestBrowser> {
  const { env } = await stage('browser');
  return connectBrowser(env.ADDRESS ?? '');
}

interface ColdLoads {
  url: string;
  /** The tab keeps it before the page runs, as the page itself would. */
  session: Readonly<Record<string, string>>;
  /** A person waits for it. */
  selector: string;
  loads: number;
}

/** Loads a page several times, each time with an empty profile, and returns the milliseconds until the selector is there, the fewest first. */
export async function coldLoads(browser: TestBrowser, { url, session, selector, loads }: ColdLoads): Promise<number[]> {
  const took: number[] = [];
  for (let load = 0; load < loads; load++) {
    const page = await browser.newPage();
    await page.addInitScript((kept) => {
      for (const [name, value] of Object.entries(kept)) sessionStorage.setItem(name, value);
    }, session);
    const fromMs = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.locator(selector).first().waitFor();
    took.push(performance.now() - fromMs);
    await page.context().close();
  }
  return took.sort((one, other) => one - other);
}

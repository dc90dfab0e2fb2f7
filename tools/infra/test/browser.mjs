/**
 * Runs headless Chromium for the process that started this one, and prints its Playwright address. When stdin ends, also because the owner
 * was killed, it closes the browser and deletes its profile and files. Arguments go to Chromium.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '../chromium.mjs';
import { installLine } from '../packages.mjs';

const START_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;

const executablePath = chromiumPath();
if (executablePath === undefined) {
  console.error(`Chromium missing: install with "${installLine(['chromium'])}", or set CHROMIUM_PATH`);
  process.exit(1);
}

// Chromium's socket is 45 characters below the folder, and its path has at most 107 characters, on macOS 103.
const isShort = join(tmpdir(), 'tranche-browser-XXXXXX').length <= 103 - 45;
const folder = mkdtempSync(join(isShort ? tmpdir() : '/tmp', 'tranche-browser-'));
process.env.TMPDIR = folder; // for profile, downloads and sockets
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
const ownerEnds = new Promise((ends) => process.stdin.once('end', ends).once('error', ends).resume());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.stdin.destroy().emit('end'));

const server = await chromium.launchServer({
  executablePath,
  args: [...chromiumArguments(), ...process.argv.slice(2)],
  env: { ...process.env, HOME: folder },
  timeout: START_TIMEOUT_MS,
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
});
const browserEnds = new Promise((ends) => server.once('close', ends));
console.log(server.wsEndpoint());
await Promise.race([ownerEnds, browserEnds]);
setTimeout(() => void server.kill(), CLOSE_TIMEOUT_MS).unref();
await server.close();
process.exit(0);

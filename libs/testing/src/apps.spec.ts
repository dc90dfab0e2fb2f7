import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from './apps.js';
import { waitFor } from './wait-for.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tranche-release-'));
  mkdirSync(join(root, 'apps/platform-simulator/dist'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

/** Writes a release whose simulator is this script. */
const release = (script: string) => writeFileSync(join(root, 'apps/platform-simulator/dist/service.js'), script);
const start = (options: object = {}) => startApp('platform-simulator', {}, { root, ...options });

it('says what an app printed that ends before it is ready', async () => {
  release('console.error("no such file: merchants"); process.exit(78)');
  await expect(start()).rejects.toThrow(/^platform-simulator ended with 78\n[\s\S]*no such file: merchants/);
});

it('says that an app is not built', async () => {
  await expect(start()).rejects.toThrow(
    /apps\/platform-simulator\/dist\/service\.js is not there: run `npm run build`/,
  );
});

it('knows the ports that an app chose itself once it says them, and how it ended', async () => {
  release('console.log(JSON.stringify({ listening: 4711 })); setInterval(() => 0, 1000)');
  const app = await start({ readyPath: undefined });
  await waitFor(() => app.logs.length > 0, { what: 'its ports' });
  expect([app.url, app.managementUrl, app.killed]).toEqual(['http://127.0.0.1:4711', 'http://127.0.0.1:4711', false]);
  process.kill(app.pid, 'SIGKILL');
  expect(await app.exited).toBe('SIGKILL');
  expect(app.killed).toBe(true);
});

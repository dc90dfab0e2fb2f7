import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { launchBrowser } from '@tranche/testing';
import { overflow, violations } from '../../apps/checkout-demo/test/accessibility.js';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const DOORS = [
  '/index',
  '/pay-from-typescript',
  '/from-another-language',
  '/take-cards',
  '/operate/index',
  '/deploy-and-understand',
];
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
let server;
let browser;

function answer({ url }, response) {
  const file = join('dist/site', decodeURIComponent(url.split('?')[0]));
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
}

beforeAll(async () => {
  const built = spawnSync(process.execPath, ['tools/dev.mjs', 'docs'], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr.slice(-2000));
  server = createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser();
}, 600_000);
afterAll(async () => {
  await browser?.close();
  server?.close();
});

it.each([
  ['a phone', PHONE],
  ['a screen', { viewport: { width: 1280, height: 800 } }],
])(
  'axe finds nothing on the pages behind the five doors, and nothing is wider than %s',
  async (_, device) => {
    const context = await browser.newContext(device);
    const page = await context.newPage();
    const seen = [];
    for (const door of DOORS) {
      await page.goto(`http://127.0.0.1:${server.address().port}${door}.html`);
      // The theme names its buttons once its script runs.
      await page.waitForFunction(() => document.querySelector('.VPSwitchAppearance[title]:not([title=""])'));
      seen.push(...(await violations(page)).map((fault) => `${door}: ${fault}`));
      if ((await overflow(page)) > 0) seen.push(`${door} is too wide`);
    }
    await context.close();
    expect(seen).toEqual([]);
  },
  180_000,
);

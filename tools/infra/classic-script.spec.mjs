import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, utimesSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { buildClassicScript, CLASSIC_SCRIPT, classicScript, ES_MODULE, integrity } from './classic-script.mjs';

const BUDGET_BYTES = 4096;
const NAMES = ['CardEncryptionError', 'brandsOfNumber', 'cardFaults', 'encryptCard', 'tokenizeCard'];

beforeAll(() => buildClassicScript());

it.each([ES_MODULE, CLASSIC_SCRIPT])('%s has at most 4 kB gzipped', (file) => {
  expect(gzipSync(readFileSync(file)).length).toBeLessThanOrEqual(BUDGET_BYTES);
});

it('the module imports nothing, so one integrity hash covers it', () => {
  expect(readFileSync(ES_MODULE, 'utf8')).not.toMatch(/^\s*(import|export .* from)\b|\bimport\(/m);
});

it.each([ES_MODULE, CLASSIC_SCRIPT])('%s stores nothing and logs nothing', (file) => {
  expect(readFileSync(file, 'utf8')).not.toMatch(
    /console|localStorage|sessionStorage|indexedDB|document|sendBeacon|WebSocket|caches/,
  );
});

it('the classic script leaves one name behind, with what the module exports', () => {
  const page = createContext({});
  runInContext(readFileSync(CLASSIC_SCRIPT, 'utf8'), page);
  expect(Object.keys(page)).toEqual(['TrancheCardEncryption']);
  expect(runInContext('Object.keys(TrancheCardEncryption).sort()', page).join()).toBe(NAMES.join());
});

it('the module loads in Node as it is served', () => {
  const code = `import(${JSON.stringify(`${process.cwd()}/${ES_MODULE}`)}).then((library) => console.log(Object.keys(library).join()))`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stdout.trim()).toBe(NAMES.join());
});

it('both find the same fault in a page without a crypto API', async () => {
  const page = createContext({});
  runInContext(readFileSync(CLASSIC_SCRIPT, 'utf8'), page);
  const code = await runInContext('TrancheCardEncryption.encryptCard({}, {}).catch((error) => error.code)', page);
  expect(code).toBe('no_crypto_api');
});

it('is made again only when the module has changed', async () => {
  await expect(buildClassicScript()).resolves.toBe(false);
  const now = new Date();
  utimesSync(ES_MODULE, now, now);
  await expect(buildClassicScript()).resolves.toBe(true);
});

it('the same module gives the same script, and so the same hash', async () => {
  const module = readFileSync(ES_MODULE, 'utf8');
  expect(integrity(await classicScript(module))).toBe(integrity(readFileSync(CLASSIC_SCRIPT)));
});

it('--integrity prints what a page writes into its integrity attribute', () => {
  const { stdout } = spawnSync(process.execPath, ['tools/tranche.mjs', 'card-encryption', '--integrity'], {
    encoding: 'utf8',
  });
  const expected = [ES_MODULE, CLASSIC_SCRIPT].map(
    (file) => `sha384-${createHash('sha384').update(readFileSync(file)).digest('base64')}  ${file}`,
  );
  expect(stdout.trim().split('\n')).toEqual(expected);
});

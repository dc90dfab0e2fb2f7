import { spawnSync } from 'node:child_process';
import { readFileSync, utimesSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { CLASSIC_SCRIPT, ES_MODULE } from './bundles.mjs';

const BUDGET_BYTES = 4096;
const NAMES = ['CardEncryptionError', 'brandsOfNumber', 'cardFaults', 'encryptCard', 'tokenizeCard'];

/** A process of its own, because Jest loads no ES module such as Rolldown. Says whether the script was made. */
const bundle = () =>
  spawnSync(process.execPath, ['tools/dev.mjs', 'bundle'], { encoding: 'utf8' }).stderr.includes(CLASSIC_SCRIPT);

beforeAll(bundle);

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

it('is made again only when the module has changed', () => {
  expect(bundle()).toBe(false);
  const now = new Date();
  utimesSync(ES_MODULE, now, now);
  expect(bundle()).toBe(true);
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { readServiceSettings } from '@tranche/service-kit';
import { parse } from 'yaml';
import { AuthConfig } from '../../apps/auth-service/src/auth.config.js';
import { CseConfig } from '../../apps/cse-token-service/src/cse.config.js';
import { IngestConfig } from '../../apps/notification-ingest/src/ingest.config.js';
import { GatewayConfig } from '../../apps/payment-gateway/src/gateway.config.js';
import { codeBlocks } from './code-blocks.mjs';

const CONFIGS = { gateway: GatewayConfig, ingest: IngestConfig, auth: AuthConfig, cse: CseConfig };
const folder = mkdtempSync(join(tmpdir(), 'tranche-first-'));
afterAll(() => rmSync(folder, { recursive: true }));

const page = readFileSync('deploy/README.md', 'utf8');
const install = page.slice(page.indexOf('## Install'), page.indexOf('## Values that every chart has'));
const [prepare, apply] = codeBlocks('deploy/README.md', install).map(({ code }) => code);
let calls;
/** Runs commands of the page in an empty folder; `kubectl` and `helm` only write down what they are asked. */
const run = (commands) =>
  execFileSync('sh', ['-euc', commands], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}/bin${delimiter}${process.env.PATH}` },
    encoding: 'utf8',
  });

beforeAll(() => {
  symlinkSync(resolve('deploy'), join(folder, 'deploy'));
  execFileSync('mkdir', [join(folder, 'bin')]);
  for (const name of ['kubectl', 'helm']) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho "${name} $*" >> calls\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  run(prepare);
  run(apply);
  calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
});

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const merged = (one, other) =>
  isMap(one) && isMap(other)
    ? { ...one, ...Object.fromEntries(Object.entries(other).map(([key, value]) => [key, merged(one[key], value)])) }
    : other;
const read = (file) => parse(readFileSync(file, 'utf8'));
const values = merged(read('deploy/helm/tranche/values.yaml'), read('deploy/first-values.yaml'));
const keysIn = (files) => Object.values(files).map(({ secret, key }) => `${secret}/${key}`);

it('the steps make every Secret that the chart mounts, with its keys, and no other', () => {
  // An optional service has Secrets of its own.
  const installed = Object.values(values.services).filter(({ enabled }) => enabled);
  const listed = installed.flatMap(({ secretFiles: { MERCHANTS_FILE: _, ...files } }) => keysIn(files));
  const wanted = new Set([...listed, ...keysIn(values.merchantKeyFiles)]);
  const made = calls.flatMap((call) => {
    const [, name, from] = /^kubectl -n tranche create secret generic (\S+) --from-file=(\S+)$/.exec(call) ?? [];
    return name ? readdirSync(join(folder, from)).map((key) => `${name}/${key}`) : [];
  });
  expect(made.sort()).toEqual([...wanted].sort());
  expect(calls.at(-2)).toBe('helm install tranche deploy/helm/tranche -n tranche -f my-values.yaml');
});

it.each(Object.keys(CONFIGS))('services.%s starts in production mode with what they make', (name) => {
  const { settings, secretFiles } = values.services[name];
  const merchants = values.merchants.map((merchant) => ({ ...merchant, accountKeyFile: fileOf(values.merchantKeyFiles[merchant.accountKeyFile]) })); // prettier-ignore
  writeFileSync(join(folder, 'merchants.json'), JSON.stringify(merchants));
  const files = Object.entries(secretFiles).map(([setting, from]) => [
    setting.endsWith('_FILE') ? setting : `${setting}_FILE`,
    setting === 'MERCHANTS_FILE' ? join(folder, 'merchants.json') : fileOf(from),
  ]);
  const ofChart = { AUTH_SERVICE_URL: 'http://tranche-auth:4030', PLAINTEXT_HOSTS: 'tranche-auth' };
  const env = { ...values.settings, ...settings, ...(name === 'gateway' && ofChart), ...Object.fromEntries(files) };
  expect(readServiceSettings(CONFIGS[name], env).faults).toEqual([]);
});

it('every secret that others give is marked, and the script writes over no key', () => {
  const marked = run(prepare.split('\n').at(-2)).split('\n');
  for (const file of ['account-key', 'accounts.json', 'redis-url']) expect(marked.join()).toContain(file);
  const before = readFileSync(join(folder, 'secrets/tranche-auth/token-encryption-key'), 'utf8');
  expect(() => run('sh deploy/first-secrets.sh secrets 2>&1')).toThrow(/Command failed/);
  expect(readFileSync(join(folder, 'secrets/tranche-auth/token-encryption-key'), 'utf8')).toBe(before);
});

const fileOf = ({ secret, key }) => join(folder, 'secrets', secret, key);

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, readServiceSettings } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(GatewayConfig, { AUTH_SERVICE_KEY: 'key', ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
}

it.each([
  ['the defaults', {}, []],
  ['rising times', { LOOKUP_AFTER_MS: '1000,2000,3000' }, []],
  ['no times', { LOOKUP_AFTER_MS: 'never' }, ['LOOKUP_AFTER_MS']],
])('look-up: %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

it.each([
  ['https', { PAYMENT_URL: 'https://platform.example' }, []],
  ['http', { PAYMENT_URL: 'http://platform.example' }, ['PAYMENT_URL']],
  ['a second one with http', { PAYMENT_URL: 'https://a.example,http://b.example' }, ['PAYMENT_URL']],
  ['http on this machine', { PAYMENT_URL: 'http://127.0.0.1:4010' }, []],
  ['http to a name that begins like this machine', { PAYMENT_URL: 'http://127.0.0.1.example' }, ['PAYMENT_URL']],
])('the platform’s address in production: %s', (_, env, faults) => {
  const inProduction = readServiceSettings(GatewayConfig, { AUTH_SERVICE_KEY: 'key', TOPICS: 'check', ...env }).faults;
  expect(inProduction.filter(({ name }) => name === 'PAYMENT_URL').map(({ name }) => name)).toEqual(faults);
  expect(faultsOf(env)).toEqual([]);
});

const issuer = { OPERATORS_OIDC_ISSUER: 'https://id.example', OPERATORS_OIDC_AUDIENCE: 'payments' };
const roles = { OPERATORS_OIDC_ROLES: 'ops=operator,lead=approver' };

it.each<[string, Record<string, string>, string[]]>([
  ['with audience and roles', { ...issuer, ...roles }, []],
  [
    'with nothing else',
    { OPERATORS_OIDC_ISSUER: 'https://id.example' },
    ['OPERATORS_OIDC_AUDIENCE', 'OPERATORS_OIDC_ROLES'],
  ],
  ['over http', { ...issuer, ...roles, OPERATORS_OIDC_ISSUER: 'http://id.example' }, ['OPERATORS_OIDC_ISSUER']],
  ['over http on this machine', { ...issuer, ...roles, OPERATORS_OIDC_ISSUER: 'http://127.0.0.1:9' }, []],
  ['with a role that there is not', { ...issuer, OPERATORS_OIDC_ROLES: 'ops=admin' }, ['OPERATORS_OIDC_ROLES']],
  ['with a value twice', { ...issuer, OPERATORS_OIDC_ROLES: 'ops=viewer,ops=approver' }, ['OPERATORS_OIDC_ROLES']],
])('issuer of operators’ tokens %s', (_, env, faults) => {
  expect(faultsOf(env).sort()).toEqual(faults);
});

it.each([
  ['the newest', {}, []],
  ['named', { RULES_VERSION: '1' }, []],
  ['one that this release does not read', { RULES_VERSION: '3' }, ['RULES_VERSION']],
])('rules version: %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

it.each([
  ['the shortest', { REFUNDABLE_DAYS: '35' }, []],
  ['shorter than any order is kept', { REFUNDABLE_DAYS: '34' }, ['REFUNDABLE_DAYS']],
  ['no whole number', { REFUNDABLE_DAYS: '400.5' }, ['REFUNDABLE_DAYS']],
  ['beyond ten years', { REFUNDABLE_DAYS: '3651' }, ['REFUNDABLE_DAYS']],
])('refundable days: %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

it.each([
  ['of a journal that was moved', { JOURNAL_EPOCH: '921' }, []],
  ['below 0', { JOURNAL_EPOCH: '-1' }, ['JOURNAL_EPOCH']],
  ['that does not fit into a sequence', { JOURNAL_EPOCH: '922' }, ['JOURNAL_EPOCH']],
  ['that is no whole number', { JOURNAL_EPOCH: '1.5' }, ['JOURNAL_EPOCH']],
])('journal epoch: one %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

// The merchants of the demo sign, so the environment needs an id.
const production = { TOPICS: 'check', ENVIRONMENT_ID: 'tests' };
it.each([
  ['none, in a demo', {}, []],
  ['none, in production', { ...production }, ['INDEX_HMAC_KEYS']],
  ['one', { ...production, INDEX_HMAC_KEYS: `one:${Buffer.alloc(32).toString('base64')}` }, []],
  ['one that is too short', { INDEX_HMAC_KEYS: 'one:c2hvcnQ=' }, ['INDEX_HMAC_KEYS']],
])('keys of the index: %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

describe('the id of the environment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const merchants = (more: object) => {
    const file = join(folder, `${Object.keys(more).join('-') || 'none'}.json`);
    writeFileSync(file, JSON.stringify([{ merchant: 's', identifier: 'S', accountKey: 'a-key-of-its-own', ...more }]));
    return file;
  };
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x;
  const keys = { publisherKeys: [{ kid: 'k1', publicKey }] };
  const signing = merchants(keys);
  const production = { TOPICS: 'check', INDEX_HMAC_KEYS: `one:${Buffer.alloc(32).toString('base64')}` };

  it.each<[string, Record<string, string>, string[]]>([
    ['none, in a demo', { MERCHANTS_FILE: signing }, []],
    ['none, in production', { MERCHANTS_FILE: signing, ...production }, ['ENVIRONMENT_ID']],
    ['none, in production, where nobody signs', { MERCHANTS_FILE: merchants({}), ...production }, []],
    ['one, in production', { MERCHANTS_FILE: signing, ...production, ENVIRONMENT_ID: 'eu-west-2' }, []],
    ['with capitals', { ENVIRONMENT_ID: 'Production' }, ['ENVIRONMENT_ID']],
    ['too long', { ENVIRONMENT_ID: 'x'.repeat(33) }, ['ENVIRONMENT_ID']],
  ])('%s', (_, env, faults) => expect(faultsOf(env)).toEqual(faults));

  it.each<[string, object, string[]]>([
    ['that names no signer', {}, ['publisherKeys of s must name who signs']],
    ['that needs no signature', keys, ['requireSignatures of s must be true']],
    ['that needs one', { ...keys, requireSignatures: true }, []],
  ])('production refuses unsigned commands: a merchant %s', (_, merchant, faults) => {
    const env = { AUTH_SERVICE_KEY: 'key', MERCHANTS_FILE: merchants(merchant), ...production };
    const ofMerchants = readServiceSettings(GatewayConfig, env).faults.filter(({ name }) => name === 'MERCHANTS_FILE');
    expect(ofMerchants.map(({ message }) => message)).toEqual(faults);
  });
});

it.each([100, 30_000, 600_000])('the drain outlasts a call of %i ms, and the stop outlasts the drain', (timeoutMs) => {
  const config = loadConfig(GatewayConfig, { AUTH_SERVICE_KEY: 'key', PLATFORM_TIMEOUT_MS: String(timeoutMs) });
  expect(config.drainTimeoutMs).toBeGreaterThan(timeoutMs);
  expect(config.shutdownTimeoutMs).toBeGreaterThan(config.drainTimeoutMs);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, describeConfig, loadConfig } from '@tranche/service-kit';
import { merchantsFile } from '../test/cse-token-service.js';
import { CseConfig } from './cse.config.js';

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(CseConfig, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ name }) => name);
  }
  return [];
}

const sound = { CSE_KEYS_URL: 'http://127.0.0.1:4010/cseKeys', CSE_ORIGINS: 'https://shop.example', MERCHANTS_FILE: merchantsFile() };

describe('settings of cse-token-service', () => {
  it('names all that is missing at once', () => {
    expect(faultsOf({ MERCHANTS_FILE: '/nowhere' }).sort()).toEqual(['CSE_KEYS_URL', 'CSE_ORIGINS', 'MERCHANTS_FILE']);
    expect(faultsOf(sound)).toEqual([]);
  });

  it.each([
    ['CSE_ORIGINS', '*'],
    ['CSE_KEYS_URL', 'keys'],
    ['CSE_KEY_LIFETIME_MS', '-1'],
    ['CSE_KEY_LIFETIME_MS', '3600001'],
    ['CSE_TIMEOUT_MS', '99'],
    ['CSE_STALE_MS', '-1'],
    ['CSE_STALE_MS', '86400001'],
    ['CSE_BACK_OFF_MS', '9'],
    ['CSE_REFUSED_INTERVAL_MS', '99'],
    ['CSE_KEY_PINS', 'abc'],
    ['CSE_KEY_PINS', `${'a'.repeat(64)},`],
    ['REQUESTS_PER_MINUTE_PER_ADDRESS', '0'],
    ['REQUESTS_PER_MINUTE_PER_ORIGIN', '0'],
    ['TRUSTED_PROXIES', 'proxy'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['TOPICS', 'perhaps'],
    ['PORT', '65536'],
    ['MERCHANTS_FILE', __filename],
  ])('refuses %s=%s', (name, value) => {
    expect(faultsOf({ ...sound, [name]: value })).toEqual([name]);
  });

  it('are all in the README', () => {
    const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
    for (const { name } of describeConfig(CseConfig)) expect(readme).toContain(`\`${name}\``);
  });
});

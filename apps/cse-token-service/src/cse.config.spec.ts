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

const sound = {
  CSE_KEYS_URL: 'http://127.0.0.1:4010/cseKeys',
  CSE_ORIGINS: 'https://shop.example',
  MERCHANTS_FILE: merchantsFile(),
};

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
    ['REDIS_URL', 'http://127.0.0.1'],
    ['REDIS_ANSWER_MS', '49'],
    ['REDIS_ANSWER_MS', '10001'],
    ['TOPICS', 'perhaps'],
    ['PORT', '65536'],
    ['MERCHANTS_FILE', __filename],
  ])('refuses %s=%s', (name, value) => {
    expect(faultsOf({ ...sound, [name]: value })).toEqual([name]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['over https', { CSE_KEYS_URL: 'https://keys.example/cseKeys' }, []],
    ['over http from this machine', { CSE_KEYS_URL: 'http://localhost:4010/cseKeys' }, []],
    ['over http from this machine, IPv6', { CSE_KEYS_URL: 'http://[::1]:4010/cseKeys' }, []],
    ['over http from another one', { CSE_KEYS_URL: 'http://keys.example/cseKeys' }, ['CSE_KEYS_URL']],
    [
      'over http from a name that only begins so',
      { CSE_KEYS_URL: 'http://127.0.0.1.example/cseKeys' },
      ['CSE_KEYS_URL'],
    ],
    [
      'over http from another one, pinned',
      { CSE_KEYS_URL: 'http://keys.example/cseKeys', CSE_KEY_PINS: 'a'.repeat(64) },
      [],
    ],
    ['over http from another one, allowed', { CSE_KEYS_URL: 'http://keys:4010/cseKeys', ALLOW_HTTP_KEYS: 'true' }, []],
  ])('takes keys %s or not', (_, env, faults) => expect(faultsOf({ ...sound, ...env })).toEqual(faults));

  it('says what to do where keys would come over http', () => {
    expect(() => loadConfig(CseConfig, { ...sound, CSE_KEYS_URL: 'http://keys.example/cseKeys' })).toThrow(
      /CSE_KEYS_URL.*https:\/\/.*CSE_KEY_PINS.*ALLOW_HTTP_KEYS=true/,
    );
  });

  it('are all in docs/reference/settings.md', () => {
    const settings = readFileSync(join(__dirname, '../../../docs/reference/settings.md'), 'utf8');
    for (const { name } of describeConfig(CseConfig)) expect(settings).toContain(`\`${name}\``);
  });
});

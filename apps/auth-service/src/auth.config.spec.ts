import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, describeConfig, loadConfig } from '@tranche/service-kit';
import { ACCOUNTS, accountsFile, ENCRYPTION_KEY } from '../test/auth-service.js';
import { AuthConfig } from './auth.config.js';

const password = { account: 'user', grant: 'password', username: 'name', password: 'canary-password' };
const ofUsers = { account: 'shoppers', grant: 'password', ofUsers: true };
const withUsers = accountsFile({ ...ACCOUNTS, accounts: [...ACCOUNTS.accounts, ofUsers] });
const withPassword = accountsFile({ ...ACCOUNTS, accounts: [...ACCOUNTS.accounts, password] });

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(AuthConfig, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toContain('canary');
    return error.faults.map(({ name }) => name);
  }
  return [];
}

const sound = {
  AUTH_URL: 'http://127.0.0.1:4010',
  ACCOUNTS_FILE: accountsFile(),
  TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
  REDIS_URL: 'redis://127.0.0.1/1',
};

describe('settings of auth-service', () => {
  it('names all that is missing at once', () => {
    expect(faultsOf({}).sort()).toEqual(['ACCOUNTS_FILE', 'AUTH_URL', 'REDIS_URL', 'TOKEN_ENCRYPTION_KEY']);
    expect(faultsOf(sound)).toEqual([]);
  });

  it.each([
    ['TOKEN_ENCRYPTION_KEY', 'canary'],
    ['REFUSAL_SECONDS', '301'],
    ['REALM_SECONDS', '0'],
    ['KAFKA_TOPIC_PREFIX', 'can ary'],
    ['TOPICS', 'canary'],
    ['REDIS_URL', 'http://canary'],
    ['AUTH_URL', 'canary'],
    ['AUTH_TIMEOUT_MS', '99'],
    ['AUTH_TIMEOUT_MS', '60001'],
    ['REDIS_ANSWER_MS', '99'],
    ['REDIS_ANSWER_MS', '4001'],
    ['PORT', '65536'],
    ['ACCOUNTS_FILE', accountsFile({ accounts: 'canary' })],
  ])('refuses %s=%s', (name, value) => {
    expect(new Set(faultsOf({ ...sound, [name]: value }))).toEqual(new Set([name]));
  });

  it.each([
    ['off', {}, ['ALLOW_PASSWORD_GRANT', 'AUTH_URL']],
    ['on without TLS', { ALLOW_PASSWORD_GRANT: 'true' }, ['AUTH_URL']],
    ['off with TLS', { AUTH_URL: 'https://auth.example' }, ['ALLOW_PASSWORD_GRANT']],
    ['on with TLS', { ALLOW_PASSWORD_GRANT: 'true', AUTH_URL: 'https://auth.example' }, []],
  ])('with an account of the password grant, which is %s', (_, env, faults) => {
    expect(faultsOf({ ...sound, ACCOUNTS_FILE: withPassword, ...env })).toEqual(faults);
    expect(faultsOf({ ...sound, ACCOUNTS_FILE: withUsers, ...env })).toEqual(faults);
  });

  it('with SASL need its user and password, and without KAFKA_BROKERS there is no Kafka', () => {
    expect(faultsOf({ ...sound, KAFKA_SASL_MECHANISM: 'plain' }).sort()).toEqual([
      'KAFKA_SASL_PASSWORD',
      'KAFKA_SASL_USERNAME',
    ]);
    expect(loadConfig(AuthConfig, sound).kafka).toBeUndefined();
    expect(loadConfig(AuthConfig, { ...sound, KAFKA_BROKERS: 'a:1,b:2' }).kafka).toEqual({
      brokers: ['a:1', 'b:2'],
      ssl: false,
    });
  });

  it('are all in docs/reference/settings.md', () => {
    const settings = readFileSync(join(__dirname, '../../../docs/reference/settings.md'), 'utf8');
    for (const { name } of describeConfig(AuthConfig)) expect(settings).toContain(`\`${name}\``);
  });
});

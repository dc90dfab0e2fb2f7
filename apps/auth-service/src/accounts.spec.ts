import { EntriesFileError } from '@tranche/contracts';
import { readAccounts } from './accounts.js';
import { loadAccounts } from './auth.config.js';

const account = {
  account: 'shop',
  grant: 'client_credentials',
  clientId: 'id',
  clientSecret: 'canary-secret',
  scope: '/realms/shop',
};
const user = { account: 'user', grant: 'password', username: 'name', password: 'canary-password' };
const caller = { caller: 'payment-gateway', key: 'canary-key-of-24-characters', accounts: ['shop'] };

function faultsOf(document: unknown, files: Record<string, string> = {}): string[] {
  try {
    readAccounts(document, (path) => {
      const content = files[path];
      if (content === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' });
      return content;
    });
  } catch (error) {
    if (!(error instanceof EntriesFileError)) throw error;
    expect(error.message).not.toContain('canary');
    return error.faults.map(({ path, message }) => `${path} ${message}`);
  }
  return [];
}

describe('accounts file', () => {
  it('reads accounts of both grants and callers', () => {
    const accounts = readAccounts({ accounts: [account, user], callers: [caller] }, () => '');
    expect(accounts.byName('shop')).toMatchObject({
      account: 'shop',
      grant: 'client_credentials',
      clientId: 'id',
      scope: '/realms/shop',
    });
    expect(accounts.byName('user')).toMatchObject({ grant: 'password', username: 'name', scope: undefined });
    expect(accounts.byName('constructor')).toBeUndefined();
    expect(accounts.callers[0]?.key.equals(caller.key)).toBe(true);
    expect(JSON.stringify(accounts)).not.toContain('canary');
  });

  it('reads the demonstration file', () => {
    const accounts = loadAccounts(
      '../../config/accounts.demo.json'.replace('../..', process.cwd().replace(/\/apps\/auth-service$/, '')),
    );
    expect(accounts.byName('tranche-demo')).toMatchObject({ grant: 'client_credentials', scope: '/realms/demo' });
    expect(accounts.callers.map(({ caller: name }) => name)).toEqual(['payment-gateway']);
  });

  it('takes secrets from files, without their last line break', () => {
    const { clientSecret: _, ...rest } = account;
    const { key: __, ...callerRest } = caller;
    const files: Record<string, string> = { a: 'secret-a\n', b: 'key-of-more-than-24-characters\r\n' };
    const document = { accounts: [{ ...rest, clientSecretFile: 'a' }], callers: [{ ...callerRest, keyFile: 'b' }] };
    const accounts = readAccounts(document, (path) => files[path] ?? '');
    const [first] = accounts.all;
    expect(first?.grant === 'client_credentials' && first.clientSecret.reveal()).toBe('secret-a');
    expect(accounts.callers[0]?.key.reveal()).toBe('key-of-more-than-24-characters');
  });

  it('reports every fault at once, with its path and without a value [TokenApi.allowed-grants]', () => {
    const faults = faultsOf({
      accounts: [
        { ...account, clientSecret: '' },
        { account: 'Shop!', grant: 'implicit' },
        { ...user, passwordFile: 'x' },
        { account: 'b', grant: 'password' },
      ],
      callers: [
        { caller: 'x', key: 'canary-short', accounts: 'shop' },
        { ...caller, colour: 'canary-red' },
        { ...caller, accounts: ['nobody'] },
        null,
      ],
    });
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      'accounts[0].clientSecret',
      'accounts[1].account',
      'accounts[1].grant',
      'accounts[2].passwordFile',
      'accounts[3].password',
      'accounts[3].password',
      'accounts[3].username',
      'accounts[3].username',
      'callers[0].accounts',
      'callers[0].key',
      'callers[1].colour',
      'callers[2].accounts[0]',
      'callers[2].caller',
      'callers[2].key',
      'callers[3]',
    ]);
  });

  it.each([
    [
      'users whose account has a password',
      { accounts: [{ account: 'u', grant: 'password', ofUsers: true, password: 'canary' }], callers: [caller] },
      'accounts[0].password stands beside ofUsers',
    ],
    [
      'users of client credentials',
      { accounts: [{ ...account, ofUsers: true }], callers: [caller] },
      'accounts[0].ofUsers is for the grant password only',
    ],
    [
      'a realm that users discover',
      { accounts: [{ account: 'u', grant: 'password', ofUsers: true }, { ...account, scope: undefined, scopeFrom: 'u' }], callers: [caller] }, // prettier-ignore
      'accounts[1].scopeFrom names an account of users',
    ],
    ['no object', [], ' must be a JSON object'],
    ['no accounts', { callers: [caller] }, 'accounts '],
    ['an empty list', { accounts: [], callers: [caller] }, 'accounts '],
    ['no callers', { accounts: [account] }, 'callers '],
    ['an entry that is no object', { accounts: ['x'], callers: [caller] }, 'accounts'],
    [
      'two accounts of one name',
      { accounts: [account, account], callers: [caller] },
      'accounts[1].account is that of an earlier',
    ],
    [
      'two callers with one key',
      { accounts: [account], callers: [caller, { ...caller, caller: 'b' }] },
      'callers[1].key is that of an earlier',
    ],
    [
      'a caller of an unknown account',
      { accounts: [account], callers: [{ ...caller, accounts: ['nope'] }] },
      'callers[0].accounts[0] is not one',
    ],
    [
      'a scope beside scopeFrom',
      { accounts: [account, { ...account, account: 'b', scope: '/a', scopeFrom: account.account }], callers: [caller] },
      'accounts[1].scopeFrom stands beside scope',
    ],
    [
      'a scopeFrom of an unknown account',
      { accounts: [{ ...account, scope: undefined, scopeFrom: 'nope' }], callers: [caller] },
      'accounts[0].scopeFrom is not one of the accounts',
    ],
    [
      'a scopeFrom of itself',
      { accounts: [{ ...account, scope: undefined, scopeFrom: account.account }], callers: [caller] },
      'accounts[0].scopeFrom names an account that has a scopeFrom itself',
    ],
    [
      'a scopeFrom that is no text',
      { accounts: [{ ...account, scope: undefined, scopeFrom: 7 }], callers: [caller] },
      'accounts[0].scopeFrom',
    ],
    [
      'a secret file that is absent',
      { accounts: [{ ...account, clientSecret: undefined, clientSecretFile: 'x' }], callers: [caller] },
      'accounts[0].clientSecretFile cannot be read (ENOENT)',
    ],
  ])('refuses %s', (_, document, fault) => {
    const faults = faultsOf(document);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]).toContain(fault);
  });

  it('takes a key of 24 characters and none of 23', () => {
    const withKey = (key: string) => faultsOf({ accounts: [account], callers: [{ ...caller, key }] });
    expect(withKey('x'.repeat(24))).toEqual([]);
    expect(withKey('x'.repeat(23))).toHaveLength(1);
    expect(withKey(`${'x'.repeat(24)} `)).toHaveLength(1);
  });
});

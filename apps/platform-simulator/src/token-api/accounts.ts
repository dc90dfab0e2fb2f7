import { randomUUID } from 'node:crypto';
import { EntriesFileError, isPlainObject, openEntriesFile, type ReadFile } from '@tranche/contracts';

export interface Account {
  readonly account: string;
  readonly grant: 'client_credentials' | 'password';
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly username?: string;
  readonly password?: string;
  readonly realm: string;
}

/** Present state of the accounts. A test may change a secret while a client still uses the old one. */
export class Accounts {
  constructor(public all: readonly Account[]) {}

  /** Without `secret` it sets a random one that no client knows. Returns false if there is no such account. */
  changeSecret(name: string, secret: string = randomUUID()): boolean {
    const isThere = this.all.some(({ account }) => account === name);
    this.all = this.all.map((one) => {
      if (one.account !== name) return one;
      return { ...one, ...(one.grant === 'password' ? { password: secret } : { clientSecret: secret }) };
    });
    return isThere;
  }
}

/**
 * `{"accounts": [{"account", "grant", "clientId", "clientSecret" or "clientSecretFile", "username", "password" or "passwordFile",
 * "scope"}]}`
 */
export function readAccounts(file: string): { accounts: Account[]; faults: string[] } {
  let opened: ReturnType<typeof openEntriesFile>;
  try {
    opened = openEntriesFile(file);
  } catch (error) {
    if (!(error instanceof EntriesFileError)) throw error;
    return { accounts: [], faults: error.faults.map(({ message }) => message) };
  }
  const { document, readFile } = opened;
  const list = isPlainObject(document) ? document.accounts : undefined;
  if (!Array.isArray(list)) return { accounts: [], faults: ['accounts must be a list'] };
  const faults: string[] = [];
  const accounts = list.flatMap((entry: unknown, index) => {
    const read = readAccount(entry, readFile);
    if ('faults' in read) faults.push(...read.faults.map((fault) => `accounts[${index}]${fault}`));
    return 'faults' in read ? [] : [read];
  });
  return { accounts, faults };
}

function readAccount(entry: unknown, readFile: ReadFile): Account | { faults: string[] } {
  if (!isPlainObject(entry)) return { faults: [' must be an object'] };
  const faults: string[] = [];
  const text = (name: string, isRequired: boolean): string | undefined => {
    const value = entry[name];
    if (typeof value === 'string' && value !== '') return value;
    if (isRequired || value !== undefined) faults.push(`.${name} must be a text`);
    return undefined;
  };
  const secret = (name: string): string | undefined => {
    const file = text(`${name}File`, false);
    if (file === undefined) return text(name, true);
    try {
      return readFile(file).replace(/\r?\n$/, '');
    } catch {
      faults.push(`.${name}File cannot be read`);
      return undefined;
    }
  };
  const account = text('account', true) ?? '';
  const grant = entry.grant;
  if (grant !== 'client_credentials' && grant !== 'password')
    return { faults: [...faults, '.grant must be client_credentials or password'] };
  const realm = text('scope', false) ?? `/platform/${account}`;
  const who =
    grant === 'client_credentials'
      ? { clientId: text('clientId', true), clientSecret: secret('clientSecret') }
      : { username: text('username', true), password: secret('password') };
  return faults.length > 0 ? { faults } : { account, grant, realm, ...who };
}

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AccountsFileError, readAccounts, type Accounts } from './accounts.js';

/** Paths of secret files are relative to the accounts file. */
export function loadAccounts(path: string): Accounts {
  return readAccounts(parse(readFileSync(path, 'utf8')), (file) => readFileSync(resolve(dirname(path), file), 'utf8'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would repeat parts of the file.
    throw new AccountsFileError([{ path: '', message: 'is not JSON' }]);
  }
}

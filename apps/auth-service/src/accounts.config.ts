import { openEntriesFile } from '@tranche/contracts';
import { readAccounts, type Accounts } from './accounts.js';

/** Paths of secret files are relative to the accounts file. */
export function loadAccounts(path: string): Accounts {
  const { document, readFile } = openEntriesFile(path);
  return readAccounts(document, readFile);
}

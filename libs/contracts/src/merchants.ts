import { EntriesFileError, openEntriesFile, withSecretsFromFiles, type ReadFile } from './entries-file.js';
import { fault, joinPath, type Fault } from './faults.js';
import type { MerchantRules } from './commands/merchant-rules.js';
import { faultsOfApiKeys, MerchantEntry, MerchantRulesEntry, type ApiKey } from './merchant-entry.js';
import type { PublisherKey } from './signatures/command-signature.js';
import { check } from './validation/check.js';
import { isPlainObject } from './validation/fields.js';

/** A merchant's account on the platform. It contains secrets, so it must never be logged as a whole. */
export interface Merchant extends MerchantRules {
  /** IDENTIFIER. */
  identifier: string;
  /** The K of HASH, unless a more specific key is set. */
  accountKey: string;
  notificationKey?: string;
  redirectKey?: string;
  /** Earlier keys that are still accepted for notifications and returns during a key change. */
  previousKeys?: { account?: string; notification?: string; redirect?: string };
  apiKeys?: readonly ApiKey[];
  notificationUrl?: string;
  /** REDIRECT_URL: the platform redirects the cardholder to it after the form. */
  returnUrl?: string;
  /** The merchant's page to which returnUrl redirects. */
  pageUrl?: string;
  /** Further pages that an authorization may name instead of pageUrl. */
  returnPages?: readonly { name: string; url: string }[];
  /** Account of the token API. Its access token is sent with the merchant's operations. */
  authAccount?: string;
  /** True if operations in doubt and pending payments may be looked up by ORDERID. */
  lookup: boolean;
  /** True if an authorization may supersede one in doubt whose form was never shown (docs/decisions/0049). */
  supersedeDoubtfulForms?: boolean;
  /** Keys that sign the merchant's commands. If any is set, a command with an invalid signature is refused. */
  publisherKeys?: readonly PublisherKey[];
  /** Minor units. An operator's resolution of a higher amount needs the approval of a second person. */
  approvalAboveMinor?: number;
  /** True if events of notifications contain CLIENTEMAIL, CLIENTIDENT and other data of the buyer. */
  keepsNotifiedClient?: boolean;
  /** True if commands without a signature are refused. */
  requireSignatures?: boolean;
}

export interface Merchants {
  readonly all: readonly Merchant[];
  byName(name: string): Merchant | undefined;
  byIdentifier(identifier: string): Merchant | undefined;
}

/**
 * Reads a JSON list of merchants. Each key may come from a file: `accountKeyFile` instead of `accountKey`, with a path relative to the
 * list.
 * @throws EntriesFileError with all faults; no message contains a key
 */
export function loadMerchants(file: string): Merchants {
  const { document, readFile } = openEntriesFile(file);
  const read = readMerchants(document, readFile);
  if ('faults' in read) throw new EntriesFileError(read.faults, file);
  return read.merchants;
}

/** Like `loadMerchants` for a parsed list. `readKey` returns the content of a key file. */
export function readMerchants(list: unknown, readKey: ReadFile): { merchants: Merchants } | { faults: Fault[] } {
  if (!Array.isArray(list)) return { faults: [fault('', 'type', 'must be a JSON list of merchants')] };
  if (list.length === 0) return { faults: [fault('', 'length', 'must have at least one merchant')] };
  const faults: Fault[] = [];
  const all: Merchant[] = [];
  list.forEach((raw: unknown, index) => {
    const entry = withKeysFromFiles(raw, `[${index}]`, readKey, faults);
    const checked = check(MerchantEntry, entry, 'refused');
    const ofKeys = checked.value === undefined ? [] : faultsOfApiKeys(checked.value);
    faults.push(...[...checked.faults, ...ofKeys].map((one) => ({ ...one, path: joinPath(`[${index}]`, one.path) })));
    if (checked.value !== undefined) all.push(merchantOf(checked.value));
  });
  faults.push(...duplicates(list));
  return faults.length > 0 ? { faults } : { merchants: merchantsOf(all) };
}

function merchantOf(entry: MerchantEntry): Merchant {
  const { apiKeys, ...fields } = entry;
  return {
    ...fields,
    // `faultsOfApiKeys` has checked that the keys match this type.
    ...(apiKeys && { apiKeys: apiKeys as readonly ApiKey[] }),
    ...rulesWithDefaults(entry),
    lookup: entry.lookup ?? false,
  };
}

const rulesWithDefaults = ({ market = 'FR', currency = 'EUR' }: MerchantRulesEntry) => ({ market, currency }) as const;

/**
 * Reads entries of the merchants' file for someone who only checks commands: a shop. Needs no keys, and ignores the fields that only services
 * use.
 * @throws EntriesFileError with all faults
 */
export function readMerchantRules(entries: readonly unknown[]): readonly MerchantRules[] {
  const checked = entries.map((entry) => check(MerchantRulesEntry, entry, 'ignored'));
  const faults = checked.flatMap(({ faults: all }, at) =>
    all.map((one) => ({ ...one, path: joinPath(`[${at}]`, one.path) })),
  );
  if (faults.length > 0) throw new EntriesFileError(faults, 'merchants');
  return checked.flatMap(({ value }) => (value === undefined ? [] : [{ ...value, ...rulesWithDefaults(value) }]));
}

function merchantsOf(all: readonly Merchant[]): Merchants {
  const names = new Map(all.map((one) => [one.merchant, one]));
  const identifiers = new Map(all.map((one) => [one.identifier, one]));
  return { all, byName: (name) => names.get(name), byIdentifier: (identifier) => identifiers.get(identifier) };
}

function withKeysFromFiles(raw: unknown, path: string, readKey: ReadFile, faults: Fault[]): unknown {
  if (!isPlainObject(raw)) return raw;
  const entry = withSecretsFromFiles(raw, ['accountKey', 'notificationKey', 'redirectKey'], path, readKey, faults);
  if (isPlainObject(entry.previousKeys)) {
    const names = ['account', 'notification', 'redirect'];
    entry.previousKeys = withSecretsFromFiles(
      entry.previousKeys,
      names,
      joinPath(path, 'previousKeys'),
      readKey,
      faults,
    );
  }
  if (Array.isArray(entry.apiKeys)) {
    entry.apiKeys = entry.apiKeys.map((one: unknown, index) =>
      isPlainObject(one) ? withSecretsFromFiles(one, ['key'], `${path}.apiKeys[${index}]`, readKey, faults) : one,
    );
  }
  return entry;
}

function duplicates(list: readonly unknown[]): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  const once = (kind: string, value: unknown, path: string) => {
    if (typeof value !== 'string') return;
    const key = JSON.stringify([kind, value]);
    if (seen.has(key)) faults.push(fault(path, 'duplicate', `is the ${kind} of an earlier entry too`));
    seen.add(key);
  };
  list.forEach((entry: unknown, index) => {
    if (!isPlainObject(entry)) return;
    once('merchant', entry.merchant, `[${index}].merchant`);
    once('identifier', entry.identifier, `[${index}].identifier`);
    if (Array.isArray(entry.returnPages))
      entry.returnPages.forEach((one: unknown, at) => {
        if (isPlainObject(one))
          once(`name of a return page of this merchant (${index})`, one.name, `[${index}].returnPages[${at}].name`);
      });
    if (Array.isArray(entry.publisherKeys))
      entry.publisherKeys.forEach((one: unknown, at) => {
        if (isPlainObject(one))
          once(`kid of a publisher's key of this merchant (${index})`, one.kid, `[${index}].publisherKeys[${at}].kid`);
      });
    if (!Array.isArray(entry.apiKeys)) return;
    entry.apiKeys.forEach((one: unknown, at) => {
      if (isPlainObject(one)) once('id of an API key', one.id, `[${index}].apiKeys[${at}].id`);
    });
  });
  return faults;
}

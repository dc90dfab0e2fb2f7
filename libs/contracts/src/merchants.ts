import { Currency, CURRENCY_PATTERN, MerchantName, ReturnPageName } from './payment-fields.js';
import { EntriesFileError, openEntriesFile, withSecretsFromFiles, type ReadFile } from './entries-file.js';
import { fault, joinPath, type Fault } from './error-codes.js';
import { MARKETS, type Market } from './methods.js';
import { PublisherKey } from './signatures/command-signature.js';
import { TEXT_SCANS, type TextScan } from './validation/card-data.js';
import { check } from './validation/check.js';
import {
  Int,
  isPlainObject,
  Nested,
  NestedList,
  OneOf,
  Optional,
  REQUIREMENTS,
  Text,
  TextList,
  YesNo,
  type CommandRules,
  type Requirements,
} from './validation/fields.js';

/**
 * Types of the platform's API keys. `Public`: an id that pages send to cseKeys and the tokenizer; it has no secret and never signs.
 * `Private`: signs and must never be in a page. A key without a type may do both, because accounts have keys from before types existed.
 */
const API_KEY_TYPES = ['Public', 'Private'] as const;
type ApiKeyType = (typeof API_KEY_TYPES)[number];
type ApiKey = { id: string; type: 'Public'; key?: undefined } | { id: string; type?: 'Private'; key: string };

const Key = () => Text(1, 1024);
const WebPage = () =>
  Text(1, 2048, {
    pattern: /^https?:\/\/[^\s/?#]\S*$/,
    test: (text) => URL.canParse(text),
    says: 'an http or https URL',
  });

/** Earlier keys that are still accepted for notifications and returns during a key change. */
class PreviousKeys {
  @Optional()
  @Key()
  account?: string;

  @Optional()
  @Key()
  notification?: string;

  @Optional()
  @Key()
  redirect?: string;
}

class ApiKeyRuleEntry {
  @Text(36, 36)
  id!: string;

  @Optional()
  @OneOf(API_KEY_TYPES)
  type?: ApiKeyType;
}

class ApiKeyEntry extends ApiKeyRuleEntry {
  /** Required unless the type is Public, see `faultsOfApiKeys`. */
  @Optional()
  @Key()
  key?: string;
}

class ReturnPageRuleEntry {
  @ReturnPageName()
  name!: string;
}

class ReturnPageEntry extends ReturnPageRuleEntry {
  @WebPage()
  url!: string;
}

abstract class CommandRulesEntry implements CommandRules {
  @MerchantName()
  merchant!: string;

  @Optional()
  @OneOf(MARKETS)
  market?: Market;

  /** ISO 4217. Used for commands without a currency. */
  @Optional()
  @Currency()
  currency?: string;

  /** No other than `currency`, see `faultsOfCurrencies`. */
  @Optional()
  @TextList({ pattern: CURRENCY_PATTERN, says: 'a list of ISO 4217 codes' })
  currencies?: readonly string[];

  @Optional()
  @OneOf(REQUIREMENTS)
  requirements?: Requirements;

  @Optional()
  @OneOf(TEXT_SCANS)
  textScan?: TextScan;

  @Optional()
  @Int(0, 100)
  totalTolerance?: number;
}

/** The fields of an entry that commands are checked by. */
class MerchantRulesEntry extends CommandRulesEntry {
  @Optional()
  @NestedList(() => ApiKeyRuleEntry, 0)
  apiKeys?: readonly ApiKeyRuleEntry[];

  /** Further pages that an authorization may name instead of pageUrl. */
  @Optional()
  @NestedList(() => ReturnPageRuleEntry, 0)
  returnPages?: readonly ReturnPageRuleEntry[];
}

export class MerchantEntry extends CommandRulesEntry {
  /** IDENTIFIER. */
  @Text(1, 32)
  identifier!: string;

  /** The K of HASH, unless a more specific key is set. */
  @Key()
  accountKey!: string;

  @Optional()
  @Key()
  notificationKey?: string;

  @Optional()
  @Key()
  redirectKey?: string;

  @Optional()
  @Nested(() => PreviousKeys)
  previousKeys?: PreviousKeys;

  @Optional()
  @NestedList(() => ApiKeyEntry, 0)
  apiKeys?: readonly ApiKeyEntry[];

  @Optional()
  @WebPage()
  notificationUrl?: string;

  /** REDIRECT_URL: the platform redirects the cardholder to it after the form. */
  @Optional()
  @WebPage()
  returnUrl?: string;

  /** The merchant's page to which returnUrl redirects. */
  @Optional()
  @WebPage()
  pageUrl?: string;

  /** Further pages that an authorization may name instead of pageUrl. */
  @Optional()
  @NestedList(() => ReturnPageEntry, 0)
  returnPages?: readonly ReturnPageEntry[];

  /** Account of the token API. Its access token is sent with the merchant's operations. */
  @Optional()
  @Text(1, 64)
  authAccount?: string;

  /** True if operations in doubt and pending payments may be looked up by ORDERID. */
  @Optional()
  @YesNo()
  lookup?: boolean;

  /** True if an authorization may supersede one in doubt whose form was never shown (docs/decisions/0049). */
  @Optional()
  @YesNo()
  supersedeDoubtfulForms?: boolean;

  /** Hours from an authorization to the event that its capture window closes; not set, 144. The provider's contract may shorten the window. */
  @Optional()
  @Int(1, 167)
  captureReminderHours?: number;

  /** Keys that sign the merchant's commands. If any is set, a command with an invalid signature is refused. */
  @Optional()
  @NestedList(() => PublisherKey, 0)
  publisherKeys?: readonly PublisherKey[];

  /** True if commands without a signature are refused. */
  @Optional()
  @YesNo()
  requireSignatures?: boolean;

  /** Minor units. An operator's resolution of a higher amount needs the approval of a second person; not set, of every amount. */
  @Optional()
  @Int(0)
  approvalAboveMinor?: number;

  /** True if events of notifications contain CLIENTEMAIL, CLIENTIDENT and other data of the buyer. */
  @Optional()
  @YesNo()
  keepsNotifiedClient?: boolean;
}

/** Fields with a default. */
interface Defaults {
  market: Market;
  currency: string;
}

/** The part of a merchant's entry that commands are checked by. It holds no secret. */
export type MerchantRules = Readonly<Omit<MerchantRulesEntry, keyof Defaults> & Defaults>;

/** A merchant's account on the platform. It contains secrets, so it must never be logged as a whole. */
export interface Merchant extends Omit<MerchantEntry, keyof Defaults | 'apiKeys'>, Defaults {
  apiKeys?: readonly ApiKey[];
  lookup: boolean;
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
    const { value, faults: ofFields } = check(
      MerchantEntry,
      withKeysFromFiles(raw, `[${index}]`, readKey, faults),
      'refused',
    );
    faults.push(
      ...within(`[${index}]`, [
        ...ofFields,
        ...(value ? [...faultsOfApiKeys(value), ...faultsOfCurrencies(value)] : []),
      ]),
    );
    if (value) all.push({ ...value, ...defaultsOf(value), lookup: value.lookup ?? false } as Merchant);
  });
  faults.push(...duplicates(list));
  return faults.length > 0 ? { faults } : { merchants: merchantsOf(all) };
}

/**
 * Reads entries of the merchants' file for someone who only checks commands: a shop. Needs no keys, and ignores the fields that only services
 * use.
 * @throws EntriesFileError with all faults
 */
export function readMerchantRules(entries: readonly unknown[]): readonly MerchantRules[] {
  const checked = entries.map((entry) => check(MerchantRulesEntry, entry, 'ignored'));
  const faults = checked.flatMap(({ value, faults: all }, at) =>
    within(`[${at}]`, value ? faultsOfCurrencies(value) : all),
  );
  if (faults.length > 0) throw new EntriesFileError(faults, 'merchants');
  return checked.flatMap(({ value }) => (value === undefined ? [] : [{ ...value, ...defaultsOf(value) }]));
}

const defaultsOf = ({ market = 'FR', currency = 'EUR' }: Partial<Defaults>): Defaults => ({ market, currency });

const within = (path: string, faults: readonly Fault[]) =>
  faults.map((one) => ({ ...one, path: joinPath(path, one.path) }));

/** No request of the interface names a currency: an amount in another one would be executed in that of the account. */
function faultsOfCurrencies(entry: CommandRulesEntry): Fault[] {
  const { currency } = defaultsOf(entry);
  const others = entry.currencies?.filter((one) => one !== currency) ?? [];
  if (others.length === 0) return [];
  const message = `must not name ${others.join(', ')}: an IDENTIFIER has one currency; write a merchant of its own, with its IDENTIFIER, for each`;
  return [fault('currencies', 'format', message)];
}

/** Checks that depend on two fields: a Public key has no secret, any other key must have one. */
function faultsOfApiKeys({ apiKeys = [] }: MerchantEntry): Fault[] {
  return apiKeys.flatMap(({ type, key }, at) => {
    const path = `apiKeys[${at}].key`;
    if (type === 'Public') return key === undefined ? [] : [fault(path, 'unknown_field', 'a Public key has no secret')];
    return key === undefined ? [fault(path, 'required', 'is required')] : [];
  });
}

function merchantsOf(all: readonly Merchant[]): Merchants {
  const names = new Map(all.map((one) => [one.merchant, one]));
  const identifiers = new Map(all.map((one) => [one.identifier, one]));
  return {
    all,
    byName: (name) => names.get(name),
    // Blanks around a value that the platform sent are no part of it.
    byIdentifier: (identifier) => identifiers.get(identifier) ?? identifiers.get(identifier.trim()),
  };
}

function withKeysFromFiles(raw: unknown, path: string, readKey: ReadFile, faults: Fault[]): unknown {
  const read = (one: unknown, names: readonly string[], where: string) =>
    isPlainObject(one) ? withSecretsFromFiles(one, names, where, readKey, faults) : one;
  const entry = read(raw, ['accountKey', 'notificationKey', 'redirectKey'], path);
  if (!isPlainObject(entry)) return entry;
  const { previousKeys, apiKeys } = entry;
  if (previousKeys !== undefined)
    entry.previousKeys = read(previousKeys, ['account', 'notification', 'redirect'], joinPath(path, 'previousKeys'));
  if (Array.isArray(apiKeys))
    entry.apiKeys = apiKeys.map((one: unknown, at) => read(one, ['key'], `${path}.apiKeys[${at}]`));
  return entry;
}

function duplicates(list: readonly unknown[]): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  const once = (kind: string, entry: unknown, field: string, path: string) => {
    const value = isPlainObject(entry) ? entry[field] : undefined;
    if (typeof value !== 'string') return;
    const key = JSON.stringify([kind, value]);
    if (seen.has(key)) faults.push(fault(`${path}.${field}`, 'duplicate', `is the ${kind} of an earlier entry too`));
    seen.add(key);
  };
  list.forEach((entry: unknown, index) => {
    once('merchant', entry, 'merchant', `[${index}]`);
    once('identifier', entry, 'identifier', `[${index}]`);
    const lists = [
      ['returnPages', 'name', `name of a return page of this merchant (${index})`],
      ['publisherKeys', 'kid', `kid of a publisher's key of this merchant (${index})`],
      ['apiKeys', 'id', 'id of an API key'],
    ] as const;
    for (const [name, field, kind] of lists) {
      const items = isPlainObject(entry) ? entry[name] : undefined;
      if (Array.isArray(items)) items.forEach((one, at) => once(kind, one, field, `[${index}].${name}[${at}]`));
    }
  });
  return faults;
}

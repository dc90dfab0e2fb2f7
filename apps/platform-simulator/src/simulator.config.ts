import { EntriesFileError, loadMerchants, type Merchants } from '@tranche/contracts';
import { NOTIFICATION_MODES, type NotificationMode } from './control/faults.js';
import { readAccounts, type Account } from './token-api/accounts.js';

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly logLevel: string;
  readonly merchants: Merchants;
  readonly accounts: readonly Account[];
  readonly latencyMs: readonly [from: number, to: number];
  readonly notificationRetryMs: readonly number[];
  readonly notificationMode: NotificationMode;
  readonly tokenLifetimeSeconds: number;
  readonly codesByAmount: boolean;
  readonly lookupLagMs: number;
  readonly requiresSelectedBrand: boolean;
  readonly takesUnlistedParameters: boolean;
}

export const SETTINGS: readonly { readonly name: string; readonly default?: string; readonly doc: string }[] = [
  { name: 'PORT', default: '4010', doc: 'HTTP port; 0 takes a free one' },
  { name: 'HOST', default: '127.0.0.1', doc: 'address to listen on; 0.0.0.0 in a container' },
  {
    name: 'PUBLIC_URL',
    doc: 'where browsers reach it: the address of the form in REDIRECTHTML; http://127.0.0.1 and its port when not set',
  },
  {
    name: 'MERCHANTS_FILE',
    default: 'config/merchants.demo.json',
    doc: 'JSON list of merchants, the same file that the services read',
  },
  {
    name: 'ACCOUNTS_FILE',
    default: 'config/accounts.demo.json',
    doc: 'accounts that may ask for access tokens, the same file that auth-service reads',
  },
  { name: 'LOG_LEVEL', default: 'info', doc: '`fatal` … `trace`, `silent`' },
  {
    name: 'LATENCY_MS',
    default: '0',
    doc: 'time of every answer, milliseconds: `200` or `100-500`',
  },
  {
    name: 'NOTIFICATION_RETRY_MS',
    default: '500,2000,10000,60000,300000',
    doc: 'delays before the repetitions, milliseconds; as many repetitions as delays',
  },
  { name: 'NOTIFICATION_MODE', default: 'get', doc: '`get`, `post`, `multipart`, `both`' },
  { name: 'TOKEN_LIFETIME_SECONDS', default: '43200', doc: 'lifetime of access tokens, seconds' },
  { name: 'CODES_BY_AMOUNT', default: 'true', doc: '`false`: amounts mean nothing but themselves' },
  {
    name: 'REQUIRE_SELECTED_BRAND',
    default: 'false',
    doc: '`true`: the tokenizer refuses a plaintext without SELECTEDBRAND',
  },
  {
    name: 'UNLISTED_PARAMETERS',
    default: 'false',
    doc: '`true`: takes parameters that the interface does not list, so that any existing client can be pointed here: also card data in place of a token',
  },
  { name: 'LOOKUP_LAG_MS', default: '1000', doc: 'age from which a transaction can be looked up, milliseconds' },
];

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly faults: readonly string[]) {
    super(`platform-simulator cannot start: ${faults.join('; ')}`);
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** @throws SettingsError with all faults. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const faults: string[] = [];
  const value = (name: string) => env[name] || SETTINGS.find((setting) => setting.name === name)?.default;
  const valid = <T>(name: string, expected: string, read: (text: string) => T | undefined): T | undefined => {
    const text = value(name);
    const result = text === undefined ? undefined : read(text.trim());
    if (text !== undefined && result === undefined) faults.push(`${name} must be ${expected}`);
    return result;
  };
  const whole = (name: string, max: number) =>
    valid(name, `a whole number up to ${max}`, (text) => wholeNumber(text, max));

  const settings = {
    host: value('HOST') ?? '',
    port: whole('PORT', 65_535) ?? 0,
    publicUrl: valid('PUBLIC_URL', 'an http or https URL', httpUrl),
    logLevel: valid('LOG_LEVEL', LOG_LEVELS.join(', '), (text) => LOG_LEVELS.find((level) => level === text)) ?? 'info',
    latencyMs: valid('LATENCY_MS', 'milliseconds or a range such as 100-500', range) ?? ([0, 0] as const),
    notificationRetryMs: valid('NOTIFICATION_RETRY_MS', 'milliseconds, separated by commas', wholeNumbers) ?? [],
    notificationMode:
      valid('NOTIFICATION_MODE', NOTIFICATION_MODES.join(', '), (text) =>
        NOTIFICATION_MODES.find((mode) => mode === text),
      ) ?? 'get',
    tokenLifetimeSeconds: whole('TOKEN_LIFETIME_SECONDS', 31_536_000) ?? 0,
    codesByAmount: valid('CODES_BY_AMOUNT', 'true or false', trueOrFalse) ?? true,
    requiresSelectedBrand: valid('REQUIRE_SELECTED_BRAND', 'true or false', trueOrFalse) ?? false,
    takesUnlistedParameters: valid('UNLISTED_PARAMETERS', 'true or false', trueOrFalse) ?? false,
    lookupLagMs: whole('LOOKUP_LAG_MS', MAX_DELAY_MS) ?? 0,
  };
  const merchants = readMerchantsFile(value('MERCHANTS_FILE') ?? '', faults);
  const accounts = readAccountsFile(value('ACCOUNTS_FILE'), faults);
  if (faults.length > 0 || merchants === undefined) throw new SettingsError(faults);
  return { ...settings, merchants, accounts };
}

const trueOrFalse = (text: string): boolean | undefined => ({ true: true, false: false })[text];

/** Maximum delay: one day. For longer times a test moves the clock. */
const MAX_DELAY_MS = 86_400_000;

function readMerchantsFile(file: string, faults: string[]): Merchants | undefined {
  try {
    return loadMerchants(file);
  } catch (cause) {
    if (!(cause instanceof EntriesFileError)) throw cause;
    faults.push(`MERCHANTS_FILE ${cause.message}`);
    return undefined;
  }
}

function readAccountsFile(file: string | undefined, faults: string[]): Account[] {
  if (file === undefined) return [];
  const read = readAccounts(file);
  faults.push(...read.faults.map((fault) => `ACCOUNTS_FILE ${file}: ${fault}`));
  return read.accounts;
}

function wholeNumber(text: string, max: number): number | undefined {
  return /^[0-9]{1,9}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

function wholeNumbers(text: string): number[] | undefined {
  const numbers = text.split(',').map((part) => wholeNumber(part.trim(), MAX_DELAY_MS));
  return numbers.every((number) => number !== undefined) ? numbers : undefined;
}

function range(text: string): readonly [number, number] | undefined {
  const [from, to, ...more] = text.split('-').map((part) => wholeNumber(part, MAX_DELAY_MS));
  if (from === undefined || more.length > 0) return undefined;
  if (!text.includes('-')) return [from, from];
  return to === undefined || to < from ? undefined : [from, to];
}

function httpUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href.replace(/\/$/, '') : undefined;
}

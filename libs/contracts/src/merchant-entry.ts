import { Currency, CURRENCY_PATTERN, ReturnPageName } from './commands/payment-fields.js';
import { fault, type Fault } from './faults.js';
import { MARKETS, type Market } from './methods.js';
import { MERCHANT_PATTERN } from './order-key.js';
import { isEd25519PublicKey } from './signatures/ed25519-key.js';
import { isTimestamp } from './validation/calendar.js';
import { TEXT_SCANS, type TextScan } from './validation/card-data.js';
import {
  Nested,
  NestedList,
  OneOf,
  Optional,
  REQUIREMENTS,
  Text,
  TextList,
  YesNo,
  type Requirements,
  Int,
} from './validation/fields.js';

/**
 * Types of the platform's API keys. `Public`: an id that pages send to cseKeys and the tokenizer; it has no secret and never signs.
 * `Private`: signs and must never be in a page. A key without a type may do both, because accounts have keys from before types existed.
 */
export const API_KEY_TYPES = ['Public', 'Private'] as const;
export type ApiKeyType = (typeof API_KEY_TYPES)[number];
export type ApiKey = { id: string; type: 'Public'; key?: undefined } | { id: string; type?: 'Private'; key: string };

const KEY = { min: 1, max: 1024 };
const HTTP_URL = /^https?:\/\/[^\s/?#]\S*$/;

class PreviousKeys {
  @Optional()
  @Text(KEY.min, KEY.max)
  account?: string;

  @Optional()
  @Text(KEY.min, KEY.max)
  notification?: string;

  @Optional()
  @Text(KEY.min, KEY.max)
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
  @Text(KEY.min, KEY.max)
  key?: string;
}

/** Name of a publisher's key, 1 to 64 characters. */
export const KID_PATTERN = /^[\w.-]*$/;

class PublisherKeyEntry {
  @Text(1, 64, { pattern: KID_PATTERN, says: 'letters, digits, hyphens, dots and underscores' })
  kid!: string;

  @Text(43, 43, {
    test: isEd25519PublicKey,
    says: 'the 32 bytes of an Ed25519 key in base64url, no point of small order',
  })
  publicKey!: string;

  @Optional()
  @Text(1, 64, { test: isTimestamp, says: 'an RFC 3339 time-stamp' })
  notBefore?: string;

  @Optional()
  @Text(1, 64, { test: isTimestamp, says: 'an RFC 3339 time-stamp' })
  notAfter?: string;

  @Optional()
  @Text(1, 64, { test: isTimestamp, says: 'an RFC 3339 time-stamp' })
  revokedAt?: string;
}

class ReturnPageRuleEntry {
  @ReturnPageName()
  name!: string;
}

class ReturnPageEntry extends ReturnPageRuleEntry {
  @Text(1, 2048, { pattern: HTTP_URL, test: (text) => URL.canParse(text), says: 'an http or https URL' })
  url!: string;
}

abstract class CommandRulesEntry {
  @Text(1, 32, { pattern: MERCHANT_PATTERN, says: 'lower-case letters, digits and hyphens' })
  merchant!: string;

  @Optional()
  @OneOf(MARKETS)
  market?: Market;

  @Optional()
  @Currency()
  currency?: string;

  /** Further currencies that a command may name. */
  @Optional()
  @TextList({ pattern: CURRENCY_PATTERN, says: 'a list of ISO 4217 codes' })
  currencies?: string[];

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
export class MerchantRulesEntry extends CommandRulesEntry {
  @Optional()
  @NestedList(() => ApiKeyRuleEntry, 0)
  apiKeys?: ApiKeyRuleEntry[];

  @Optional()
  @NestedList(() => ReturnPageRuleEntry, 0)
  returnPages?: ReturnPageRuleEntry[];
}

export class MerchantEntry extends CommandRulesEntry {
  @Text(1, 32)
  identifier!: string;

  @Text(KEY.min, KEY.max)
  accountKey!: string;

  @Optional()
  @Text(KEY.min, KEY.max)
  notificationKey?: string;

  @Optional()
  @Text(KEY.min, KEY.max)
  redirectKey?: string;

  @Optional()
  @Nested(() => PreviousKeys)
  previousKeys?: PreviousKeys;

  @Optional()
  @NestedList(() => ApiKeyEntry, 0)
  apiKeys?: ApiKeyEntry[];

  @Optional()
  @Text(1, 2048, { pattern: HTTP_URL, test: (text) => URL.canParse(text), says: 'an http or https URL' })
  notificationUrl?: string;

  @Optional()
  @Text(1, 2048, { pattern: HTTP_URL, test: (text) => URL.canParse(text), says: 'an http or https URL' })
  returnUrl?: string;

  @Optional()
  @Text(1, 2048, { pattern: HTTP_URL, test: (text) => URL.canParse(text), says: 'an http or https URL' })
  pageUrl?: string;

  @Optional()
  @NestedList(() => ReturnPageEntry, 0)
  returnPages?: ReturnPageEntry[];

  @Optional()
  @Text(1, 64)
  authAccount?: string;

  @Optional()
  @YesNo()
  lookup?: boolean;

  @Optional()
  @YesNo()
  supersedeDoubtfulForms?: boolean;

  @Optional()
  @NestedList(() => PublisherKeyEntry, 0)
  publisherKeys?: PublisherKeyEntry[];

  @Optional()
  @YesNo()
  requireSignatures?: boolean;

  @Optional()
  @Int(0)
  approvalAboveMinor?: number;

  @Optional()
  @YesNo()
  keepsNotifiedClient?: boolean;
}

/** Checks that depend on two fields: a Public key has no secret, any other key must have one. */
export function faultsOfApiKeys({ apiKeys = [] }: MerchantEntry): Fault[] {
  return apiKeys.flatMap(({ type, key }, at) => {
    const path = `apiKeys[${at}].key`;
    if (type === 'Public') return key === undefined ? [] : [fault(path, 'unknown_field', 'a Public key has no secret')];
    return key === undefined ? [fault(path, 'required', 'is required')] : [];
  });
}

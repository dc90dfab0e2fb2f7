import { MERCHANT_PATTERN, ORDER_ID_PATTERN } from './topics.js';
import { Doc } from './validation/doc.js';
import { all, Optional, Field, Text, type Inspect, type TextOptions } from './validation/fields.js';

/** Field formats of the interface that several messages share. Formats that differ per method are in the message classes. */

export function MerchantName(): PropertyDecorator {
  return Text(1, 32, { pattern: MERCHANT_PATTERN, says: 'lower-case letters, digits and hyphens', as: 'Merchant' });
}

/** ORDERID */
export function OrderId(): PropertyDecorator {
  return Text(1, 40, { pattern: ORDER_ID_PATTERN, says: 'text without control characters', as: 'OrderId' });
}

/** Our limit: the interface has none for carts (docs/decisions/0070). */
export const MAX_CART_ITEMS = 200;

/** TRANSACTIONID */
export function TransactionId(): PropertyDecorator {
  return Text(1, 32);
}

/** EXTRADATA and METADATA: the shop gets them back as it gave them, so they are not composed. */
export function FreeField(): PropertyDecorator {
  return Text(1, 255, { isSearched: true });
}

export function ExtraData(): PropertyDecorator {
  const doc = Doc(
    'EXTRADATA: text of the shop that its events and notifications return unchanged. The gateway appends a tag of its own, for which up to 231 characters leave room.',
    'basket=42',
  );
  return all(doc, Optional(), FreeField());
}

/** Free text about a person (names, addresses, cities). */
export function PersonalText(max: number, options: TextOptions = {}): PropertyDecorator {
  return Text(1, max, { ...options, isSearched: true, isTyped: true });
}

export const CURRENCY_PATTERN = /^[A-Z]{3}$/;

const NO_LINE_BREAK = /^[^\n\v\f\r\u0085\u2028\u2029]*$/;

/** BILLINGADDRESS: the interface forbids line breaks here, but not in SHIPTOADDRESS. */
export function SingleLineAddress(max: number): PropertyDecorator {
  return PersonalText(max, { pattern: NO_LINE_BREAK, says: 'without line breaks' });
}

/** An ISO 3166-1 alpha-2 code by form only: the platform decides which countries a partner serves. */
export function Country(): PropertyDecorator {
  return Text(2, 2, { pattern: /^[A-Z]{2}$/, says: 'an ISO 3166-1 alpha-2 country in capitals' });
}

/** An ISO 4217 code by form only: the merchant's settings decide which currencies it has. */
export function Currency(): PropertyDecorator {
  return Text(3, 3, { pattern: CURRENCY_PATTERN, says: 'an ISO 4217 code', as: 'Currency' });
}

/** Name of one of the merchant's `returnPages`. */
export function ReturnPageName(): PropertyDecorator {
  return Text(1, 32, { pattern: MERCHANT_PATTERN, says: 'lower-case letters, digits and hyphens' });
}

/** E.164: + and up to 15 digits. The interface allows 32 characters, which E.164 never needs. */
export function PhoneE164(): PropertyDecorator {
  return Text(1, 32, { pattern: /^\+[1-9]\d{1,14}$/, says: 'a phone number in E.164 form, such as +33612345678' });
}

/** International format with a leading +, at most 15 characters. */
export function PhoneInternational(): PropertyDecorator {
  return Text(1, 15, {
    pattern: /^\+[1-9]\d{1,13}$/,
    says: 'a phone number in international form, such as +33612345678',
  });
}

/** email(5-255). Accepts any text with one @ and a dot in the domain: we cannot know if an address exists. */
export function Email(): PropertyDecorator {
  return Text(5, 255, { pattern: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/, says: 'an e-mail address' });
}

/** CLIENTREFERRER */
export function Referrer(): PropertyDecorator {
  return Text(1, 2048, { pattern: /^https?:\/\/[^\s/?#]\S*$/, says: 'an http or https URL' });
}

/** For method B the interface demands only a string(1-100) without +. */
export function EmailWithoutPlus(): PropertyDecorator {
  return Text(1, 100, { pattern: /^[^+]*$/, says: 'without +' });
}

const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** Loopback, private, link-local, shared, benchmarking, protocol assignments, multicast and reserved ranges. */
const NOT_PUBLIC =
  '0\\.|10\\.|127\\.|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\.|169\\.254\\.|172\\.(?:1[6-9]|2\\d|3[01])\\.|192\\.168\\.|192\\.0\\.0\\.|198\\.1[89]\\.|2(?:2[4-9]|[345]\\d)\\.';
const PUBLIC_IPV4 = new RegExp(`^(?:::[fF]{4}:)?(?!${NOT_PUBLIC})(?:${BYTE}\\.){3}${BYTE}$`);

/**
 * CLIENTIP, a public IPv4 address. The documentation ranges of RFC 5737 are accepted, because examples and tests use them. Servers that listen on IPv6
 * put `::ffff:` before it, which is not sent.
 */
export function PublicIpv4(): PropertyDecorator {
  const normalize = (text: string) => text.slice(text.lastIndexOf(':') + 1);
  return Text(7, 22, { pattern: PUBLIC_IPV4, says: 'a public IPv4 address', normalize });
}

const PERCENTAGE = /^\d{1,3}(?:\.\d{1,20})?$/;
const HIGHEST_PERCENTAGE = 999.999999;

/** DISCOUNT and TAX: a percentage as number, or as text with a dot as decimal separator. Sent as text with up to 6 decimals. */
export function Percentage(): PropertyDecorator {
  const inspect: Inspect = (value) => {
    if (typeof value === 'number')
      return value >= 0 && value <= HIGHEST_PERCENTAGE
        ? undefined
        : { code: 'range', message: `must be a number from 0 to ${HIGHEST_PERCENTAGE}` };
    if (typeof value !== 'string') return { code: 'type', message: 'must be a number or a text' };
    if (value.length < 1 || value.length > 24) return { code: 'length', message: 'must have 1 to 24 characters' };
    return PERCENTAGE.test(value)
      ? undefined
      : { code: 'format', message: 'must be a percentage with a dot as decimal separator' };
  };
  const schema = {
    type: ['string', 'number'],
    minLength: 1,
    maxLength: 24,
    pattern: PERCENTAGE.source,
    minimum: 0,
    maximum: HIGHEST_PERCENTAGE,
  };
  const isSent = (value: unknown) => typeof value === 'string' && /^\d+(?:\.\d{1,6})?$/.test(value);
  const rounded = (value: unknown) => String(Number(Math.min(Number(value), HIGHEST_PERCENTAGE).toFixed(6)));
  return Field(inspect, schema, (value) => (isSent(value) ? value : rounded(value)));
}

/**
 * TOTALAMOUNT must be price × quantity, or differ by the merchant's `totalTolerance` at most. Reports nothing if one of the three is invalid,
 * because that is a fault of its own.
 */
export const isPriceTimesQuantity: Inspect = (total, owner, { totalTolerance = 0 }) => {
  const { price, quantity } = owner as { price?: unknown; quantity?: unknown };
  if (!isCount(total) || !isCount(price) || !isCount(quantity)) return undefined;
  const difference = BigInt(price) * BigInt(quantity) - BigInt(total);
  if (difference <= totalTolerance && -difference <= totalTolerance) return undefined;
  const within = totalTolerance === 0 ? '' : `, or differ by ${totalTolerance} at most`;
  return { code: 'total_mismatch', message: `must be price × quantity${within}` };
};

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

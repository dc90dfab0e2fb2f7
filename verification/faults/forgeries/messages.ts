import { PROTOCOL_VERSION } from '@tranche/contracts';
import { platformHash } from '@tranche/platform';

export type Pairs = readonly (readonly [name: string, value: string])[];

export const KEYS = {
  notification: 'key-of-notifications-7f3a',
  previous: 'key-of-notifications-before-91c2',
  redirect: 'key-of-redirects-c2d4',
  account: 'key-of-the-account-55e0',
  other: 'key-of-another-shop-1b77',
} as const;

export const MERCHANTS = [
  {
    merchant: 'shop-fr',
    identifier: 'Shop FR',
    accountKey: KEYS.account,
    notificationKey: KEYS.notification,
    redirectKey: KEYS.redirect,
    keepsNotifiedClient: true,
    previousKeys: { notification: KEYS.previous },
  },
  { merchant: 'shop-es', identifier: 'Shop ES', accountKey: KEYS.other },
];

/** Every forgery names this order, so no event may ever have it. */
export const TARGET = 'target';

/** The values contain what encodings get wrong: escapes, spaces, `=`, a replacement character, brackets, an empty value. */
export function notification(orderId: string): Pairs {
  return [
    ['OPERATIONTYPE', 'capture'],
    ['IDENTIFIER', 'Shop FR'],
    ['ORDERID', orderId],
    ['TRANSACTIONID', 'T1'],
    ['AMOUNT', '30000'],
    ['CURRENCY', 'EUR'],
    ['EXECCODE', '0000'],
    ['MESSAGE', 'Opération réussie, 100 % & plus \ufffd'],
    ['LANGUAGE', 'fr'],
    ['CLIENTIDENT', 'customer-1'],
    ['CLIENTEMAIL', 'jeanne+shop@example.com'],
    ['DESCRIPTOR', 'SHOP'],
    ['EXTRADATA', 'basket=42;lang=fr'],
    ['METADATA', ''],
    ['CART[0][NAME]', 'chair "one" \\ 2'],
    ['VERSION', PROTOCOL_VERSION],
  ];
}

export function signed(pairs: Pairs, key: string = KEYS.notification): Pairs {
  return [...pairs, ['HASH', platformHash(key, pairs)]];
}

/** True if both have the same parameters in any order. HASH does not cover itself: capitals and spaces around it say nothing. */
export function areSame(left: Pairs, right: Pairs): boolean {
  return canonical(left) === canonical(right);
}

function canonical(pairs: Pairs): string {
  const written = (name: string, value: string) => (name === 'HASH' ? value.trim().toLowerCase() : value);
  return JSON.stringify(pairs.map(([name, value]) => JSON.stringify([name, written(name, value)])).sort());
}

export const ENCODINGS = ['query', 'urlencoded', 'multipart', 'json'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const BOUNDARY = 'tranche-forgeries';
const CONTENT_TYPES: Readonly<Record<Exclude<Encoding, 'query'>, string>> = {
  urlencoded: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${BOUNDARY}`,
  json: 'application/json',
};

/** Returns the parameters as bytes: the query of a GET without `?`, or a body. */
export function encoded(encoding: Encoding, pairs: Pairs): Buffer {
  if (encoding === 'json') {
    const members = pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return Buffer.from(`{${members.join(',')}}`);
  }
  if (encoding !== 'multipart')
    return Buffer.from(new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString());
  const part = ([name, value]: Pairs[number]) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  return Buffer.from(`${pairs.map(part).join('')}--${BOUNDARY}--\r\n`);
}

/** Decodes bytes as a lenient reader would, independently of the service's own code; undefined if that fails. */
export function decoded(encoding: Encoding, bytes: Buffer): Pairs | undefined {
  const text = bytes.toString('utf8');
  if (encoding === 'query' || encoding === 'urlencoded') return [...new URLSearchParams(text)];
  if (encoding === 'multipart')
    return text.split(`--${BOUNDARY}`).flatMap((part) => {
      const [, name, value] = /name="([^"]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^]*)\r\n$/i.exec(part) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    });
  try {
    return Object.entries(JSON.parse(text) as Record<string, string>);
  } catch {
    return undefined;
  }
}

/** Returns the bytes of a whole HTTP/1.1 request. */
export function requestOf(encoding: Encoding, bytes: Buffer, { query = '', headers = '' } = {}): Buffer {
  if (encoding === 'query') {
    const behind = Buffer.from(` HTTP/1.1\r\nhost: ingest\r\n${headers}\r\n`);
    return Buffer.concat([Buffer.from('GET /notifications?'), bytes, behind]);
  }
  const head = `POST /notifications${query} HTTP/1.1\r\nhost: ingest\r\ncontent-type: ${CONTENT_TYPES[encoding]}\r\n${headers}content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

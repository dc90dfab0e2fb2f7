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

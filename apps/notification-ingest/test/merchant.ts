import type { Merchant } from '@tranche/contracts';

/** A merchant for specs that check signatures: its notifications are signed with `the-key`. */
export const merchant: Merchant = {
  merchant: 'shop',
  identifier: 'Shop',
  accountKey: 'the-key',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
};

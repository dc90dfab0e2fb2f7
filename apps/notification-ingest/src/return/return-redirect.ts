import { execCodeClass, type Merchant } from '@tranche/contracts';
import { isRedirectSignedBy, returnPageIn, valueOf } from '@tranche/platform';
import type { Parameters, Unreadable } from '../received-parameters.js';

/** What the merchant's page may show meanwhile. The order's state comes from its events, never from here. */
export type Hint = 'success' | 'pending' | 'refused' | 'unknown';

export interface Return {
  hint: Hint;
  /** The merchant's page with order and hint; undefined where none is configured. */
  location?: string;
}

/** Where the cardholder goes on to; undefined where this was not signed for this merchant. */
export function returnOf(merchant: Merchant, received: Parameters | Unreadable): Return | undefined {
  if ('unreadable' in received || valueOf(received, 'IDENTIFIER') !== merchant.identifier) return undefined;
  if (!isRedirectSignedBy(merchant, received)) return undefined;
  const hint = hintOf(valueOf(received, 'EXECCODE') ?? '');
  const page = pageOfOrder(merchant, valueOf(received, 'EXTRADATA'));
  if (page === undefined) return { hint };
  const location = new URL(page);
  location.searchParams.delete('orderId');
  const orderId = valueOf(received, 'ORDERID');
  if (orderId) location.searchParams.set('orderId', orderId);
  location.searchParams.set('hint', hint);
  return { hint, location: location.href };
}

/** The page that the authorization named, while the merchant allows it; else the merchant's own. */
function pageOfOrder({ pageUrl, returnPages = [] }: Merchant, extraData: string | undefined): string | undefined {
  const named = returnPageIn(extraData);
  return returnPages.find(({ name }) => name === named)?.url ?? pageUrl;
}

function hintOf(execCode: string): Hint {
  switch (execCodeClass(execCode)) {
    case 'succeeded':
    case 'succeeded_partly':
      return 'success';
    case 'redirect_required':
    case 'pending':
      return 'pending';
    case 'refused':
      return 'refused';
    case 'not_executed':
    case 'in_doubt':
      return 'unknown';
  }
}

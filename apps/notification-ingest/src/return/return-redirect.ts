import { execCodeClass, returnPageIn, type Merchant } from '@tranche/contracts';
import { isRedirectSignedBy, valueOf } from '@tranche/platform';
import type { Parameters, Unreadable } from '../received-parameters.js';

/** Hint for the merchant's page until the order's events arrive. It does not change the order's state. */
type Hint = 'success' | 'pending' | 'refused' | 'unknown';

interface Return {
  hint: Hint;
  /** URL of the merchant's page with `orderId` and `hint`; undefined if the merchant configured none. */
  location?: string | undefined;
}

/** Returns undefined if no key of this merchant signed the parameters. */
export function returnOf(merchant: Merchant, received: Parameters | Unreadable): Return | undefined {
  if ('unreadable' in received || valueOf(received, 'IDENTIFIER') !== merchant.identifier) return undefined;
  if (!isRedirectSignedBy(merchant, received)) return undefined;
  const hint = hintOf(valueOf(received, 'EXECCODE') ?? '');
  const page = pageOfOrder(merchant, valueOf(received, 'EXTRADATA'));
  return { hint, location: page && locationOf(page, hint, valueOf(received, 'ORDERID')) };
}

/** The merchant's own page, whatever came: no page, order or result is taken from a request that is not signed. */
export function unverifiedReturn({ pageUrl }: Merchant): Return {
  return { hint: 'unknown', location: pageUrl && locationOf(pageUrl, 'unknown') };
}

function locationOf(page: string, hint: Hint, orderId = ''): string {
  const location = new URL(page);
  location.searchParams.delete('orderId');
  if (orderId !== '') location.searchParams.set('orderId', orderId);
  location.searchParams.set('hint', hint);
  return location.href;
}

/** The return page that the authorization named, if the merchant still allows it; else `pageUrl`. */
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

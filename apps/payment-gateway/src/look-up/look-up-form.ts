import { platformHash, type Merchant } from '@tranche/contracts';
import { encodeForm, VERSION } from '../platform/operation-form.js';

/** Not in the interface document; see docs/decisions/0021. */
const METHOD = 'getTransactions';

/** Of merchants that allow it. ORDERIDs are joined by `;`: one that holds it would ask about other orders. */
export const mayBeLookedUp = (orderId: string, merchant: Merchant | undefined): boolean =>
  merchant?.lookup === true && !orderId.includes(';');

/** `method=getTransactions&params[…]=…`: the transactions of one order, signed with the account's key like any operation. */
export function lookUpForm({ identifier, accountKey }: Merchant, orderId: string): string {
  const parameters: [string, string][] = [
    ['IDENTIFIER', identifier],
    ['OPERATIONTYPE', METHOD],
    ['VERSION', VERSION],
    ['ORDERID', orderId],
  ];
  return encodeForm(METHOD, [...parameters, ['HASH', platformHash(accountKey, parameters)]]);
}

import { platformHash } from '@tranche/contracts';
import { MERCHANT } from '../commands.js';

/** The n-th notification: a capture of method A with every parameter that the interface names, signed. */
export function notification(n: number): [name: string, value: string][] {
  const amount = String(10_000 + (n % 50_000));
  const parameters: [string, string][] = [
    ['IDENTIFIER', MERCHANT.identifier],
    ['OPERATIONTYPE', 'capture'],
    ['TRANSACTIONID', `T${String(n).padStart(10, '0')}`],
    ['CLIENTIDENT', `customer-${n}`],
    ['CLIENTEMAIL', 'jeanne@example.com'],
    ['ORDERID', `order-${n}`],
    ['AMOUNT', amount],
    ['VERSION', '3.0'],
    ['LANGUAGE', 'fr'],
    ['CURRENCY', MERCHANT.currency],
    ['EXECCODE', '0000'],
    ['MESSAGE', 'The transaction has been accepted.'],
    ['DESCRIPTOR', 'BENCH SHOP'],
    ['EXTRADATA', `basket=${n}`],
  ];
  return [...parameters, ['HASH', platformHash(MERCHANT.accountKey, parameters)]];
}

import { PROTOCOL_VERSION } from '@tranche/contracts';
import { signed, type Parameters } from '@tranche/platform';
import { MERCHANT } from '../commands.js';

export function notification(n: number): Parameters {
  const amount = String(10_000 + (n % 50_000));
  const parameters: Parameters = [
    ['IDENTIFIER', MERCHANT.identifier],
    ['OPERATIONTYPE', 'capture'],
    ['TRANSACTIONID', `T${String(n).padStart(10, '0')}`],
    ['CLIENTIDENT', `customer-${n}`],
    ['CLIENTEMAIL', 'jeanne@example.com'],
    ['ORDERID', `order-${n}`],
    ['AMOUNT', amount],
    ['VERSION', PROTOCOL_VERSION],
    ['LANGUAGE', 'fr'],
    ['CURRENCY', MERCHANT.currency],
    ['EXECCODE', '0000'],
    ['MESSAGE', 'The transaction has been accepted.'],
    ['DESCRIPTOR', 'BENCH SHOP'],
    ['EXTRADATA', `basket=${n}`],
  ];
  return signed(parameters, MERCHANT.accountKey);
}

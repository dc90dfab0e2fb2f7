import { fault, type Fault } from '@tranche/contracts';
import { Problem } from '@tranche/service-kit';
import { REFUND_REASONS, type Possible, type Returned } from '../../page/views.js';
import type { FollowUp, Order } from '../order/order.js';
import { itemsLeft } from './desk-view.js';

type Asked = Pick<FollowUp, 'operation' | 'amount' | 'reason' | 'items'>;

/** Reads what the desk asks for of a possible operation. @throws Problem that names every fault */
export function readOperation(body: unknown, order: Order, { operation, most }: Possible): Asked {
  const { amount, reason: given, items } = (body ?? {}) as Record<string, unknown>;
  const faults: Fault[] = [];
  const isAmount = Number.isSafeInteger(amount) && (amount as number) > 0 && (amount as number) <= most;
  if (!isAmount) faults.push(fault('amount', 'range', `must be an integer from 1 to ${most}`));
  if (operation !== 'refund') return asked({ operation, amount: amount as number }, faults);
  const reason = REFUND_REASONS.find((one) => one === given);
  if (reason === undefined) faults.push(fault('reason', 'enum', `must be one of ${REFUND_REASONS.join(', ')}`));
  if (items === undefined) return asked({ operation, amount: amount as number, reason }, faults);
  const { returned, worth } = readReturned(items, order, faults);
  if (isAmount && faults.length === 0 && worth !== amount)
    faults.push(fault('amount', 'range', `must be the price of the articles, ${worth}`));
  return asked({ operation, amount: amount as number, reason, items: returned }, faults);
}

/** A refund takes of each article at most the pieces that no other names, at the price that was paid. */
function readReturned(items: unknown, order: Order, faults: Fault[]): { returned: Returned[]; worth: number } {
  const returned: Returned[] = [];
  let worth = 0;
  if (!Array.isArray(items) || items.length === 0 || items.length > order.items.length)
    faults.push(fault('items', 'type', 'must be a list of articles of the order'));
  else
    items.forEach((one: unknown, index) => {
      const { sku, quantity } = (one ?? {}) as { sku?: unknown; quantity?: unknown };
      const item = itemsLeft(order).find((of) => of.sku === sku && !returned.some((other) => other.sku === sku));
      const isQuantity = Number.isSafeInteger(quantity) && (quantity as number) > 0;
      if (item === undefined)
        faults.push(fault(`items[${index}].sku`, 'enum', 'must be an article of the order, once'));
      else if (!isQuantity || (quantity as number) > item.left)
        faults.push(fault(`items[${index}].quantity`, 'range', `must be an integer from 1 to ${item.left}`));
      else {
        returned.push({ sku: item.sku, quantity: quantity as number });
        worth += item.price * (quantity as number);
      }
    });
  return { returned, worth };
}

function asked(operation: Asked, faults: Fault[]): Asked {
  if (faults.length === 0) return operation;
  const detail = 'The operation is not as it must be, see faults. Nothing was asked for.';
  throw new Problem({ status: 400, code: 'invalid_request', detail, faults });
}

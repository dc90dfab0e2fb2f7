import type { OperationState, OrderState } from '@tranche/order-journal';
import { aDoubtfulOrder } from '../../test/journal.js';
import { attentionOf } from './attention.js';
import { foldBatch } from './journal-fold.js';

/** An order whose payment of 250.00 EUR succeeded, with what reports say otherwise. */
function succeeded(more: Partial<OperationState>): OrderState {
  const orders = new Map<string, OrderState>();
  foldBatch(aDoubtfulOrder('shop-fr', 'order-1'), orders, (entry) => entry);
  const order = orders.get('shop-fr/order-1')!;
  const [payment] = order.operations;
  return { ...order, operations: [{ ...payment!, phase: 'ended', result: 'succeeded', ...more } as OperationState] };
}

it('a conflict about amounts has each of them, in its currency', () => {
  const [conflict] = attentionOf(succeeded({ otherAmounts: [20_000, 25_000] }));
  expect(conflict).toMatchObject({
    ...{ kind: 'conflict', amount: 25_000, currency: 'EUR' },
    body: { reasons: ['other_amount'], amounts: [25_000, 20_000] },
  });
});

it('a conflict about anything else has one amount', () => {
  const [conflict] = attentionOf(succeeded({ otherCurrencies: ['CHF'] }));
  expect(conflict).toMatchObject({ kind: 'conflict', amount: 25_000, body: { reasons: ['other_currency'] } });
  expect(conflict!.body).not.toHaveProperty('amounts');
});

import { emptyOrder, fold, type JournalRecord, type OrderState } from '@tranche/order-journal';
import { orderView } from './order-view.js';
import { faultsOfSellerTotals, sellerTotalsOf } from './seller-totals.js';

const inOrder = { rulesVersion: 1, merchant: 'market', orderId: 'order-1', at: '2026-03-01T10:00:00.000Z' };
const ofAttempt = (commandId: string) => ({ ...inOrder, commandId, attempt: 1, token: commandId });
const asked = (commandId: string, operation: 'authorize' | 'capture' | 'refund', more: object = {}): JournalRecord => ({
  record: 'INTENT',
  ...ofAttempt(commandId),
  operation,
  method: 'A',
  currency: 'EUR',
  contentHash: 'h',
  ...more,
});
const answered = (commandId: string, result = 'succeeded', answer: object = {}): JournalRecord =>
  ({
    ...{ record: 'OUTCOME', ...ofAttempt(commandId), result },
    answer: { transactionId: `T-${commandId}`, execCode: '0000', ...answer },
  }) as JournalRecord;

const sold = [
  asked('a', 'authorize', { amount: 15_000, sellers: { anna: 10_000, ben: 5_000 } }),
  answered('a'),
  asked('c', 'capture', { transactionId: 'T-a' }),
  answered('c'),
];
const refund = (id: string, seller: string | undefined, amount: number) =>
  asked(id, 'refund', { transactionId: 'T-c', amount, ...(seller && { sellers: { [seller]: amount } }) });
const orderOf = (...records: JournalRecord[]): OrderState =>
  [...sold, ...records].reduce(
    (order, record, at) => fold(order, record, BigInt(at)).order,
    emptyOrder('market', 'order-1'),
  );
const annas = (...records: JournalRecord[]) => sellerTotalsOf(orderOf(...records))?.anna;

it.each<[string, JournalRecord[], number]>([
  ['nothing', [], 10_000],
  ['a refund that succeeded', [refund('r', 'anna', 4_000), answered('r')], 6_000],
  ['two', [refund('r', 'anna', 4_000), answered('r'), refund('s', 'anna', 1_000), answered('s')], 5_000],
  ['a refund that was refused', [refund('r', 'anna', 4_000), answered('r', 'refused')], 10_000],
  ['a refund under way', [refund('r', 'anna', 4_000)], 6_000],
  [
    'a refund of which the platform made less',
    [refund('r', 'anna', 4_000), { ...answered('r', 'succeeded', { amount: 3_000 }), partial: true } as JournalRecord],
    7_000,
  ],
  ['a refund of another seller', [refund('r', 'ben', 4_000), answered('r')], 10_000],
  ['a refund that names nobody', [refund('r', undefined, 4_000), answered('r')], 10_000],
])('what remains of a seller after %s', (_what, records, remaining) => {
  expect(annas(...records)).toEqual({ sold: 10_000, refunded: 10_000 - remaining, remaining });
});

it('the view of an order has the totals of its sellers', () => {
  expect(orderView(orderOf(refund('r', 'ben', 5_000), answered('r'))).sellers).toEqual({
    anna: { sold: 10_000, refunded: 0, remaining: 10_000 },
    ben: { sold: 5_000, refunded: 5_000, remaining: 0 },
  });
  expect(orderView(emptyOrder('market', 'order-1'))).not.toHaveProperty('sellers');
});

it.each<[string, object, string[]]>([
  ['the whole rest', { amount: 6_000, subMerchantExternalId: 'anna' }, []],
  ['a cent more', { amount: 6_001, subMerchantExternalId: 'anna' }, ['amount refund_exceeds_seller_total']],
  ['a seller who sold nothing', { amount: 1, subMerchantExternalId: 'carl' }, ['subMerchantExternalId seller_unknown']],
  [
    'a name of a prototype',
    { amount: 1, subMerchantExternalId: 'constructor' },
    ['subMerchantExternalId seller_unknown'],
  ],
  ['no seller', { amount: 1 }, ['subMerchantExternalId required']],
])('a refund of %s', (_what, data, faults) => {
  const order = orderOf(refund('r', 'anna', 4_000), answered('r'));
  expect(faultsOfSellerTotals({ operation: 'refund', data }, order).map(({ path, code }) => `${path} ${code}`)).toEqual(
    faults,
  );
  expect(faultsOfSellerTotals({ operation: 'capture', data }, order)).toEqual([]);
  expect(faultsOfSellerTotals({ operation: 'refund', data }, emptyOrder('market', 'order-1'))).toEqual([]);
});

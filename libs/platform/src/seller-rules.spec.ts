import type { Merchant } from '@tranche/contracts';
import { aPartnerAAuthorization, aPartnerBAuthorization, aRefund } from '@tranche/testing';
import { faultsOfSellers, sellersOf } from './seller-rules.js';

const merchant = { merchant: 'market', checkSellerTotals: true } as Merchant;
const plain = { merchant: 'market' } as Merchant;
const item = (totalAmount: number | undefined, subMerchantExternalId?: string) => ({
  totalAmount,
  subMerchantExternalId,
});

describe('the sellers that a command names', () => {
  it.each([
    ['none', [item(100), item(200)], undefined],
    ['one', [item(100, 'anna')], { anna: 100 }],
    ['one with two articles', [item(100, 'anna'), item(50, 'anna')], { anna: 150 }],
    ['two', [item(100, 'anna'), item(50, 'ben')], { anna: 100, ben: 50 }],
    [
      'one, and articles of the marketplace itself',
      [item(100, 'anna'), item(50), item(7, 'OPERATOR')],
      { anna: 100, OPERATOR: 57 },
    ],
  ])('of a cart: %s', (_what, cart, sellers) => {
    const data = aPartnerAAuthorization({ cart: cart });
    expect(sellersOf(data, merchant)).toEqual(sellers);
    expect(sellersOf(data, plain)).toBeUndefined();
  });

  it('of a refund: its own, with its amount', () => {
    expect(sellersOf(aRefund({ amount: 70, subMerchantExternalId: 'anna' }), merchant)).toEqual({ anna: 70 });
    expect(sellersOf(aRefund({ amount: 70 }), merchant)).toBeUndefined();
  });
});

describe('a marketplace that keeps totals of sellers refuses', () => {
  const faults = (data: object, of = merchant) =>
    faultsOfSellers('cart' in data ? 'payment.authorize' : 'payment.refund', data, of).map(
      ({ path, code }) => `${path} ${code}`,
    );
  const cartOf = (cart: object[]) => aPartnerBAuthorization({ cart: cart });

  it.each([
    [
      'an article without its total',
      cartOf([item(100, 'anna'), item(undefined, 'ben')]),
      ['cart[1].totalAmount required'],
    ],
    ['more than 50 sellers', cartOf(Array.from({ length: 51 }, (_, at) => item(1, `s${at}`))), ['cart length']],
    ['a refund of a seller without an amount', aRefund({ subMerchantExternalId: 'anna' }), ['amount required']],
  ])('%s', (_what, data, expected) => {
    expect(faults(data)).toEqual(expected);
    expect(faults(data, plain)).toEqual([]);
  });

  it.each([
    ['50 sellers', cartOf(Array.from({ length: 50 }, (_, at) => item(1, `s${at}`)))],
    ['a cart without sellers and totals', cartOf([item(undefined)])],
    ['a refund with seller and amount', aRefund({ amount: 1, subMerchantExternalId: 'anna' })],
  ])('not %s', (_what, data) => expect(faults(data)).toEqual([]));
});

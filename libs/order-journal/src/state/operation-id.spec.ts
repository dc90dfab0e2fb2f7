import { operationIdOf, parseOperationId } from './order-summary.js';

describe('operation id', () => {
  it.each([
    { merchant: 'shop-fr', orderId: 'order-1', commandId: '7b0c' },
    { merchant: 'shop-fr', orderId: 'order/1/a', commandId: 'b/"c"' },
    { merchant: 'shop-fr', orderId: 'commande n°1 é', commandId: '💶' },
  ])('names $merchant, $orderId, $commandId in one part of an address', (name) => {
    expect(operationIdOf(name)).toMatch(/^[\w-]+$/);
    expect(parseOperationId(operationIdOf(name))).toEqual(name);
  });

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    ['nothing', ''],
    ['no base64url', '%%%'],
    ['no JSON', Buffer.from('shop/1/a').toString('base64url')],
    ['no list', encoded({ merchant: 'shop' })],
    ['too few parts', encoded(['shop', '1'])],
    ['a part that is no text', encoded(['shop', '1', 7])],
    ['a merchant that is none', encoded(['Shop', '1', 'a'])],
    ['a merchant with a slash', encoded(['shop/1', '1', 'a'])],
    ['a first part that is no text', encoded([7, '1', 'a'])],
    ['too many parts', encoded(['shop', '1', 'a', 'b'])],
    ['null', encoded(null)],
    ['no command', encoded(['shop', '1', ''])],
    ['another spelling of the same', `${encoded(['shop', '1', 'a'])}=`],
  ])('takes %s for no id', (_, id) => {
    expect(parseOperationId(id)).toBeUndefined();
  });
});

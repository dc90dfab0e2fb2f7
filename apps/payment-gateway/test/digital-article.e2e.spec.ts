import { aPartnerBAuthorization } from '@tranche/testing';
import { authorizedOrder } from './captured-order.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

/** Far in the future, because delivery on a near date counts as express. */
const deliveryExpectedDate = '2099-12-31';

it('a digital article without a brand, delivered on a date, is sold with method B, from the command to succeeded', async () => {
  const orderId = 'evening-course';
  const { shipping: _nothingIsShipped, ...order } = aPartnerBAuthorization({ orderId });
  await authorizedOrder(stack, orderId, {
    ...order,
    cart: [
      {
        merchantItemId: 'course-3',
        name: 'Evening course',
        price: order.amount,
        quantity: 1,
        category: 'servicesforindividuals',
        deliverySpeed: 'standard',
        deliveryType: 'edelivery',
        deliveryExpectedDate,
        totalAmount: order.amount,
      },
    ],
  });

  const { calls, operations } = await stack.ledgerOf(orderId);
  expect(operations).toMatchObject([{ operationType: 'authorization', amount: order.amount }]);
  expect(calls).toHaveLength(1);
  const sent = calls[0]?.parameters;
  expect(sent).toEqual(expect.arrayContaining(['CART[0][DELIVERYTYPE]', 'CART[0][DELIVERYEXPECTEDDATE]']));
  expect(sent?.filter((name) => /BRAND|DELIVERYEXPECTEDDELAY|^SHIPTO/.test(name))).toEqual([]);
}, 120_000);

import { silentLog } from '@tranche/runtime';
import { OrderService } from './order.service.js';
import type { Order } from './order.js';

const CUSTOMER = {
  ...{ firstName: 'Jeanne', lastName: 'Martin', email: 'jeanne@example.com', mobilePhone: '+33 6 12 34 56 78' },
  ...{ address: '12 rue des Lilas', postalCode: '75011', city: 'Paris', country: 'FR' },
};
const REFUSED: Order = {
  ...{ orderId: 'o', amount: 18_900, placedAt: '2028-01-31T10:00:00Z' },
  items: [{ sku: 'lamp-hazel', quantity: 1, price: 18_900 }],
  attempts: [{ id: 'o.1', method: 'card', phase: 'refused', startedAt: '2028-01-31T10:00:00Z' }],
};

it('an event that changes the order while the next attempt is stored does not make that attempt impossible', async () => {
  let stored = { order: REFUSED, version: 1 };
  const store = {
    find: () => Promise.resolve(stored),
    save: (order: Order, version: number) => {
      const isSaved = version === stored.version && version > 1;
      // The event of the notification comes between the two.
      stored = isSaved ? { order, version: version + 1 } : { ...stored, version: 2 };
      return Promise.resolve(isSaved);
    },
    unpublished: () => Promise.resolve(undefined),
  };
  const config = { merchant: 'shop-fr', market: 'FR', origin: 'https://shop.example' };
  const of = [store, {}, config, silentLog] as unknown as ConstructorParameters<typeof OrderService>;
  const body = { attempt: 2, method: 'a3', customer: CUSTOMER };
  const { order } = await new OrderService(...of).tryAgain('o', body, { ip: '203.0.113.10', userAgent: 'Mozilla/5.0' });
  expect(order.attempts.map(({ id, method }) => [id, method])).toEqual([
    ['o.1', 'card'],
    ['o.2', 'a3'],
  ]);
});

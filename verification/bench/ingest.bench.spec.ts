import { readNotification } from '@tranche/contracts';
import { platformHash } from '@tranche/platform';
import { MERCHANT } from './commands.js';
import { notification } from './ingest.bench.js';

it('is signed, and as ordinary as can be: nothing of it is flagged', () => {
  const parameters = notification(7);
  const hash = parameters.find(([name]) => name === 'HASH')?.[1];
  expect(hash).toBe(platformHash(MERCHANT.accountKey, parameters));
  expect(readNotification(MERCHANT.merchant, parameters, '2028-01-31T10:00:00Z')).toMatchObject({
    orderId: 'order-7',
    flags: [],
  });
});

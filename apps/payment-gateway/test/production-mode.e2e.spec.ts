import { startApp } from '@tranche/testing';

it('refuses in production what only a demo may do, everything at once, and exits 78', async () => {
  const env = {
    TOPICS: 'check',
    // The demo's: keys that everybody knows, no publisher who signs.
    MERCHANTS_FILE: 'config/merchants.demo.json',
    OPERATORS_FILE: 'config/operators.demo.json',
    AUTH_SERVICE_KEY: 'demo-payment-gateway-key-not-a-real-one',
    PAYMENT_URL: 'http://platform.example',
    KAFKA_BROKERS: 'kafka.example:9092',
    REDIS_URL: 'rediss://redis.example:6379',
  };
  const app = await startApp('payment-gateway', env, { readyPath: undefined });
  expect(await app.exited).toBe(78);
  const said = app.logs.join('\n');
  expect(said).toContain('settings are wrong:');
  for (const fault of [
    'MERCHANTS_FILE: accountKey, notificationKey, redirectKey, previousKeys.notification, apiKeys[0] of shop-fr belongs to the demo',
    'MERCHANTS_FILE: publisherKeys of shop-fr must name who signs',
    'OPERATORS_FILE: key of demo is one of the demo',
    'AUTH_SERVICE_KEY: is one of the demo',
    'PAYMENT_URL: must start with https://',
    'KAFKA_SSL: must be true',
    'REDIS_URL: has no password',
  ])
    expect(said).toContain(fault);
  expect(said).not.toContain('demo-');
}, 30_000);

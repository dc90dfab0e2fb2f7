import { environments, redisDatabase, SERVICES, troubleIn } from './services.mjs';

it.each([
  ['redis://127.0.0.1:6379', 0, 'redis://127.0.0.1:6379/0'],
  ['redis://127.0.0.1:6379', 1, 'redis://127.0.0.1:6379/1'],
  ['rediss://user:secret@redis.example:6380/4', 1, 'rediss://user:secret@redis.example:6380/5'],
])('%s, database + %i', (url, offset, expected) => {
  expect(redisDatabase(url, offset)).toBe(expected);
});

it.each([
  ['{"level":"info","msg":"ready"}', undefined],
  ['{"level":30,"msg":"ready"}', undefined],
  ['{"level":"warn","msg":"Kafka is away"}', 'Kafka is away'],
  ['{"level":50,"msg":"failed","err":{"message":"no route"}}', 'failed: no route'],
  ['Error: not JSON', 'Error: not JSON'],
  ['', undefined],
])('%s → %s', (line, expected) => {
  expect(troubleIn(line)).toBe(expected);
});

describe('environments', () => {
  const all = environments({
    ports: SERVICES,
    brokers: '127.0.0.1:9092',
    redisUrl: 'redis://127.0.0.1:6379',
    topicPrefix: 'p.',
    merchantsFile: 'config/merchants.demo.json',
    accountsFile: 'config/accounts.demo.json',
    more: { 'payment-gateway': { DOUBT_GRACE_MS: '1000' } },
  });

  it('point the services at each other', () => {
    expect(all['payment-gateway']).toMatchObject({
      PAYMENT_URL: 'http://127.0.0.1:4010',
      AUTH_SERVICE_URL: 'http://127.0.0.1:4030',
      MANAGEMENT_PORT: '4101',
      KAFKA_TOPIC_PREFIX: 'p.',
      DOUBT_GRACE_MS: '1000',
    });
    expect(all['payment-gateway']).not.toHaveProperty('PORT');
  });

  it('give the gateway the service key that the accounts file names for it', () => {
    expect(all['payment-gateway'].AUTH_SERVICE_KEY).toMatch(/payment-gateway/);
  });

  it('make an encryption key of 32 bytes, another one each time', () => {
    expect(Buffer.from(all['auth-service'].TOKEN_ENCRYPTION_KEY, 'base64')).toHaveLength(32);
  });
});

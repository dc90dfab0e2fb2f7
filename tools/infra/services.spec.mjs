import { execFileSync } from 'node:child_process';
import { SERVICES } from './apps.mjs';
import { addressLines, environments, redisDatabase, troubleIn } from './services.mjs';

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

describe('addressLines', () => {
  const infrastructure = { brokers: '127.0.0.1:9092', redisUrl: 'redis://127.0.0.1:6379' };
  const gateway = { name: 'payment-gateway', url: undefined, managementUrl: 'http://127.0.0.1:4101' };
  const checkout = { name: 'checkout-demo', url: 'http://127.0.0.1:4050', managementUrl: 'http://127.0.0.1:4150' };

  it('begin with the checkout and two cards to try', () => {
    const [first, accepted, refused] = addressLines([gateway, checkout], infrastructure);
    expect(first).toBe('checkout  http://127.0.0.1:4050/');
    expect(accepted).toMatch(/^ {10}\d{16} {2}is accepted/);
    expect(refused).toMatch(/^ {10}\d{16} {2}is refused/);
  });

  it('end with the operators, two of whom can decide together', () => {
    const last = addressLines([gateway], infrastructure).slice(-4);
    expect(last[0]).toBe('operators of http://127.0.0.1:4101/v1/, as "Authorization: Bearer KEY":');
    expect(last.slice(1).map((line) => /^ +demo-\S{28,} +(.+)$/.exec(line)[1])).toEqual([
      'olga, operator',
      'demo, approver',
      'vera, viewer',
    ]);
  });

  it('make tranche a command of a shell, with the settings of a drill, where operations and the simulator run', () => {
    const operations = { name: 'operations', url: 'http://127.0.0.1:4060' };
    const simulator = { name: 'platform-simulator', url: 'http://127.0.0.1:4010' };
    const drillOf = (services) =>
      addressLines(services, { ...infrastructure, topicPrefix: 'demo-1.' }).filter((line) => line.startsWith('tranche()'));
    expect(drillOf([gateway, operations])).toEqual([]);
    const [line] = drillOf([operations, simulator]);
    for (const setting of ['OPERATIONS_URL=http://127.0.0.1:4060', 'SIMULATOR_URL=http://127.0.0.1:4010', 'KAFKA_BROKERS=127.0.0.1:9092', 'KAFKA_TOPIC_PREFIX=demo-1.', 'REDIS_URL=redis://127.0.0.1:6379'])
      expect(line).toContain(setting);
    const said = execFileSync('bash', ['-c', `${line}\nnode() { echo "$TRANCHE_TOKEN" "${'$'}{@:2}"; }\ntranche show 'a b'; TRANCHE_TOKEN=other tranche approve`]);
    expect(String(said)).toBe('demo-key-of-olga-not-a-real-one-at-all show a b\nother approve\n');
  }); // prettier-ignore

  it('name infrastructure alone when no service runs', () => {
    expect(addressLines([], infrastructure)).toEqual(['KAFKA_BROKERS=127.0.0.1:9092 REDIS_URL=redis://127.0.0.1:6379']);
  });
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

  it('give the browser of the checkout addresses that it reaches, and let its origin in', () => {
    expect(all['checkout-demo']).toMatchObject({
      PUBLIC_URL: 'http://127.0.0.1:4050',
      CSE_KEYS_URL: 'http://127.0.0.1:4040/v1/cse-keys',
      TOKENIZER_URL: 'http://127.0.0.1:4010/tokenizer',
      MERCHANT: 'shop-fr',
      API_KEY_ID: '00000000-0000-4000-8000-00000000000a',
    });
    expect(all['cse-token-service'].CSE_ORIGINS).toBe(all['checkout-demo'].PUBLIC_URL);
  });

  it('give every service that publishes the same Kafka and prefix', () => {
    const publishing = Object.entries(all).filter(([name]) => name !== 'platform-simulator');
    for (const [, env] of publishing)
      expect(env).toMatchObject({ KAFKA_BROKERS: '127.0.0.1:9092', KAFKA_TOPIC_PREFIX: 'p.' });
  });

  it('give each service a Redis database of its own, and names of this run', () => {
    const urls = Object.values(all).flatMap(({ REDIS_URL: url }) => url ?? []);
    expect(urls.map((url) => new URL(url).pathname).sort()).toEqual(['/0', '/1', '/2', '/3', '/4']);
    const prefixes = Object.values(all).flatMap(({ REDIS_KEY_PREFIX: prefix }) => prefix ?? []);
    expect(prefixes.filter((prefix) => !prefix.startsWith('p.'))).toEqual([]);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  it('give the gateway the service key that the accounts file names for it', () => {
    expect(all['payment-gateway'].AUTH_SERVICE_KEY).toMatch(/payment-gateway/);
  });

  it('make an encryption key of 32 bytes, another one each time', () => {
    expect(Buffer.from(all['auth-service'].TOKEN_ENCRYPTION_KEY, 'base64')).toHaveLength(32);
  });
});

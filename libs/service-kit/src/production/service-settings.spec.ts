import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsIn } from 'class-validator';
import { Env } from '../config.js';
import { KafkaConfig } from '../kafka.config.js';
import { Secret } from '../secret.js';
import { isDemoValue } from './production-faults.js';
import { readServiceSettings } from './service-settings.js';

const readKeys = (text: string) => [{ operator: 'alice', key: new Secret(text) }];

class Settings extends KafkaConfig {
  @Env('TOPICS', { doc: 'create or check', default: 'create' })
  @IsIn(['create', 'check'])
  topics: 'create' | 'check';

  @Env('KAFKA_BROKERS', { doc: 'brokers', default: ['127.0.0.1:9092'] })
  kafkaBrokers: string[];

  @Env('PAYMENT_URL', { doc: 'platform', items: 'url', fromFile: true, default: ['http://127.0.0.1:1'] })
  paymentUrls: string[];

  @Env('AUTH_URL', { doc: 'tokens', fromFile: true, default: 'http://[::1]:1' })
  authUrl: URL;

  @Env('REDIS_URL', { doc: 'index', default: 'redis://localhost:6379', secret: true, protocols: ['redis', 'rediss'] })
  redisUrl: URL;

  @Env('OPERATORS_FILE', { doc: 'operators', optional: true, read: readKeys })
  operators?: { operator: string; key: Secret }[];
}

const faultsOf = (env: Record<string, string>, TOPICS = 'check') =>
  readServiceSettings(Settings, { TOPICS, ...env }).faults.map(({ name, message }) => `${name} ${message}`);

const TLS_FOR_KAFKA = 'KAFKA_SSL must be true: commands, events and passwords travel there';
const HTTPS = 'must start with https://: the way to another machine needs TLS';
const NO_PASSWORD = 'REDIS_URL has no password: whoever reaches that Redis can change what is remembered of payments';
const DEMO = 'is one of the demo, which everybody knows. Use one of your own';
const sasl = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'gateway' };

describe('production mode', () => {
  it('takes this machine without TLS and without passwords', () => expect(faultsOf({})).toEqual([]));

  it.each([
    ['a broker elsewhere without TLS', { KAFKA_BROKERS: '127.0.0.1:9092,kafka:9092' }, [TLS_FOR_KAFKA]],
    ['a second platform over http', { PAYMENT_URL: 'https://a.example,http://b.example' }, [`PAYMENT_URL ${HTTPS}`]],
    ['a token API over http', { AUTH_URL: 'http://tokens.example' }, [`AUTH_URL ${HTTPS}`]],
    ['an address that only looks like this machine', { AUTH_URL: 'http://127.0.0.1.example' }, [`AUTH_URL ${HTTPS}`]],
    ['spans over http', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' }, [`OTEL_EXPORTER_OTLP_ENDPOINT ${HTTPS}`]],
    [
      'a Redis elsewhere without TLS and password',
      { REDIS_URL: 'redis://cache' },
      ['REDIS_URL must start with rediss://: the way to another machine needs TLS', NO_PASSWORD],
    ],
    ['a Redis with TLS and no password', { REDIS_URL: 'rediss://gateway@cache' }, [NO_PASSWORD]],
    [
      'a Redis with a password of the demo',
      { REDIS_URL: 'rediss://:demo-redis@cache' },
      [`REDIS_URL has a password that ${DEMO}`],
    ],
    ['a password of the demo', { ...sasl, KAFKA_SASL_PASSWORD: 'demo-password' }, [`KAFKA_SASL_PASSWORD ${DEMO}`]],
    ['a key of the demo in a list', { OPERATORS_FILE: 'demo-operator-key' }, [`OPERATORS_FILE key of alice ${DEMO}`]],
  ])('refuses %s, and development takes it', (_what, env, faults) => {
    expect(faultsOf(env)).toEqual(faults);
    expect(faultsOf(env, 'create')).toEqual([]);
  });

  it.each([
    ['a cluster', { REDIS_CLUSTER_NODES: '127.0.0.1:6379,cache-1:6379' }],
    ['sentinels', { REDIS_SENTINEL_NODES: 'sentinel-1:26379', REDIS_SENTINEL_MASTER: 'index' }],
  ])('judges the nodes of %s, not the host of REDIS_URL, which is not connected to', (_what, nodes) => {
    expect(faultsOf({ ...nodes, REDIS_URL: 'redis://127.0.0.1' })).toEqual([
      'REDIS_URL must start with rediss://: the way to another machine needs TLS',
      NO_PASSWORD,
    ]);
    expect(faultsOf({ ...nodes, REDIS_URL: 'rediss://gateway:long-and-random@127.0.0.1' })).toEqual([]);
  });

  it('refuses a database of a cluster, which has only one, in development too', () => {
    const env = { REDIS_CLUSTER_NODES: '127.0.0.1:6379', REDIS_URL: 'redis://127.0.0.1/2' };
    expect(faultsOf(env, 'create')).toEqual([
      'REDIS_URL names a database, and a Redis Cluster has only 0: leave it out',
    ]);
    expect(faultsOf({ ...env, REDIS_URL: 'redis://127.0.0.1/0' }, 'create')).toEqual([]);
  });

  it.each(['check', 'create'])('names a password that is no encoded text, TOPICS=%s', (topics) => {
    const faults = ['REDIS_URL has a % in its user or password that begins no encoded character: write it as %25'];
    for (const url of ['rediss://u:100%@h', 'rediss://100%:p@h'])
      expect(faultsOf({ REDIS_URL: url }, topics)).toEqual(faults);
    expect(faultsOf({ REDIS_URL: 'rediss://u:100%25@h' }, topics)).toEqual([]);
  });

  it('takes TLS, passwords and keys of its own', () => {
    const env = {
      KAFKA_BROKERS: 'kafka:9093',
      KAFKA_SSL: 'true',
      PAYMENT_URL: 'https://a.example',
      REDIS_URL: 'rediss://gateway:long-and-random@cache',
      OPERATORS_FILE: 'long-and-random-too',
    };
    expect(faultsOf(env)).toEqual([]);
  });

  it('lets hosts be reached without TLS where something else encrypts, and asks for the password all the same', () => {
    const env = { KAFKA_BROKERS: 'kafka:9092', AUTH_URL: 'http://tokens', REDIS_URL: 'redis://cache' };
    expect(faultsOf({ ...env, PLAINTEXT_HOSTS: 'kafka,tokens,cache' })).toEqual([NO_PASSWORD]);
    expect(faultsOf({ ...env, PLAINTEXT_HOSTS: 'kafka:9092' })).toEqual(
      expect.arrayContaining(['PLAINTEXT_HOSTS must be host names or addresses, without ports']),
    );
  });

  it('names wrong settings and refused ones together, without a value', () => {
    const faults = faultsOf({
      KAFKA_BROKERS: 'kafka:9092',
      AUTH_URL: 'nonsense',
      PAYMENT_URL: 'http://secret.example',
    });
    expect(faults.map((fault) => fault.split(' ', 1)[0])).toEqual(['AUTH_URL', 'PAYMENT_URL', 'KAFKA_SSL']);
    expect(faults.join()).not.toContain('secret.example');
  });
});

describe('an address', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-settings-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('may come from a file, for it may hold credentials', () => {
    const file = join(folder, 'url');
    writeFileSync(file, 'https://user:password@a.example\n');
    const read = (name: string) => readServiceSettings(Settings, { [`${name}_FILE`]: file });
    expect(read('AUTH_URL').config.authUrl.username).toBe('user');
    expect(read('PAYMENT_URL').config.paymentUrls.map((url) => new URL(url).username)).toEqual(['user']);
    expect(read('OTEL_EXPORTER_OTLP_ENDPOINT').kit.otlpEndpoint?.username).toBe('user');
  });
});

describe('the values of the demo', () => {
  const SECRET_FIELDS = ['accountKey', 'notificationKey', 'redirectKey', 'notification', 'clientSecret', 'key', 'id'];
  const secretsOf = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, one]) =>
          typeof one === 'string' && SECRET_FIELDS.includes(name) ? [one] : secretsOf(one),
        );

  it.each(readdirSync('config').filter((file) => file.endsWith('.json')))('of config/%s are all known', (file) => {
    const secrets = secretsOf(JSON.parse(readFileSync(join('config', file), 'utf8')));
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.filter((secret) => !isDemoValue(secret))).toEqual([]);
  });

  it('are few: a key of somebody else is none', () => {
    expect(['', 'my-demo-key', '00000000-0000-4000-9000-00000000000a'].filter(isDemoValue)).toEqual([]);
  });
});

import { describeConfig, Env, loadConfig, readConfig } from './config.js';
import { AreBrokers, KafkaConfig } from './kafka.config.js';

class Settings extends KafkaConfig {
  @Env('PORT', { doc: 'the port', default: 4000 })
  port: number;

  get kafka() {
    return this.kafkaSecurity;
  }
}

const sasl = {
  KAFKA_SASL_MECHANISM: 'scram-sha-512',
  KAFKA_SASL_USERNAME: 'gateway',
  KAFKA_SASL_PASSWORD: 'of-the-gateway',
};

describe('KafkaConfig', () => {
  it('adds its settings to those of the class that extends it', () => {
    expect(describeConfig(Settings).map(({ name }) => name)).toEqual([
      'PORT',
      'KAFKA_TOPIC_PREFIX',
      'KAFKA_SSL',
      'KAFKA_SSL_CA_FILE',
      'KAFKA_SSL_CERT_FILE',
      'KAFKA_SSL_KEY_FILE',
      'KAFKA_SASL_MECHANISM',
      'KAFKA_SASL_USERNAME',
      'KAFKA_SASL_PASSWORD',
      'KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL',
      'KAFKA_SASL_OAUTHBEARER_CLIENT_ID',
      'KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET',
      'KAFKA_SASL_OAUTHBEARER_SCOPE',
    ]);
    expect(loadConfig(Settings, { PORT: '1', KAFKA_TOPIC_PREFIX: 'shop.' })).toMatchObject({
      port: 1,
      kafkaTopicPrefix: 'shop.',
    });
  });

  it('is plain without settings, TLS with KAFKA_SSL, and SASL with all three settings', () => {
    expect(loadConfig(Settings, {}).kafka).toEqual({ ssl: false });
    expect(loadConfig(Settings, { KAFKA_SSL: 'true', ...sasl }).kafka).toEqual({
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: 'gateway', password: 'of-the-gateway' },
    });
  });

  it('takes authorities, a certificate and its key from files', () => {
    const file = __filename;
    expect(loadConfig(Settings, { KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: file }).kafka.ssl).toEqual({ caFile: file });
    const all = { KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: file, KAFKA_SSL_CERT_FILE: file, KAFKA_SSL_KEY_FILE: file };
    expect(loadConfig(Settings, all).kafka.ssl).toEqual({ caFile: file, certFile: file, keyFile: file });
    expect(readConfig(Settings, { KAFKA_SSL_CERT_FILE: file, KAFKA_SSL_CA_FILE: '/nowhere' }).faults).toEqual([
      { name: 'KAFKA_SSL_CA_FILE', message: expect.stringContaining('cannot be read') as string },
      { name: 'KAFKA_SSL', message: 'must be true where KAFKA_SSL_CA_FILE or KAFKA_SSL_CERT_FILE is set' },
      { name: 'KAFKA_SSL_KEY_FILE', message: 'must be set with KAFKA_SSL_CERT_FILE' },
    ]);
  });

  it('asks for tokens with OAUTHBEARER, and sends the secret over https only', () => {
    const oauth = {
      KAFKA_SASL_MECHANISM: 'oauthbearer',
      KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: 'https://login.example/token',
      KAFKA_SASL_OAUTHBEARER_CLIENT_ID: 'gateway',
      KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET: 'of-the-client',
      KAFKA_SASL_OAUTHBEARER_SCOPE: 'kafka',
    };
    expect(loadConfig(Settings, oauth).kafka.sasl).toEqual({
      mechanism: 'oauthbearer',
      tokenEndpointUrl: new URL('https://login.example/token'),
      clientId: 'gateway',
      clientSecret: 'of-the-client',
      scope: 'kafka',
    });
    const at = (url: string) =>
      readConfig(Settings, { ...oauth, KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL: url }).faults.map(({ name }) => name);
    expect(at('http://127.0.0.1:8080/token')).toEqual([]);
    expect(at('http://login.example/token')).toEqual(['KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL']);
    expect(at('http://localhost.example/token')).toEqual(['KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL']);
    expect(readConfig(Settings, { KAFKA_SASL_MECHANISM: 'oauthbearer' }).faults.map(({ name }) => name)).toEqual([
      'KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL',
      'KAFKA_SASL_OAUTHBEARER_CLIENT_ID',
      'KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET',
    ]);
  });

  it('names every fault at once', () => {
    const { faults } = readConfig(Settings, { KAFKA_TOPIC_PREFIX: 'a b', KAFKA_SASL_MECHANISM: 'plain' });

    expect(faults).toEqual([
      { name: 'KAFKA_TOPIC_PREFIX', message: 'may hold letters, digits, dot, dash and underscore only' },
      { name: 'KAFKA_SASL_USERNAME', message: 'must be set with KAFKA_SASL_MECHANISM' },
      { name: 'KAFKA_SASL_PASSWORD', message: 'must be set with KAFKA_SASL_MECHANISM' },
    ]);
    expect(readConfig(Settings, { ...sasl, KAFKA_SASL_MECHANISM: 'gssapi' }).faults).toEqual([
      {
        name: 'KAFKA_SASL_MECHANISM',
        message: 'must be one of the following values: plain, scram-sha-256, scram-sha-512, oauthbearer',
      },
    ]);
  });

  it('takes a prefix of 64 characters and none of 65', () => {
    expect(readConfig(Settings, { KAFKA_TOPIC_PREFIX: 'a'.repeat(64) }).faults).toEqual([]);
    expect(readConfig(Settings, { KAFKA_TOPIC_PREFIX: 'a'.repeat(65) }).faults).toHaveLength(1);
  });
});

describe('brokers', () => {
  class WithBrokers extends KafkaConfig {
    @Env('KAFKA_BROKERS', { doc: 'host:port, comma-separated', default: ['127.0.0.1:9092'] })
    @AreBrokers()
    kafkaBrokers: string[];
  }
  const faultsOf = (KAFKA_BROKERS: string) => readConfig(WithBrokers, { KAFKA_BROKERS }).faults;

  it.each(['127.0.0.1:9092', 'kafka-0.kafka:9092,kafka-1.kafka:9092'])('%s', (brokers) =>
    expect(faultsOf(brokers)).toEqual([]),
  );

  it.each(['[::1]:9092', 'kafka://host', 'kafka://host:9092', 'host', 'host:port', 'a:9092,b', 'host:9092/'])(
    'not %s',
    (brokers) =>
      expect(faultsOf(brokers)).toEqual([
        { name: 'KAFKA_BROKERS', message: expect.stringContaining('must be host:port') as string },
      ]),
  );
});

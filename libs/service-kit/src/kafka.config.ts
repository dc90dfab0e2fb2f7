import { IsDefined, IsIn, IsOptional, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { BROKER_ADDRESS, BROKER_ADDRESS_RULE } from '@tranche/runtime';
import { Env } from './config.js';
import { hostOfBroker, isLoopback } from './production/production-faults.js';
import type { ProductionView } from './config.js';
import { Secret } from './secret.js';

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const;
const usesPassword = ({ kafkaSaslMechanism: mechanism }: KafkaConfig) =>
  mechanism !== undefined && mechanism !== 'oauthbearer';
const namesTlsFiles = ({ kafkaSslCaFile, kafkaSslCertFile, kafkaSslKeyFile }: KafkaConfig) =>
  (kafkaSslCaFile ?? kafkaSslCertFile ?? kafkaSslKeyFile) !== undefined;
const usesToken = ({ kafkaSaslMechanism: mechanism }: KafkaConfig) => mechanism === 'oauthbearer';
const WITH_PASSWORD = { message: 'must be set with KAFKA_SASL_MECHANISM' };
const WITH_TOKEN = { message: 'must be set with KAFKA_SASL_MECHANISM oauthbearer' };

interface KafkaSecurity {
  ssl: boolean | { caFile?: string; certFile?: string; keyFile?: string };
  sasl?:
    | { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
    | { mechanism: 'oauthbearer'; tokenEndpointUrl: URL; clientId: string; clientSecret: string; scope?: string };
}

export const AreBrokers = () =>
  Matches(BROKER_ADDRESS, { each: true, message: `must be host:port, comma-separated, ${BROKER_ADDRESS_RULE}` });

/** A service's configuration class extends it, and declares KAFKA_BROKERS itself. */
export abstract class KafkaConfig {
  @Env('KAFKA_TOPIC_PREFIX', { doc: 'in front of all topic, group and index names', default: '' })
  @Matches(/^[A-Za-z0-9._-]{0,64}$/, { message: 'may hold letters, digits, dot, dash and underscore only' })
  kafkaTopicPrefix: string;

  @Env('KAFKA_SSL', { doc: 'true for TLS', default: false, inProduction: needsTls })
  @ValidateBy({
    name: 'isTrueWithFiles',
    validator: {
      validate: (isTls, args) => isTls !== false || !namesTlsFiles(args?.object as KafkaConfig),
      defaultMessage: () => 'must be true where KAFKA_SSL_CA_FILE or KAFKA_SSL_CERT_FILE is set',
    },
  })
  kafkaSsl: boolean;

  @Env('KAFKA_SSL_CA_FILE', {
    doc: 'PEM file of the authorities that may have signed the certificates of the brokers; those of Node.js if not set',
    optional: true,
    file: true,
  })
  kafkaSslCaFile?: string;

  @Env('KAFKA_SSL_CERT_FILE', {
    doc: 'PEM file of the client certificate; read again when it changes',
    optional: true,
    file: true,
  })
  @ValidateIf(({ kafkaSslKeyFile }: KafkaConfig) => kafkaSslKeyFile !== undefined)
  @IsDefined({ message: 'must be set with KAFKA_SSL_KEY_FILE' })
  kafkaSslCertFile?: string;

  @Env('KAFKA_SSL_KEY_FILE', { doc: 'PEM file of its private key', optional: true, file: true })
  @ValidateIf(({ kafkaSslCertFile }: KafkaConfig) => kafkaSslCertFile !== undefined)
  @IsDefined({ message: 'must be set with KAFKA_SSL_CERT_FILE' })
  kafkaSslKeyFile?: string;

  @Env('KAFKA_SASL_MECHANISM', { doc: `${SASL_MECHANISMS.join(', ')}; no SASL when not set`, optional: true })
  @IsOptional()
  @IsIn(SASL_MECHANISMS)
  kafkaSaslMechanism?: (typeof SASL_MECHANISMS)[number];

  @Env('KAFKA_SASL_USERNAME', { doc: 'SASL user, needed with plain and scram', optional: true })
  @ValidateIf(usesPassword)
  @IsDefined(WITH_PASSWORD)
  kafkaSaslUsername?: string;

  @Env('KAFKA_SASL_PASSWORD', { doc: 'SASL password, needed with plain and scram', optional: true })
  @ValidateIf(usesPassword)
  @IsDefined(WITH_PASSWORD)
  kafkaSaslPassword?: Secret;

  @Env('KAFKA_SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL', {
    doc: 'where tokens are asked for (client credentials, RFC 6749 section 4.4), needed with oauthbearer',
    optional: true,
  })
  @ValidateIf(usesToken)
  @IsDefined(WITH_TOKEN)
  @ValidateBy({
    name: 'isHttpsOrLoopback',
    validator: {
      validate: (url) => !(url instanceof URL) || url.protocol === 'https:' || isLoopback(url.hostname),
      defaultMessage: () => 'must start with https://, or the client secret travels in clear',
    },
  })
  kafkaTokenEndpointUrl?: URL;

  @Env('KAFKA_SASL_OAUTHBEARER_CLIENT_ID', { doc: 'OAuth client, needed with oauthbearer', optional: true })
  @ValidateIf(usesToken)
  @IsDefined(WITH_TOKEN)
  kafkaTokenClientId?: string;

  @Env('KAFKA_SASL_OAUTHBEARER_CLIENT_SECRET', { doc: 'its secret, needed with oauthbearer', optional: true })
  @ValidateIf(usesToken)
  @IsDefined(WITH_TOKEN)
  kafkaTokenClientSecret?: Secret;

  @Env('KAFKA_SASL_OAUTHBEARER_SCOPE', { doc: 'what the token is asked for, if the endpoint wants it', optional: true })
  kafkaTokenScope?: string;

  protected get kafkaSecurity(): KafkaSecurity {
    const sasl = this.#sasl;
    return { ssl: this.#ssl, ...(sasl && { sasl }) };
  }

  get #ssl(): KafkaSecurity['ssl'] {
    const { kafkaSsl, kafkaSslCaFile: caFile, kafkaSslCertFile: certFile, kafkaSslKeyFile: keyFile } = this;
    if (!namesTlsFiles(this)) return kafkaSsl;
    return { ...(caFile && { caFile }), ...(certFile && keyFile && { certFile, keyFile }) };
  }

  get #sasl(): KafkaSecurity['sasl'] {
    const { kafkaSaslMechanism: mechanism, kafkaSaslUsername: username, kafkaSaslPassword: password } = this;
    if (mechanism === undefined) return undefined;
    if (mechanism === 'oauthbearer') return this.#oauthBearer;
    if (username === undefined || password === undefined) return undefined;
    return { mechanism, username, password: password.reveal() };
  }

  get #oauthBearer(): KafkaSecurity['sasl'] {
    const { kafkaTokenEndpointUrl: tokenEndpointUrl, kafkaTokenClientId: clientId, kafkaTokenScope: scope } = this;
    const clientSecret = this.kafkaTokenClientSecret?.reveal();
    if (tokenEndpointUrl === undefined || clientId === undefined || clientSecret === undefined) return undefined;
    return { mechanism: 'oauthbearer', tokenEndpointUrl, clientId, clientSecret, ...(scope && { scope }) };
  }
}

function needsTls(isTls: boolean, { config, isProtected }: ProductionView): string[] {
  const { kafkaBrokers: brokers } = config as { kafkaBrokers?: string[] };
  const isNeeded = Array.isArray(brokers) && !brokers.map(hostOfBroker).every(isProtected);
  return isTls || !isNeeded ? [] : ['must be true: commands, events and passwords travel there'];
}

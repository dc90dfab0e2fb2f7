import { IsDefined, IsIn, IsOptional, Matches, ValidateIf } from 'class-validator';
import { Env } from './config.js';
import { Secret } from './secret.js';

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const usesSasl = (config: KafkaConfig) => config.kafkaSaslMechanism !== undefined;

export interface KafkaSecurity {
  ssl: boolean;
  sasl?: { mechanism: (typeof SASL_MECHANISMS)[number]; username: string; password: string };
}

const ADDRESS = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})$/;

/** For a list of brokers: each is host:port, as Kafka's own clients have it. */
export const AreBrokers = () =>
  Matches(ADDRESS, { each: true, message: 'must be host:port, comma-separated, without kafka:// or the like' });

/** How a service comes to its Kafka, for its configuration class to extend; which brokers, and whether it needs any, it says itself. */
export abstract class KafkaConfig {
  @Env('KAFKA_TOPIC_PREFIX', { doc: 'in front of all topic, group and index names', default: '' })
  @Matches(/^[A-Za-z0-9._-]{0,64}$/, { message: 'may hold letters, digits, dot, dash and underscore only' })
  kafkaTopicPrefix: string;

  @Env('KAFKA_SSL', { doc: 'true for TLS', default: false })
  kafkaSsl: boolean;

  @Env('KAFKA_SASL_MECHANISM', { doc: `${SASL_MECHANISMS.join(', ')}; no SASL when not set`, optional: true })
  @IsOptional()
  @IsIn(SASL_MECHANISMS)
  kafkaSaslMechanism?: (typeof SASL_MECHANISMS)[number];

  @Env('KAFKA_SASL_USERNAME', { doc: 'SASL user, needed with a mechanism', optional: true })
  @ValidateIf(usesSasl)
  @IsDefined({ message: 'must be set with KAFKA_SASL_MECHANISM' })
  kafkaSaslUsername?: string;

  @Env('KAFKA_SASL_PASSWORD', { doc: 'SASL password, needed with a mechanism', optional: true })
  @ValidateIf(usesSasl)
  @IsDefined({ message: 'must be set with KAFKA_SASL_MECHANISM' })
  kafkaSaslPassword?: Secret;

  protected get kafkaSecurity(): KafkaSecurity {
    const {
      kafkaSsl: ssl,
      kafkaSaslMechanism: mechanism,
      kafkaSaslUsername: username,
      kafkaSaslPassword: password,
    } = this;
    if (mechanism === undefined || username === undefined || password === undefined) return { ssl };
    return { ssl, sasl: { mechanism, username, password: password.reveal() } };
  }
}

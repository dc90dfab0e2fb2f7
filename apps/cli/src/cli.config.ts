import { ArrayMinSize, IsIn } from 'class-validator';
import type { KafkaSettings } from '@tranche/kafka';
import { NEWEST_RULES_VERSION, readIndexKeys, RULES, type IndexKey } from '@tranche/order-journal';
import { AreBrokers, describeConfig, Env, KafkaConfig } from '@tranche/service-kit';
import { CommandsConfig } from './commands/commands.config.js';
import { SessionConfig } from './session/session.config.js';

/** `tranche topics` needs no other settings. */
export class BrokersConfig extends KafkaConfig {
  @Env('KAFKA_BROKERS', {
    doc: 'as payment-gateway; `commands` has no default: `check` asks brokers where it is set, `find` and `refused` need it',
    default: ['127.0.0.1:9092'],
  })
  @ArrayMinSize(1)
  @AreBrokers()
  kafkaBrokers: string[];

  get kafka(): Pick<KafkaSettings, 'brokers' | 'ssl' | 'sasl'> {
    return { brokers: this.kafkaBrokers, ...this.kafkaSecurity };
  }
}

/** The settings of payment-gateway that `tranche journal` needs, under the same names: run it with the gateway's environment. */
export class CliConfig extends BrokersConfig {
  @Env('REDIS_URL', {
    doc: 'as payment-gateway',
    secret: true,
    default: 'redis://127.0.0.1:6379/0',
    protocols: ['redis', 'rediss'],
  })
  redisUrl: URL;

  @Env('INDEX_HMAC_KEYS', { doc: 'as payment-gateway', optional: true, secret: true, read: readIndexKeys })
  indexKeys?: readonly IndexKey[];

  @Env('RULES_VERSION', { doc: 'as payment-gateway', default: NEWEST_RULES_VERSION })
  @IsIn(RULES.versions)
  rulesVersion: number;
}

/** All settings of `tranche`, for the documents. */
export const SETTINGS = [CliConfig, CommandsConfig, SessionConfig]
  .flatMap((Class) => describeConfig(Class))
  .filter(({ name }, index, all) => all.findIndex((one) => one.name === name) === index);

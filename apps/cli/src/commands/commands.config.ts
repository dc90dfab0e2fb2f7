import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { ENVIRONMENT_ID_PATTERN, loadMerchants, type Merchants } from '@tranche/contracts';
import { createKafkaClient, type KafkaClient, type KafkaSettings } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { AreBrokers, Env, KafkaConfig } from '@tranche/service-kit';
import { SettingsError } from '../exit.js';
import { kafkaAnswers } from '../outside.js';

/** Settings of `tranche commands`, named as those of payment-gateway. Each command needs only some of them. */
export class CommandsConfig extends KafkaConfig {
  @Env('KAFKA_BROKERS', {
    doc: 'as payment-gateway',
    optional: true,
  })
  @IsOptional()
  @AreBrokers()
  kafkaBrokers?: string[];

  @Env('MERCHANTS_FILE', {
    doc: 'as payment-gateway; `commands check` needs it, `find` takes the currency of its merchants',
    optional: true,
    file: true,
    read: loadMerchants,
  })
  merchants?: Merchants;

  @Env('ENVIRONMENT_ID', {
    doc: 'as payment-gateway; `commands check` and `sign` take it',
    optional: true,
  })
  @IsOptional()
  @Matches(ENVIRONMENT_ID_PATTERN, { message: 'must be 1 to 32 lower-case letters, digits and hyphens' })
  environmentId?: string;

  @Env('MANAGEMENT_PORT', { doc: 'as payment-gateway; `commands find` asks the gateway there', default: 4101 })
  @IsInt()
  @Min(0)
  @Max(65_535)
  managementPort: number;

  get kafka(): Pick<KafkaSettings, 'ssl' | 'sasl'> {
    return this.kafkaSecurity;
  }
}

/** @throws SettingsError where no broker is set, CannotTellError where none answers */
export async function openKafka(config: CommandsConfig): Promise<KafkaClient> {
  const { kafkaBrokers: brokers, kafka } = config;
  if (brokers === undefined) throw new SettingsError('KAFKA_BROKERS is not set: set it as for payment-gateway');
  const client = createKafkaClient({ brokers, ...kafka, clientId: 'tranche-cli' }, silentLog);
  await kafkaAnswers(client);
  return client;
}

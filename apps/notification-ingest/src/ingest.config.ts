import { ArrayMinSize, IsIn, Max, Min } from 'class-validator';
import { loadMerchants, type Merchants } from '@tranche/contracts';
import type { KafkaSettings } from '@tranche/kafka';
import { AreBrokers, Env, KafkaConfig, merchantsInProduction } from '@tranche/service-kit';

export class IngestConfig extends KafkaConfig {
  @Env('PORT', { doc: 'port of the webhook', default: 4020 })
  @Min(0)
  @Max(65_535)
  port: number;

  @Env('MANAGEMENT_PORT', { doc: 'port of health and metrics', default: 4120 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('MERCHANTS_FILE', {
    doc: 'JSON list of merchants',
    default: 'config/merchants.demo.json',
    file: true,
    read: loadMerchants,
    inProduction: merchantsInProduction,
  })
  merchants: Merchants;

  @Env('PUBLISH_TIMEOUT_MS', {
    doc: 'milliseconds for the durable publish',
    default: 2_000,
  })
  @Min(100)
  @Max(60_000)
  publishTimeoutMs: number;

  @Env('MAX_WAITING_NOTIFICATIONS', {
    doc: 'notifications that may wait for Kafka; beyond, 503 at once',
    default: 5_000,
  })
  @Min(1)
  @Max(1_000_000)
  maxWaitingNotifications: number;

  @Env('MAX_WAITING_BYTES', { doc: 'bytes of notifications that may wait for Kafka', default: 16_777_216 })
  @Min(1_048_576)
  @Max(1_073_741_824)
  maxWaitingBytes: number;

  @Env('MAX_CONNECTIONS', { doc: 'open connections; further ones are closed at once', default: 5_000 })
  @Min(1)
  @Max(1_000_000)
  maxConnections: number;

  @Env('MAX_CONNECTIONS_PER_ADDRESS', {
    doc: 'open connections of an address (IPv6: of a /64). Those of `TRUSTED_PROXIES` are not counted',
    default: 100,
  })
  @Min(1)
  @Max(1_000_000)
  maxConnectionsPerAddress: number;

  @Env('FAILURES_PER_MINUTE', {
    doc: 'failures of an address that are answered and logged each; 429 beyond',
    default: 60,
  })
  @Min(1)
  @Max(1_000_000)
  failuresPerMinute: number;

  @Env('QUARANTINE_KB_PER_HOUR', {
    doc: 'kilobytes an address may put into quarantine per hour for each reason (`hash_mismatch`, `unknown_identifier`)',
    default: 10_000,
  })
  @Min(64)
  @Max(100_000_000)
  quarantineKbPerHour: number;

  @Env('QUARANTINE_TOTAL_KB_PER_HOUR', { doc: 'the same of all addresses together', default: 100_000 })
  @Min(64)
  @Max(100_000_000)
  quarantineTotalKbPerHour: number;

  @Env('REDIS_URL', {
    doc: 'where all instances count failures; without it each counts its own',
    optional: true,
    secret: true,
    protocols: ['redis', 'rediss'],
  })
  redisUrl?: URL;

  @Env('REDIS_KEY_PREFIX', { doc: 'what the names of the counters begin with', default: 'tranche:ingest:' })
  redisKeyPrefix: string;

  @Env('KAFKA_BROKERS', { doc: 'host:port, comma-separated', default: ['127.0.0.1:9092'] })
  @ArrayMinSize(1)
  @AreBrokers()
  kafkaBrokers: string[];

  @Env('TOPICS', {
    doc: '`create` missing topics, or `check`: production mode, which refuses wrong topics and whatever only a demo may do',
    default: 'create',
  })
  @IsIn(['create', 'check'])
  topics: 'create' | 'check';

  get kafka(): Pick<KafkaSettings, 'brokers' | 'ssl' | 'sasl'> {
    return { brokers: this.kafkaBrokers, ...this.kafkaSecurity };
  }
}

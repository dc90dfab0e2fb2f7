import {
  ArrayMaxSize,
  ArrayMinSize,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { ENVIRONMENT_ID_PATTERN, HIGHEST_JOURNAL_EPOCH, loadMerchants, type Merchants } from '@tranche/contracts';
import type { KafkaSettings } from '@tranche/kafka';
import { OperatorsConfig } from '@tranche/operators';
import { NEWEST_RULES_VERSION, readIndexKeys, RULES, type IndexKey } from '@tranche/order-journal';
import {
  AreBrokers,
  Env,
  KafkaConfig,
  merchantsInProduction,
  Part,
  Secret,
  unsignedMerchants,
} from '@tranche/service-kit';
import { readLookUpTimes } from './look-up-schedule.js';

/** Group of the command topics and the journal. The commit of a journal partition says up to where its events were published. */
export const gatewayGroup = ({ kafkaTopicPrefix }: Pick<GatewayConfig, 'kafkaTopicPrefix'>): string =>
  `${kafkaTopicPrefix}payment-gateway`;

export const notificationGroup = (config: Pick<GatewayConfig, 'kafkaTopicPrefix'>): string =>
  `${gatewayGroup(config)}.notifications`;

export class GatewayConfig extends KafkaConfig {
  @Env('MANAGEMENT_PORT', { doc: 'port of health, metrics and operators', default: 4101 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('KAFKA_BROKERS', { doc: 'host:port, comma-separated', default: ['127.0.0.1:9092'] })
  @ArrayMinSize(1)
  @AreBrokers()
  kafkaBrokers: string[];

  @Env('KAFKA_SESSION_TIMEOUT_MS', {
    doc: 'milliseconds of silence after which an instance loses its partitions; within the limits of the broker',
    default: 10_000,
  })
  @Min(1_000)
  @Max(300_000)
  kafkaSessionTimeoutMs: number;

  @Env('REDIS_URL', {
    doc: 'the order index; another database than the token cache, `maxmemory-policy noeviction`, with `TOPICS=check` `appendonly yes` too',
    secret: true,
    default: 'redis://127.0.0.1:6379/0',
    protocols: ['redis', 'rediss'],
  })
  redisUrl: URL;

  @Env('MERCHANTS_FILE', {
    doc: 'JSON list of merchants',
    default: 'config/merchants.demo.json',
    file: true,
    read: loadMerchants,
    inProduction: (merchants: Merchants) => [...merchantsInProduction(merchants), ...unsignedMerchants(merchants)],
  })
  merchants: Merchants;

  @Env('PAYMENT_URL', {
    doc: 'base URL of the platform, https with `TOPICS=check` unless on this machine; a second one, after a comma, is used only where the first provably did not execute',
    items: 'url',
    fromFile: true,
    default: ['http://127.0.0.1:4010'],
  })
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  paymentUrls: string[];

  @Env('PLATFORM_TIMEOUT_MS', {
    doc: 'milliseconds for a whole call, first byte to last',
    default: 30_000,
  })
  @Min(100)
  @Max(600_000)
  platformTimeoutMs: number;

  @Env('DOUBT_GRACE_MS', {
    doc: 'milliseconds beyond the time-out before an intent without owner is in doubt',
    default: 5_000,
  })
  @Min(100)
  @Max(600_000)
  doubtGraceMs: number;

  @Env('LOOKUP_AFTER_MS', {
    doc: 'milliseconds after a doubt began at which it is looked up, rising, comma-separated, at most 20',
    default: ['30000', '60000', '120000', '300000', '900000', '3600000'],
    read: readLookUpTimes,
  })
  lookUpAfterMs: readonly number[];

  @Env('LOOKUP_TIMEOUT_MS', { doc: 'milliseconds for a whole look-up, whatever the number of URLs', default: 5_000 })
  @Min(100)
  @Max(60_000)
  lookUpTimeoutMs: number;

  @Env('LOOKUP_IN_FLIGHT', { doc: 'look-ups under way at once, per instance', default: 8 })
  @Min(1)
  @Max(256)
  lookUpInFlight: number;

  @Env('GATEWAY_IN_FLIGHT', { doc: 'commands handled at once', default: 256 })
  @Min(1)
  @Max(10_000)
  inFlight: number;

  @Env('RAIL_IN_FLIGHT', {
    doc: 'commands of one rail handled at once; `GATEWAY_IN_FLIGHT` less an eighth when not set, so that a slow partner leaves places to the others',
    optional: true,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(10_000)
  railInFlightSetting?: number;

  @Env('AUTH_SERVICE_URL', {
    doc: 'base URL of auth-service',
    fromFile: true,
    default: 'http://127.0.0.1:4030',
  })
  authServiceUrl: URL;

  @Env('AUTH_SERVICE_KEY', {
    doc: 'our service key there; required when a merchant has an `authAccount`',
    optional: true,
  })
  @ValidateIf((config: GatewayConfig) => config.merchants?.all.some(({ authAccount }) => authAccount !== undefined))
  @IsDefined({ message: 'must be set: a merchant of MERCHANTS_FILE has an authAccount' })
  authServiceKey?: Secret;

  @Env('ENVIRONMENT_ID', {
    doc: 'name of this installation, lower-case letters, digits and hyphens: a command counts as signed only where it was signed for this name; required with `TOPICS=check` where a merchant has `publisherKeys`',
    optional: true,
  })
  @ValidateIf(({ environmentId, topics, merchants }: GatewayConfig) => {
    const isSigned = merchants?.all.some(({ publisherKeys = [] }) => publisherKeys.length > 0);
    return environmentId !== undefined || (topics === 'check' && isSigned);
  })
  @IsDefined({ message: 'must be set in production (TOPICS=check): commands are signed for it' })
  @Matches(ENVIRONMENT_ID_PATTERN, { message: 'must be 1 to 32 lower-case letters, digits and hyphens' })
  environmentId?: string;

  @Env('INDEX_HMAC_KEYS', {
    doc: '`ID:KEY`, comma-separated, 32 bytes and more in base64: entries of the order index are signed with the first and verified with any; required with `TOPICS=check`',
    optional: true,
    secret: true,
    read: readIndexKeys,
  })
  @ValidateIf(({ topics }: GatewayConfig) => topics === 'check')
  @IsDefined({ message: 'must be set in production (TOPICS=check)' })
  indexKeys?: readonly IndexKey[];

  @Env('RULES_VERSION', {
    doc: 'rules version that journal records are written under; the old one until every instance reads the new one ([runbook](../operate/runbook.md#a-release-with-a-new-rules-version))',
    default: NEWEST_RULES_VERSION,
  })
  @IsIn(RULES.versions)
  rulesVersion: number;

  @Env('REFUNDABLE_DAYS', {
    doc: 'days after its last transition for which an order is kept that may be refunded, or whose payment may yet succeed though our timer ended it; longer than the platform takes refunds',
    default: 400,
  })
  @IsInt()
  @Min(35)
  @Max(3_650)
  refundableDays: number;

  @Env('JOURNAL_EPOCH', {
    doc: 'how often the journal was moved to another cluster: one more each time, so that `sequence` of events goes on rising',
    default: 0,
  })
  @IsInt()
  @Min(0)
  @Max(HIGHEST_JOURNAL_EPOCH)
  journalEpoch: number;

  @Env('TOPICS', {
    doc: '`create` missing topics, or `check`: production mode, which refuses wrong topics and whatever only a demo may do',
    default: 'create',
  })
  @IsIn(['create', 'check'])
  topics: 'create' | 'check';

  @Env('CLOCK_OFFSET_MS', {
    doc: 'milliseconds by which our clock and that of Redis are moved, for demo and tests; refused with `TOPICS=check`',
    default: 0,
  })
  @ValidateIf(({ topics }: GatewayConfig) => topics === 'check')
  @IsIn([0], { message: 'must not be set in production (TOPICS=check)' })
  clockOffsetMs: number;

  @Env('APPROVAL_WITHIN_MS', {
    doc: 'milliseconds for which a resolution that needs a second person can be approved',
    default: 86_400_000,
  })
  @Min(60_000)
  @Max(604_800_000)
  approvalWithinMs: number;

  @Part()
  operators: OperatorsConfig;

  get kafka(): Pick<KafkaSettings, 'brokers' | 'ssl' | 'sasl'> {
    return { brokers: this.kafkaBrokers, ...this.kafkaSecurity };
  }

  /** Maximum of commands of one rail in flight. */
  get railInFlight(): number {
    return this.railInFlightSetting ?? Math.max(1, this.inFlight - Math.floor(this.inFlight / 8));
  }

  /** Time that calls in flight get to end when the service stops, in milliseconds. A call that is cut off becomes in_doubt. */
  get drainTimeoutMs(): number {
    return this.platformTimeoutMs + 2_000;
  }

  /** Time for the drain and for the steps after it, in milliseconds. */
  get shutdownTimeoutMs(): number {
    return this.drainTimeoutMs + 5_000;
  }
}

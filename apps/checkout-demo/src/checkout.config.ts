import { ArrayMinSize, IsIn, Length, Matches, Max, Min } from 'class-validator';
import { MARKETS, MERCHANT_PATTERN, type Market } from '@tranche/contracts';
import { AreBrokers, Env, KafkaConfig, Secret } from '@tranche/service-kit';

export class CheckoutConfig extends KafkaConfig {
  @Env('PORT', { doc: 'port of the shop', default: 4050 })
  @Min(0)
  @Max(65_535)
  port: number;

  @Env('MANAGEMENT_PORT', { doc: 'port of health and metrics', default: 4150 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('PUBLIC_URL', {
    doc: 'where browsers reach the shop, http://127.0.0.1 and its port when not set; only its origin may post',
    optional: true,
  })
  publicUrl?: URL;

  @Env('MERCHANT', { doc: "whose shop it is: a name of the other services' `MERCHANTS_FILE`", default: 'shop-fr' })
  @Matches(MERCHANT_PATTERN, { message: 'may hold lower-case letters, digits and hyphens only' })
  merchant: string;

  @Env('MARKET', {
    doc: "market of the merchant's account, FR or ES: the instalments that it sells and the phone numbers that they take",
    default: 'FR',
  })
  @IsIn(MARKETS)
  market: Market;

  @Env('DESK_PASSWORD', {
    doc: "password of the shop's desk at /desk, where orders are captured, refunded and voided; without it there is no desk",
    optional: true,
  })
  deskPassword?: Secret;

  @Env('API_KEY_ID', {
    doc: 'public API key id of the card encryption',
    default: '00000000-0000-4000-8000-00000000000a',
  })
  @Length(36, 36)
  apiKeyId: string;

  @Env('CSE_KEYS_URL', {
    doc: 'the encryption keys, as browsers reach them',
    default: 'http://127.0.0.1:4040/v1/cse-keys',
  })
  cseKeysUrl: URL;

  @Env('TOKENIZER_URL', { doc: 'the tokenizer, as browsers reach it', default: 'http://127.0.0.1:4010/tokenizer' })
  tokenizerUrl: URL;

  @Env('ATTEMPTS_PER_MINUTE', {
    doc: 'orders and payments that an address may begin per minute, per process; 429 beyond. Behind a proxy name it in `TRUSTED_PROXIES`',
    default: 60,
  })
  @Min(1)
  @Max(1_000_000)
  attemptsPerMinute: number;

  @Env('MAX_STREAMS', {
    doc: 'pages that may follow their order at once, per process; ten of an order; 503 beyond',
    default: 500,
  })
  @Min(1)
  @Max(100_000)
  maxStreams: number;

  @Env('MAX_STREAMS_PER_ADDRESS', {
    doc: 'of these, from one address; 503 beyond. Behind a proxy name it in `TRUSTED_PROXIES`',
    default: 100,
  })
  @Min(1)
  @Max(100_000)
  maxStreamsPerAddress: number;

  @Env('PUBLISH_TIMEOUT_MS', {
    doc: 'milliseconds for publishing a command; then 503, and the page tries again',
    default: 5_000,
  })
  @Min(100)
  @Max(60_000)
  publishTimeoutMs: number;

  @Env('REDIS_URL', {
    doc: 'orders, redis:// or rediss://',
    default: 'redis://127.0.0.1:6379/4',
    secret: true,
    protocols: ['redis', 'rediss'],
  })
  redisUrl: URL;

  @Env('REDIS_KEY_PREFIX', { doc: 'what the names of the keys begin with', default: 'tranche:checkout:' })
  redisKeyPrefix: string;

  @Env('KAFKA_BROKERS', { doc: 'host:port, comma-separated', default: ['127.0.0.1:9092'] })
  @ArrayMinSize(1)
  @AreBrokers()
  kafkaBrokers: string[];

  get origin(): string {
    return this.publicUrl?.origin ?? `http://127.0.0.1:${this.port}`;
  }

  get isSecure(): boolean {
    return this.origin.startsWith('https:');
  }

  get kafka() {
    return { brokers: this.kafkaBrokers, ...this.kafkaSecurity };
  }
}

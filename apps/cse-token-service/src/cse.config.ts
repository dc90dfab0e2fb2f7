import { ArrayMinSize, IsIn, Max, Min } from 'class-validator';
import { loadMerchants, type Merchants } from '@tranche/contracts';
import type { KafkaSettings } from '@tranche/kafka';
import {
  AreBrokers,
  Env,
  isLoopback,
  KafkaConfig,
  merchantsInProduction,
  type ChecksItself,
  type ConfigFault,
} from '@tranche/service-kit';

export class CseConfig extends KafkaConfig implements ChecksItself {
  @Env('PORT', { doc: 'the port of the API', default: 4040 })
  @Min(0)
  @Max(65_535)
  port: number;

  @Env('MANAGEMENT_PORT', { doc: 'the port of health and metrics', default: 4140 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('CSE_KEYS_URL', {
    doc: 'the key provider, {cse_keys_url} of the interface: `https`, or this very machine; else `CSE_KEY_PINS` or `ALLOW_HTTP_KEYS`',
    fromFile: true,
  })
  keysUrl: URL;

  @Env('ALLOW_HTTP_KEYS', {
    doc: 'true to take keys over plain HTTP from another machine, for development',
    default: false,
    inProduction: (isAllowed: boolean) => (isAllowed ? ['must not be set in production (TOPICS=check)'] : []),
  })
  allowsHttpKeys: boolean;

  @Env('CSE_TIMEOUT_MS', { doc: 'one call of the key provider in all, milliseconds', default: 3_000 })
  @Min(100)
  @Max(60_000)
  timeoutMs: number;

  @Env('CSE_KEY_LIFETIME_MS', {
    doc: 'how long a key is handed out before the provider is asked again, milliseconds; 0 asks each time',
    default: 60_000,
  })
  @Min(0)
  @Max(3_600_000)
  keyLifetimeMs: number;

  @Env('CSE_STALE_MS', {
    doc: 'how much longer it is handed out while the provider gives none, milliseconds; 0: not at all',
    default: 600_000,
  })
  @Min(0)
  @Max(86_400_000)
  staleMs: number;

  @Env('CSE_BACK_OFF_MS', {
    doc: 'how long a provider that failed is left alone at first, milliseconds; doubled up to 16 times as long',
    default: 1_000,
  })
  @Min(10)
  @Max(60_000)
  backOffMs: number;

  @Env('CSE_REFUSED_INTERVAL_MS', {
    doc: 'how often pages that name a refused key have the provider asked again, milliseconds, for each API key id',
    default: 5_000,
  })
  @Min(100)
  @Max(600_000)
  refusedIntervalMs: number;

  @Env('CSE_KEY_PINS', {
    doc: 'fingerprints (SHA-256 of the DER bytes) of the only keys that are accepted, hex, comma-separated; every sound key when not set',
    optional: true,
    read: readPins,
  })
  keyPins?: ReadonlySet<string>;

  @Env('CSE_ORIGINS', {
    doc: "the shops' origins, comma-separated, as browsers send them: `https://shop.example`",
    read: readOrigins,
    inProduction: plainOrigins,
  })
  origins: readonly string[];

  @Env('MERCHANTS_FILE', {
    doc: 'the merchants; the ids of their `apiKeys` are served',
    default: 'config/merchants.demo.json',
    file: true,
    read: loadMerchants,
    inProduction: merchantsInProduction,
  })
  merchants: Merchants;

  @Env('REQUESTS_PER_MINUTE_PER_ADDRESS', {
    doc: 'requests of an address (IPv6: of a /64) that are answered per minute, whatever they are',
    default: 300,
  })
  @Min(1)
  @Max(1_000_000_000)
  requestsPerMinutePerAddress: number;

  @Env('REQUESTS_PER_MINUTE_PER_ORIGIN', {
    doc: 'the same of the pages of one origin, from all addresses together',
    default: 30_000,
  })
  @Min(1)
  @Max(1_000_000_000)
  requestsPerMinutePerOrigin: number;

  @Env('REDIS_URL', {
    doc: 'where all instances count requests and remember keys; without it each does so by itself, until it ends',
    optional: true,
    secret: true,
    protocols: ['redis', 'rediss'],
  })
  redisUrl?: URL;

  @Env('REDIS_KEY_PREFIX', { doc: 'what the names of the entries begin with', default: 'tranche:cse:' })
  redisKeyPrefix: string;

  @Env('REDIS_ANSWER_MS', {
    doc: 'how long Redis may take to say which bytes a key id stands for, milliseconds, 50 to 10000; then it counts as away',
    default: 500,
  })
  @Min(50)
  @Max(10_000)
  redisAnswerMs: number;

  @Env('KAFKA_BROKERS', { doc: 'host:port, comma-separated', default: ['127.0.0.1:9092'] })
  @ArrayMinSize(1)
  @AreBrokers()
  kafkaBrokers: string[];

  @Env('TOPICS', {
    doc: '`create` the topic if it is missing, or `check`: production mode, which says what is wrong with it and refuses whatever only a demo may do',
    default: 'create',
  })
  @IsIn(['create', 'check'])
  topics: 'create' | 'check';

  get kafka(): Pick<KafkaSettings, 'brokers' | 'ssl' | 'sasl'> {
    return { brokers: this.kafkaBrokers, ...this.kafkaSecurity };
  }

  /** Over plain HTTP an attacker on the network can replace the key in the answer. */
  check(): ConfigFault[] {
    const { protocol, hostname } = this.keysUrl;
    if (protocol === 'https:' || isLoopback(hostname) || this.keyPins !== undefined || this.allowsHttpKeys) return [];
    const message =
      'must start with https://, or whoever is on the way can hand out a key of their own. ' +
      'Or list the keys in CSE_KEY_PINS; for development set ALLOW_HTTP_KEYS=true';
    return [{ name: 'CSE_KEYS_URL', message }];
  }
}

/** Reads comma-separated origins, each exactly as a browser sends it. No wildcards. */
export function readOrigins(text: string): string[] {
  return text.split(',').map((item) => {
    const origin = item.trim();
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(
        'has an entry that is not an origin. Use scheme://host or scheme://host:port, without a path, as in https://shop.example',
      );
    }
    return origin;
  });
}

function plainOrigins(origins: readonly string[]): string[] {
  const isPlain = (origin: string) => origin.startsWith('http:') && !isLoopback(new URL(origin).hostname);
  return origins.some(isPlain) ? ['has an origin without https://: anybody on the way can change its pages'] : [];
}

function readPins(text: string): ReadonlySet<string> {
  const pins = text.split(',').map((pin) => pin.trim().toLowerCase());
  if (pins.some((pin) => !/^[0-9a-f]{64}$/.test(pin)))
    throw new Error('has an entry that is not 64 hexadecimal digits');
  return new Set(pins);
}

import { ArrayMinSize, IsIn, IsOptional, Max, Min } from 'class-validator';
import { openEntriesFile } from '@tranche/contracts';
import type { KafkaSettings } from '@tranche/kafka';
import { AreBrokers, Env, KafkaConfig, type ChecksItself, type ConfigFault } from '@tranche/service-kit';
import { readAccounts, type Accounts } from './accounts.js';
import { EntryKey, readEncryptionKey } from './entry-key.js';

export class AuthConfig extends KafkaConfig implements ChecksItself {
  @Env('PORT', { doc: 'the port of the API', default: 4030 })
  @Min(0)
  @Max(65_535)
  port: number;

  @Env('MANAGEMENT_PORT', { doc: 'the port of health and metrics', default: 4130 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('AUTH_URL', {
    doc: 'the token API, {auth_url} of the interface; https outside development, for secrets travel there',
    fromFile: true,
  })
  authUrl: URL;

  @Env('AUTH_TIMEOUT_MS', { doc: 'one call of the token API in all, milliseconds', default: 5_000 })
  @Min(100)
  @Max(60_000)
  authTimeoutMs: number;

  @Env('ACCOUNTS_FILE', {
    doc: 'JSON file of accounts and callers, for example config/accounts.demo.json',
    file: true,
    read: loadAccounts,
  })
  accounts: Accounts;

  @Env('TOKEN_ENCRYPTION_KEY', {
    doc: '32 random bytes in base64 that encrypt the cached tokens, the same for all replicas',
    secret: true,
    read: readEncryptionKey,
  })
  encryptionKey: Buffer;

  @Env('REDIS_URL', {
    doc: "Redis of the token cache, redis:// or rediss://; another database than the gateway's index",
    secret: true,
    protocols: ['redis', 'rediss'],
  })
  redisUrl: URL;

  @Env('REDIS_KEY_PREFIX', { doc: 'what the names of the entries begin with', default: 'tranche:auth:' })
  redisKeyPrefix: string;

  @Env('REDIS_ANSWER_MS', {
    doc: 'a command of Redis that takes longer counts as failed, milliseconds; 100 to 4000',
    default: 1_000,
  })
  @Min(100)
  @Max(4_000)
  redisAnswerMs: number;

  @Env('ALLOW_PASSWORD_GRANT', {
    doc: 'true lets accounts use the password grant; needs an https `AUTH_URL`. Such tokens are never kept',
    default: false,
  })
  allowsPasswordGrant: boolean;

  @Env('REFUSAL_SECONDS', {
    doc: 'how long a refusal of the token API is answered without asking again; 0: not at all',
    default: 10,
  })
  @Min(0)
  @Max(300)
  refusalSeconds: number;

  @Env('REFUSED_INTERVAL_SECONDS', {
    doc: 'how old a token that replaced a refused one must be before it is replaced too; 0: no limit',
    default: 5,
  })
  @Min(0)
  @Max(300)
  refusedIntervalSeconds: number;

  @Env('REALM_SECONDS', { doc: 'how long a discovered realm path counts, seconds', default: 3_600 })
  @Min(1)
  @Max(86_400)
  realmSeconds: number;

  @Env('KAFKA_BROKERS', { doc: 'host:port, comma-separated; without it no events are announced', optional: true })
  @IsOptional()
  @ArrayMinSize(1)
  @AreBrokers()
  kafkaBrokers?: string[];

  @Env('TOPICS', {
    doc: 'create: create missing topics; check: production mode, which says what is wrong with topics and refuses whatever only a demo may do',
    default: 'create',
  })
  @IsIn(['create', 'check'])
  topics: 'create' | 'check';

  #entryKey?: EntryKey;

  get entryKey(): EntryKey {
    return (this.#entryKey ??= new EntryKey(this.encryptionKey));
  }

  /** If undefined, no events are announced. */
  get kafka(): Pick<KafkaSettings, 'brokers' | 'ssl' | 'sasl'> | undefined {
    return this.kafkaBrokers && { brokers: this.kafkaBrokers, ...this.kafkaSecurity };
  }

  /** The password grant sends a person's password, so it is allowed on purpose only, and over HTTPS only. */
  check(): ConfigFault[] {
    const { all, ofUsers } = this.accounts;
    const withPassword = [...all, ...ofUsers].filter(({ grant }) => grant === 'password').map(({ account }) => account);
    if (withPassword.length === 0) return [];
    const faults: ConfigFault[] = [];
    if (!this.allowsPasswordGrant) {
      const message = `is off, and these accounts use the password grant: ${withPassword.join(', ')}. Set it to true or change the accounts`;
      faults.push({ name: 'ALLOW_PASSWORD_GRANT', message });
    }
    if (this.authUrl.protocol !== 'https:') {
      faults.push({ name: 'AUTH_URL', message: 'must start with https:// when an account uses the password grant' });
    }
    return faults;
  }
}

/** Paths of secret files are relative to the accounts file. */
export function loadAccounts(path: string): Accounts {
  const { document, readFile } = openEntriesFile(path);
  return readAccounts(document, readFile);
}

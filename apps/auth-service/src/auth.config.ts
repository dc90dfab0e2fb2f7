import { Max, Min } from 'class-validator';
import { Env, type ChecksItself, type ConfigFault } from '@tranche/service-kit';
import { type Accounts } from './accounts.js';
import { loadAccounts } from './accounts.config.js';
import { readEncryptionKey, type TokenKeys } from './token-keys.js';

export class AuthConfig implements ChecksItself {
  @Env('PORT', { doc: 'the port of the API', default: 4030 })
  @Min(0)
  @Max(65_535)
  port: number;

  @Env('MANAGEMENT_PORT', { doc: 'the port of health and metrics', default: 4130 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('AUTH_URL', { doc: "the token API's address, {auth_url} of the interface" })
  authUrl: URL;

  @Env('AUTH_TIMEOUT_MS', { doc: 'how long one call of the token API may take in all, milliseconds', default: 5_000 })
  @Min(100)
  @Max(60_000)
  authTimeoutMs: number;

  @Env('ACCOUNTS_FILE', {
    doc: 'the JSON file of accounts and callers, for example config/accounts.demo.json',
    file: true,
    read: loadAccounts,
  })
  accounts: Accounts;

  @Env('TOKEN_ENCRYPTION_KEY', { doc: '32 random bytes in base64 that encrypt the cached tokens', secret: true, read: readEncryptionKey })
  keys: TokenKeys;

  @Env('REDIS_URL', { doc: "the token cache's Redis, redis:// or rediss://", secret: true, protocols: ['redis', 'rediss'] })
  redisUrl: URL;

  @Env('REDIS_KEY_PREFIX', { doc: 'what the names of the entries begin with', default: 'tranche:auth:' })
  redisKeyPrefix: string;

  @Env('ALLOW_PASSWORD_GRANT', { doc: 'true to let accounts use the password grant', default: false })
  allowsPasswordGrant: boolean;

  check(): ConfigFault[] {
    const withPassword = this.accounts.all.filter(({ grant }) => grant === 'password').map(({ account }) => account);
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

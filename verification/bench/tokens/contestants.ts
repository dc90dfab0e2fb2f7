import { randomBytes } from 'node:crypto';
import { startOurs, type Contestant } from '../duel.js';
import { ownFile, type Infrastructure } from '../stage.js';

export const ACCOUNT = 'bench';
export const SERVICE_KEY = 'bench-service-key-of-no-value-0001';
export const path = '/v1/tokens';
export const headers = { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' };

/** Redis keys and the encryption key of one measurement. */
export class TokenStage {
  readonly prefix = `bench-${randomBytes(4).toString('hex')}:`;
  readonly #encryptionKey = randomBytes(32).toString('base64');

  constructor(private readonly infrastructure: Infrastructure) {}

  /** Starts the shipped auth-service without events. */
  startAuthService(authUrl: string): Promise<Contestant> {
    const env = {
      AUTH_URL: authUrl,
      ACCOUNTS_FILE: accountsFile(),
      TOKEN_ENCRYPTION_KEY: this.#encryptionKey,
      REDIS_URL: this.infrastructure.redisUrl,
      REDIS_KEY_PREFIX: this.prefix,
    };
    return startOurs({ app: 'auth-service', path, optionsVariable: 'AUTH_NODE_OPTIONS', env });
  }
}

/** There are two callers, so that the service compares more than one key. */
function accountsFile(): string {
  const account = {
    account: ACCOUNT,
    grant: 'client_credentials',
    clientId: 'bench',
    clientSecret: 'of-no-value',
    scope: '/realms/bench',
  };
  const caller = { caller: 'bench', key: SERVICE_KEY, accounts: [ACCOUNT] };
  const other = { caller: 'other', key: `${SERVICE_KEY}-other`, accounts: [] };
  return ownFile('accounts.json', { accounts: [account], callers: [other, caller] });
}

import { randomBytes } from 'node:crypto';
import { startAnswering } from './answering-api.js';
import type { Bench, Context } from './bench.js';
import { duelRow, loadOf, startOurs, startPeer, takeTurns, type Contestant } from './duel.js';
import type { Row } from './report.js';
import { ownFile, Stage } from './stage.js';

const COUNT = 60_000;
const ACCOUNT = 'bench';
const SERVICE_KEY = 'bench-service-key-of-no-value-0001';
const path = '/v1/tokens';
const headers = { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' };
const body = JSON.stringify({ account: ACCOUNT });

/** Measures handing out a cached token, against an ordinary Nest controller with a validation pipe and one Redis GET. */
export const tokens: Bench = {
  name: 'tokens',
  parts: [{ name: 'read', run: read }],
};

async function read(context: Context): Promise<Row[]> {
  const { redisUrl, log, commands: count = COUNT } = context;
  await using stage = await Stage.open(context);
  let calls = 0;
  using api = await startAnswering(() => grant(++calls));
  const env = {
    AUTH_URL: api.url,
    ACCOUNTS_FILE: accountsFile(),
    TOKEN_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: stage.prefix,
  };
  let answer = '';
  const taken = await takeTurns({
    starts: [
      () => startOurs('auth-service', env),
      async ([ours]) => {
        // The peer answers as many bytes as ours.
        answer = await oneAnswer(ours!);
        const ofPeer = { REDIS_URL: redisUrl, REDIS_KEY: `${stage.prefix}peer`, ACCOUNT, VALUE: answer };
        return startPeer('nest-redis-get', ofPeer);
      },
    ],
    // The digits of a token's lifetime may vary.
    round: (contestant) =>
      loadOf(count, {
        requests: [{ method: 'POST', path, headers, body }],
        right: `(?=.*"tokenType":"Bearer").{${answer.length - 8},${answer.length + 8}}`,
      })(contestant),
    ...{ log, lives: 5 },
  });
  return [duelRow(taken, 'read', 'tokens/s', { atLeast: 0.9, times: 'nest-redis-get' })];
}

/** There are two callers, so that the service compares more than one key. */
function accountsFile(): string {
  const client = {
    grant: 'client_credentials',
    clientId: 'bench',
    clientSecret: 'of-no-value',
    scope: '/realms/bench',
  };
  const caller = { caller: 'bench', key: SERVICE_KEY, accounts: [ACCOUNT] };
  const other = { caller: 'other', key: `${SERVICE_KEY}-other`, accounts: [] };
  return ownFile('accounts.json', { accounts: [{ account: ACCOUNT, ...client }], callers: [other, caller] });
}

/** Each call is answered with another token. It is as long as one with an RS256 signature, so it has about a kilobyte. */
function grant(number: number): string {
  const [iat, lifetime] = [1_700_000_000, 43_200];
  const claims = { iss: 'bench', jti: number, iat, exp: iat + lifetime, roles: 'r'.repeat(300) };
  const parts = [JSON.stringify({ alg: 'RS256', typ: 'JWT' }), JSON.stringify(claims), Buffer.alloc(256, number)];
  const token = parts.map((part) => Buffer.from(part as string).toString('base64url')).join('.');
  return JSON.stringify({ access_token: token, expires_in: lifetime, refresh_expires_in: 0, token_type: 'Bearer' });
}

async function oneAnswer({ process }: Contestant): Promise<string> {
  const response = await fetch(process.url + path, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`auth-service gave no token: HTTP ${response.status}`);
  return response.text();
}

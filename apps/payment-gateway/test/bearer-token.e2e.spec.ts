import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPartnerAAuthorization, infrastructure, startApp, startSimulator, type RunningApp } from '@tranche/testing';
import { startOwnGateway, type GatewayStack, type Ledger } from './gateway-stack.js';

const KEY = 'service-key-of-the-gateway-in-this-spec';
let folder: string;
let tokenApi: RunningApp;
let auth: RunningApp;
let stack: GatewayStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tranche-spec-'));
  const accountsFile = join(folder, 'accounts.json');
  const account = {
    account: 'tranche-demo',
    grant: 'client_credentials',
    clientId: 'spec',
    clientSecret: 'spec-secret',
    scope: '/realms/demo',
  };
  await writeFile(
    accountsFile,
    JSON.stringify({
      accounts: [account],
      callers: [{ caller: 'payment-gateway', key: KEY, accounts: ['tranche-demo'] }],
    }),
  );
  tokenApi = await startSimulator({ ACCOUNTS_FILE: accountsFile });
  const encryptionKey = Buffer.alloc(32, 7).toString('base64');
  auth = await startApp('auth-service', {
    ACCOUNTS_FILE: accountsFile,
    AUTH_URL: tokenApi.url,
    REDIS_URL: infrastructure().redisUrl,
    TOKEN_ENCRYPTION_KEY: encryptionKey,
  });
  stack = await startOwnGateway({ AUTH_SERVICE_URL: auth.url, AUTH_SERVICE_KEY: KEY, PAYMENT_URL: tokenApi.url });
});
afterAll(async () => {
  await Promise.all([stack?.stop(), auth?.stop(), tokenApi?.stop(), rm(folder, { recursive: true })]);
});

/** Answers to each call of the order at the token-checking platform of this spec. */
const answersTo = async (orderId: string) =>
  ((await (await fetch(`${tokenApi.url}/simulator/ledger?orderId=${orderId}`)).json()) as Ledger).calls.map(
    ({ answered }) => answered,
  );

it('calls the platform with a token of auth-service where the merchant has an account, and renews one that was refused [Service.1.header] [Authentication.2]', async () => {
  await stack.send('payment.authorize', aPartnerAAuthorization({ merchant: 'shop-auth', orderId: 'bearer-1' }));
  await stack.event('bearer-1', 'payment.authorize.redirect_required');
  expect(await answersTo('bearer-1')).toEqual(['0002']);

  await fetch(`${tokenApi.url}/simulator/access-tokens`, { method: 'DELETE' });
  await stack.send('payment.authorize', aPartnerAAuthorization({ merchant: 'shop-auth', orderId: 'bearer-2' }));
  const renewed = await stack.event('bearer-2', 'payment.authorize.redirect_required');
  expect(await answersTo('bearer-2')).toEqual(['unauthorized', '0002']);
  expect(renewed.data.attempt).toBeGreaterThanOrEqual(2);
}, 120_000);

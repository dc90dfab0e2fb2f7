/** `node apps/auth-service/dist/check/main.js [--json]` with the service's settings: checks each account with the token API. */
import 'reflect-metadata';
import { reasonOf } from '@tranche/runtime';
import { ConfigError, createLogger, loadConfig, Metrics } from '@tranche/service-kit';
import type { Account } from '../accounts.js';
import { AuthEvents, TokenIssuer } from '../token-api/token-issuer.service.js';
import { AuthConfig } from '../auth.config.js';
import { TokenApiClient } from '../token-api/token-api.client.js';

const isJson = process.argv.slice(2).includes('--json');

process.exitCode = await main();

async function main(): Promise<number> {
  let config: AuthConfig;
  try {
    config = loadConfig(AuthConfig);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { name, message } of error.faults) process.stderr.write(`${name}: ${message}\n`);
    return 78;
  }
  const name = 'auth-service-check';
  const api = new TokenApiClient(config, createLogger({ name, level: 'silent' }), new Metrics(name));
  const issuer = new TokenIssuer(config, api, new AuthEvents(undefined));
  let faults = 0;
  // One account at a time, because too many requests may lock an account out.
  for (const account of config.accounts.all) {
    const reason = await faultOf(account, api, issuer);
    if (reason !== undefined) faults++;
    const checked = { account: account.account, ok: reason === undefined, reason };
    console.log(isJson ? JSON.stringify(checked) : `${account.account}: ${reason ?? 'good'}`);
  }
  await api.onApplicationShutdown();
  return faults === 0 ? 0 : 1;
}

/** The reason why the token API issues no token, or does not accept it at GET /iam/identities/my; never contains a secret. */
async function faultOf(account: Account, api: TokenApiClient, issuer: TokenIssuer): Promise<string | undefined> {
  let isIssued = false;
  try {
    const token = await issuer.ask(account, (discoverer) => api.askForToken(discoverer));
    isIssued = true;
    await api.checkIdentity(account, token);
    return undefined;
  } catch (error) {
    return isIssued ? `a token was given, but GET /iam/identities/my: ${reasonOf(error)}` : reasonOf(error);
  }
}

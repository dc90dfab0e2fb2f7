/** `node apps/auth-service/dist/check/main.js [--json]` with the service's settings: checks each account with the token API. */
import 'reflect-metadata';
import { ConfigError, createLogger, loadConfig, Metrics } from '@tranche/service-kit';
import { AuthConfig } from '../auth.config.js';
import { RealmService } from '../token-api/realm.service.js';
import { TokenApiClient } from '../token-api/token-api.client.js';
import { checkAccounts } from './check-accounts.js';

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
  const api = new TokenApiClient(
    config,
    createLogger({ name: 'auth-service-check', level: 'silent' }),
    new Metrics('auth-service-check'),
  );
  const checked = await checkAccounts(config.accounts.all, api, new RealmService(config, api));
  await api.onApplicationShutdown();
  for (const one of checked) console.log(isJson ? JSON.stringify(one) : `${one.account}: ${one.reason ?? 'good'}`);
  return checked.every(({ ok }) => ok) ? 0 : 1;
}

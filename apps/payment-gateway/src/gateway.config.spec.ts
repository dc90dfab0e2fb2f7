import { ConfigError, loadConfig } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(GatewayConfig, { AUTH_SERVICE_KEY: 'key', ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
}

it.each([
  ['the defaults', {}, []],
  ['times that are far enough apart', { LOOKUP_AFTER_MS: '1000,2000,3000', LOOKUP_TIMEOUT_MS: '500' }, []],
  ['times that are too near', { LOOKUP_AFTER_MS: '1000,2000,3000', LOOKUP_TIMEOUT_MS: '501' }, ['LOOKUP_AFTER_MS']],
  ['a first time that is too early', { LOOKUP_AFTER_MS: '999,60000', LOOKUP_TIMEOUT_MS: '500' }, ['LOOKUP_AFTER_MS']],
  ['no times', { LOOKUP_AFTER_MS: 'never' }, ['LOOKUP_AFTER_MS']],
])('look-up: %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

it.each([
  ['the newest', {}, []],
  ['the one before', { RULES_VERSION: '1' }, []],
  ['none that this release does not read', { RULES_VERSION: '3' }, ['RULES_VERSION']],
])('rules version: %s', (_, env, faults) => {
  expect(faultsOf(env)).toEqual(faults);
});

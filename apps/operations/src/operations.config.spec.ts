import { ConfigError, loadConfig } from '@tranche/service-kit';
import { OperationsConfig } from './operations.config.js';

const ISSUER = {
  OPERATORS_OIDC_ISSUER: 'https://id.example/realms/shop',
  OPERATORS_OIDC_AUDIENCE: 'payments',
  OPERATORS_OIDC_ROLES: 'ops=operator',
};
const CLIENT = { OPERATORS_OIDC_CLIENT_ID: 'tranche-page' };

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(OperationsConfig, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
}

it.each([
  ['a client of the issuer', { ...ISSUER, ...CLIENT }, []],
  ['a client of no issuer', CLIENT, ['OPERATORS_OIDC_CLIENT_ID']],
  ['further scopes', { ...ISSUER, ...CLIENT, OPERATORS_OIDC_SCOPE: 'openid api://payments/operate' }, []],
  ['a scope without a sign-in', { ...ISSUER, ...CLIENT, OPERATORS_OIDC_SCOPE: 'profile' }, ['OPERATORS_OIDC_SCOPE']],
])('the page’s sign-in: %s', (_, env, faults) => expect(faultsOf(env)).toEqual(faults));

it('tells the page its client only where there is one', () => {
  expect(loadConfig(OperationsConfig, ISSUER).pageSignIn).toBeUndefined();
  expect(loadConfig(OperationsConfig, { ...ISSUER, ...CLIENT }).pageSignIn).toEqual({
    ...{ issuer: 'https://id.example/realms/shop', clientId: 'tranche-page', scope: 'openid' },
  });
});

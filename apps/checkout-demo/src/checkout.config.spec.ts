import { ConfigError, loadConfig } from '@tranche/service-kit';
import { CheckoutConfig } from './checkout.config.js';

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(CheckoutConfig, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
}

it.each([
  ['nothing but the defaults', {}, []],
  ['a Spanish account', { MARKET: 'ES' }, []],
  ['a market that there is not', { MARKET: 'DE' }, ['MARKET']],
  ['addresses that are none', { TOKENIZER_URL: 'tokenizer', CSE_KEYS_URL: 'keys' }, ['CSE_KEYS_URL', 'TOKENIZER_URL']],
  ['an id of no API key', { API_KEY_ID: 'short' }, ['API_KEY_ID']],
])('settings of the shop: %s', (_what, env, faults) => {
  expect(faultsOf(env).sort()).toEqual(faults);
});

it('keeps the addresses of the encryption services as they are given', () => {
  const tokenizer = 'https://tokenizer.example/v2/exchange?shop=7';
  expect(loadConfig(CheckoutConfig, { TOKENIZER_URL: tokenizer }).tokenizerUrl.href).toBe(tokenizer);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CardEncryptionError, type CardEncryptionErrorCode } from './index.js';

/** A missing or unknown code is a compile error. */
const CODES: Record<CardEncryptionErrorCode, true> = {
  not_https: true,
  no_crypto_api: true,
  invalid_options: true,
  invalid_card: true,
  card_refused: true,
  key_unavailable: true,
  tokenizer_unavailable: true,
  timed_out: true,
  cancelled: true,
};

it('the README documents the codes, all and only those', () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## When it fails'));
  const documented = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
  expect(documented.sort()).toEqual(Object.keys(CODES).sort());
});

it.each(Object.keys(CODES) as CardEncryptionErrorCode[])('%s is an error with a text of its own', (code) => {
  const error = new CardEncryptionError(code);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'CardEncryptionError', code });
  expect(error.message).not.toBe('');
});

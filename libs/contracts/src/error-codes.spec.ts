import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, isFaultCode } from './error-codes.js';

it('docs/reference/fault-codes.md lists exactly these codes, in this order', () => {
  const document = readFileSync(join(__dirname, '../../../docs/reference/fault-codes.md'), 'utf8');
  const listed = document
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replace(/ +\|/g, ' |'));
  expect(listed).toEqual(
    Object.entries(ERROR_CODES).map(([code, { kind, meaning }]) => `| \`${code}\` | ${kind} | ${meaning} |`),
  );
});

it('writes codes in snake case and meanings as sentences', () => {
  for (const [code, { meaning }] of Object.entries(ERROR_CODES)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(meaning).toMatch(/^\S.*\.$/);
  }
});

it('does not take inherited names for codes', () => {
  expect(isFaultCode('required')).toBe(true);
  expect(isFaultCode('toString')).toBe(false);
  expect(isFaultCode('__proto__')).toBe(false);
});

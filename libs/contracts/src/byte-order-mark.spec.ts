import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTextFile, withoutByteOrderMark } from './validation/texts.js';

const TEXT = '{"é":"𝔘"}';
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

it.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
  ['UTF-16 of the other order', utf16be(`\ufeff${TEXT}`)],
])('%s is read as the same text', (_what, bytes) => expect(withoutByteOrderMark(bytes).toString('utf8')).toBe(TEXT));

it('only one mark is dropped, and only in front', () =>
  expect(withoutByteOrderMark(Buffer.from('\ufeff\ufeffa\ufeff')).toString('utf8')).toBe('\ufeffa\ufeff'));

it('a file is read without the mark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-mark-'));
  const file = join(folder, 'file');
  writeFileSync(file, '\ufeffsecret\r\n');
  expect(readTextFile(file)).toBe('secret\r\n');
  rmSync(folder, { recursive: true });
});

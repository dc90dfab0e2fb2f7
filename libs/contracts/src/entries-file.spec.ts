import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEntriesFile, withSecretsFromFiles } from './entries-file.js';
import type { Fault } from './error-codes.js';

it('a file of entries, and the files it names, may begin with a byte order mark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-entries-'));
  for (const [name, text] of [['list', '[1]'], ['key', 'secret']] as const) writeFileSync(join(folder, name), `\ufeff${text}`); // prettier-ignore
  const { document, readFile } = openEntriesFile(join(folder, 'list'));
  expect([document, readFile('key')]).toEqual([[1], 'secret']);
  rmSync(folder, { recursive: true });
});

describe('secrets of an entry', () => {
  function read(entry: object, files: Record<string, string> = {}) {
    const faults: Pick<Fault, 'path' | 'message'>[] = [];
    const readFile = (path: string) => {
      const content = files[path];
      if (content === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' });
      return content;
    };
    const secrets = withSecretsFromFiles({ ...entry }, ['key'], '[0]', readFile, faults);
    return { secrets, faults: faults.map(({ path, message }) => `${path} ${message}`) };
  }

  it('come from the files that it names, without their last line break', () =>
    expect(read({ name: 'a', keyFile: 'f' }, { f: 'secret\r\n' })).toEqual({
      secrets: { name: 'a', key: 'secret' },
      faults: [],
    }));

  it('stay as they are where it names no file', () =>
    expect(read({ key: 'secret' })).toEqual({ secrets: { key: 'secret' }, faults: [] }));

  it.each([
    ['a file that is not there', { keyFile: 'f' }, '[0].keyFile cannot be read (ENOENT)'],
    ['a file whose name is no text', { keyFile: 1 }, '[0].keyFile must be a text'],
    ['both', { key: 'secret', keyFile: 'f' }, '[0].keyFile stands beside key: give one of them'],
  ])('of %s are one fault: the entry has a key all the same', (_what, entry, fault) => {
    const { secrets, faults } = read(entry);
    expect(faults).toEqual([fault]);
    expect(secrets).toEqual({ key: expect.any(String) as string });
  });
});

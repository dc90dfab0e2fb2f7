import { deflateRawSync } from 'node:zlib';
import { readZipEntry, zipEntries } from './zip.mjs';

/** An archive of files, each stored or deflated. */
function zipOf(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, content, method } of files) {
    const stored = method === 8 ? deflateRawSync(content) : content;
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    parts.push(header, Buffer.from(name), stored);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(stored.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + stored.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const text = Buffer.from('the same line again and again\n'.repeat(50));
const archive = zipOf([
  { name: 'stored.txt', content: text, method: 0 },
  { name: 'folder/deflated.txt', content: text, method: 8 },
]);

it('lists what is in it', () => {
  expect(zipEntries(archive).map(({ name, size }) => [name, size])).toEqual([
    ['stored.txt', text.length],
    ['folder/deflated.txt', text.length],
  ]);
});

it.each([0, 1])('reads entry %i, stored or deflated', (index) => {
  expect(readZipEntry(archive, zipEntries(archive)[index]).equals(text)).toBe(true);
});

it('refuses what is no archive, a damaged one, and a method it does not know', () => {
  expect(() => zipEntries(Buffer.from('a text that is long enough'))).toThrow('not a zip archive');
  const [stored] = zipEntries(archive);
  expect(() => readZipEntry(archive, { ...stored, offset: 3 })).toThrow('stored.txt is damaged');
  expect(() => readZipEntry(archive, { ...stored, method: 12 })).toThrow('method 12');
  expect(() => readZipEntry(archive, { ...stored, compressedSize: 5 })).toThrow(`5 bytes instead of ${text.length}`);
});

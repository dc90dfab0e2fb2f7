/** Just enough of the zip format to take one file out of a jar. */
import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_SIZE = 22;

/** The directory at the end of the archive: name, method, sizes and place of every entry. */
export function zipEntries(archive) {
  let end = archive.length - END_SIZE;
  while (end >= 0 && archive.readUInt32LE(end) !== END_OF_DIRECTORY) end -= 1;
  if (end < 0) throw new Error('not a zip archive: no end of directory');
  const count = archive.readUInt16LE(end + 10);
  let position = archive.readUInt32LE(end + 16);
  return Array.from({ length: count }, () => {
    if (archive.readUInt32LE(position) !== DIRECTORY_ENTRY) throw new Error('zip directory is damaged');
    const nameLength = archive.readUInt16LE(position + 28);
    const entry = {
      name: archive.toString('utf8', position + 46, position + 46 + nameLength),
      method: archive.readUInt16LE(position + 10),
      compressedSize: archive.readUInt32LE(position + 20),
      size: archive.readUInt32LE(position + 24),
      offset: archive.readUInt32LE(position + 42),
    };
    position += 46 + nameLength + archive.readUInt16LE(position + 30) + archive.readUInt16LE(position + 32);
    return entry;
  });
}

export function readZipEntry(archive, { name, method, compressedSize, size, offset }) {
  if (archive.readUInt32LE(offset) !== LOCAL_HEADER) throw new Error(`zip entry ${name} is damaged`);
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  const stored = archive.subarray(start, start + compressedSize);
  if (method !== 0 && method !== 8) throw new Error(`zip entry ${name}: compression method ${method} is not supported`);
  const bytes = method === 0 ? stored : inflateRawSync(stored);
  if (bytes.length !== size) throw new Error(`zip entry ${name}: ${bytes.length} bytes instead of ${size}`);
  return bytes;
}

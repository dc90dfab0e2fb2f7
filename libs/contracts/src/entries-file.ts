import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fault, joinPath, type Fault } from './faults.js';

/** Every fault of a file of merchants, accounts or operators at once; none repeats a value. */
export class EntriesFileError extends Error {
  override readonly name = 'EntriesFileError';

  constructor(
    readonly faults: readonly Pick<Fault, 'path' | 'message'>[],
    file = '',
  ) {
    const texts = faults.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
    super(`${file === '' ? '' : `${file}: `}${texts.join('; ')}`);
  }
}

/** Gives the content of a file that an entry names. */
export type ReadFile = (path: string) => string;

/** What the file holds, and a reader of the files that it names: their paths are relative to it. */
export function openEntriesFile(file: string): { document: unknown; readFile: ReadFile } {
  const readFile: ReadFile = (path) => readFileSync(resolve(dirname(file), path), 'utf8');
  try {
    return { document: JSON.parse(readFileSync(file, 'utf8')), readFile };
  } catch (cause) {
    // The parser's message repeats parts of the file.
    const reason = errorCode(cause) === undefined ? 'is not JSON' : `cannot be read (${errorCode(cause)})`;
    throw new EntriesFileError([fault('', 'unreadable_file', reason)], file);
  }
}

/** The entry with the secrets of the files that it names: `keyFile` instead of `key`. A file ends with a line break or not. */
export function withSecretsFromFiles(
  entry: Readonly<Record<string, unknown>>,
  names: readonly string[],
  path: string,
  readFile: ReadFile,
  faults: Pick<Fault, 'path' | 'message'>[],
): Record<string, unknown> {
  const read: Record<string, unknown> = { ...entry };
  for (const name of names) {
    const file = entry[`${name}File`];
    if (file === undefined) continue;
    delete read[`${name}File`];
    const where = joinPath(path, `${name}File`);
    if (entry[name] !== undefined) faults.push(fault(where, 'duplicate', `stands beside ${name}: give one of them`));
    else read[name] = secretOf(file, where, readFile, faults);
  }
  return read;
}

function secretOf(file: unknown, where: string, readFile: ReadFile, faults: Pick<Fault, 'path' | 'message'>[]): string {
  try {
    if (typeof file === 'string') return readFile(file).replace(/\r?\n$/, '');
    faults.push(fault(where, 'type', 'must be a text'));
  } catch (cause) {
    faults.push(fault(where, 'unreadable_file', `cannot be read (${errorCode(cause) ?? 'unknown reason'})`));
  }
  // One fault is enough: this is long enough for a key and stands in one entry only, so none is found missing, short or repeated as well.
  return `unread:${where}`.padEnd(64, '.');
}

/** `ENOENT` and the like; JSON.parse gives none. */
function errorCode(cause: unknown): string | undefined {
  const { code } = (typeof cause === 'object' && cause !== null ? cause : {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

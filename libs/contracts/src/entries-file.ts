import { dirname, resolve } from 'node:path';
import { parseJsonWithNames, type RepeatedName } from './validation/json-names.js';
import { readTextFile } from './validation/texts.js';
import { fault, joinPath, type Fault } from './error-codes.js';

/** All faults of a file of merchants, accounts or operators. No message contains a value, because values may be secrets. */
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

/** Returns the content of a file that an entry refers to. Throws if it cannot be read. */
export type ReadFile = (path: string) => string;

/**
 * Returns the content and a reader for files that it refers to, with paths relative to it.
 * @throws EntriesFileError if the file cannot be read, is not JSON, or has a name twice in one object
 */
export function openEntriesFile(file: string): { document: unknown; readFile: ReadFile } {
  const readFile: ReadFile = (path) => readTextFile(resolve(dirname(file), path));
  let read: { json: unknown; repeated: RepeatedName[] };
  try {
    read = parseJsonWithNames(readTextFile(file));
  } catch (cause) {
    // We leave out the parser's message, because it quotes parts of the file.
    const reason = errorCode(cause) === undefined ? 'is not JSON' : `cannot be read (${errorCode(cause)})`;
    throw new EntriesFileError([fault('', 'unreadable_file', reason)], file);
  }
  if (read.repeated.length > 0) throw new EntriesFileError(read.repeated, file);
  return { document: read.json, readFile };
}

/** Replaces each `keyFile` by `key` with the content of that file, without a final line break. Appends faults to `faults`. */
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
  // This placeholder is long enough for a key and unique, so that the unreadable file does not also cause faults for a missing, short or
  // duplicate key.
  return `unread:${where}`.padEnd(64, '.');
}

/** Code of a system error, for example `ENOENT`; undefined for an error of JSON.parse. */
function errorCode(cause: unknown): string | undefined {
  const { code } = (typeof cause === 'object' && cause !== null ? cause : {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

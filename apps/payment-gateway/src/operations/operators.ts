import { faultsOf, Secret } from '@tranche/service-kit';
import { plainToInstance } from 'class-transformer';
import { Matches, validateSync } from 'class-validator';

/** A person who may look orders up and end doubts. */
export interface Operator {
  operator: string;
  key: Secret;
}

export interface OperatorsFault {
  path: string;
  message: string;
}

/** Every fault at once; none repeats a value. */
export class OperatorsFileError extends Error {
  override readonly name = 'OperatorsFileError';

  constructor(readonly faults: readonly OperatorsFault[]) {
    super(faults.map(({ path, message }) => `${path} ${message}`).join('; '));
  }
}

class OperatorEntry {
  @Matches(/^[a-z0-9.-]{1,64}$/, { message: 'operator must be 1 to 64 lower-case letters, digits, dots and hyphens' })
  operator: string;

  /** Long enough that guessing it over the network is hopeless. */
  @Matches(/^[\x21-\x7e]{32,256}$/, { message: 'key must be 32 to 256 visible ASCII characters' })
  key: string;
}

/** `[{ "operator": "alice", "key" or "keyFile": "…" }]`; `readKey` gives the content of a key file. */
export function readOperators(document: unknown, readKey: (path: string) => string): Operator[] {
  if (!Array.isArray(document) || document.length === 0)
    throw new OperatorsFileError([{ path: '', message: 'must be a JSON list of operators' }]);
  const faults: OperatorsFault[] = [];
  const entries = document.map((raw: unknown, index) => entryOf(raw, `[${index}]`, readKey, faults));
  for (const field of ['operator', 'key'] as const) {
    entries.forEach((entry, index) => {
      const isRepeated =
        entry[field] !== undefined && entries.findIndex((other) => other[field] === entry[field]) < index;
      if (isRepeated) faults.push({ path: `[${index}].${field}`, message: 'is that of an earlier entry too' });
    });
  }
  if (faults.length > 0) throw new OperatorsFileError(faults);
  return entries.map(({ operator, key }) => ({ operator, key: new Secret(key) }));
}

function entryOf(
  raw: unknown,
  path: string,
  readKey: (path: string) => string,
  faults: OperatorsFault[],
): OperatorEntry {
  const { keyFile, ...fields } = (typeof raw === 'object' && raw !== null ? raw : {}) as { keyFile?: unknown };
  const entry = plainToInstance(OperatorEntry, fields);
  const isKeyUnread = keyFile !== undefined && !takeKeyFrom(keyFile, entry, path, readKey, faults);
  const errors = validateSync(entry, {
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false, value: false },
  });
  for (const fault of faultsOf(errors)) {
    if (!(isKeyUnread && fault.path === 'key')) faults.push({ path: `${path}.${fault.path}`, message: fault.message });
  }
  return entry;
}

/** False where the key could not be had: that is the fault, and not that it is missing. */
function takeKeyFrom(
  keyFile: unknown,
  entry: OperatorEntry,
  path: string,
  readKey: (path: string) => string,
  faults: OperatorsFault[],
): boolean {
  const where = `${path}.keyFile`;
  if (typeof keyFile !== 'string') faults.push({ path: where, message: 'must be a text' });
  else if (entry.key !== undefined) faults.push({ path: where, message: 'stands beside key: give one of them' });
  else {
    try {
      entry.key = readKey(keyFile).replace(/\r?\n$/, '');
      return true;
    } catch (error) {
      faults.push({
        path: where,
        message: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
      });
    }
  }
  return false;
}

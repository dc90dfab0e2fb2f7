import { Problem, faultsOf, Secret } from '@tranche/service-kit';
import {
  EntriesFileError,
  MERCHANT_PATTERN,
  withSecretsFromFiles,
  type Fault,
  type ReadFile,
} from '@tranche/contracts';
import { compact } from '@tranche/runtime';
import { plainToInstance } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsISO8601,
  Matches,
  ValidateIf,
  validateSync,
} from 'class-validator';

/** Ascending: each role includes the ones before it. */
export const OPERATOR_ROLES = ['viewer', 'operator', 'approver'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The person of a request, proved by key or by token. */
export interface OperatorIdentity {
  /** Name of the person in records. Two people are two names. */
  person: string;
  /** `person` is the name of a key's entry: the human behind it is unknown. */
  isPersonMissing?: true;
  role: OperatorRole;
  /** All merchants where it is absent. */
  merchants?: readonly string[];
}

export const hasRole = ({ role }: OperatorIdentity, needed: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);

export const mayAct = ({ merchants }: OperatorIdentity, merchant: string): boolean =>
  merchants === undefined || merchants.includes(merchant);

/** @throws Problem 403 */
export function assertMerchant(operator: OperatorIdentity, merchant: string): void {
  if (mayAct(operator, merchant)) return;
  const detail = 'This operator has other merchants.';
  throw new Problem({ status: 403, code: 'merchant_not_allowed', detail });
}

/** An entry of the operators file: a key and its holder's rights. */
export interface Operator extends OperatorIdentity {
  operator: string;
  key: Secret;
  /** The entry names no role: it may only read, and production mode refuses it. */
  isRoleMissing?: true;
  /** Expiry of the key. Milliseconds since the epoch. */
  notAfterMs?: number;
}

type OperatorsFault = Pick<Fault, 'path' | 'message'>;

const NAME = /^[a-z0-9.-]{1,64}$/;
const given = (field: keyof OperatorEntry) => ValidateIf((entry: OperatorEntry) => entry[field] !== undefined);

class OperatorEntry {
  @Matches(NAME, { message: 'operator must be 1 to 64 lower-case letters, digits, dots and hyphens' })
  operator: string;

  /** The key's owner, where a person has two keys for a while. */
  @given('person')
  @Matches(/^[\x21-\x7e]{1,128}$/, { message: 'person must be 1 to 128 visible ASCII characters' })
  person?: string;

  @given('role')
  @IsIn(OPERATOR_ROLES, { message: `role must be one of ${OPERATOR_ROLES.join(', ')}` })
  role?: OperatorRole;

  @given('merchants')
  @IsArray({ message: 'merchants must be a list of names of merchants' })
  @ArrayMinSize(1, { message: 'merchants must have a name; without the field it is all of them' })
  @ArrayMaxSize(1_000, { message: 'merchants must have 1000 names at most' })
  @Matches(MERCHANT_PATTERN, { each: true, message: 'merchants must be a list of names of merchants' })
  merchants?: string[];

  @given('notAfter')
  @IsISO8601({ strict: true }, { message: 'notAfter must be an RFC 3339 time-stamp' })
  @Matches(/^[\d-]{10}T[\d:.]{8,16}(?:Z|[+-]\d\d:\d\d)$/, { message: 'notAfter must have a time and an offset' })
  notAfter?: string;

  /** Long enough to make guessing over the network impossible. */
  @Matches(/^[\x21-\x7e]{32,256}$/, { message: 'key must be 32 to 256 visible ASCII characters' })
  key: string;
}

/** Parses `[{ "operator": "alice", "key" or "keyFile": "…", "role"?, "merchants"?, "notAfter"?, "person"? }]`. */
export function readOperators(document: unknown, readKey: ReadFile): Operator[] {
  if (!Array.isArray(document) || document.length === 0)
    throw new EntriesFileError([{ path: '', message: 'must be a JSON list of operators' }]);
  const faults: OperatorsFault[] = [];
  const entries = document.map((raw: unknown, index) => entryOf(raw, `[${index}]`, readKey, faults));
  for (const field of ['operator', 'key'] as const) {
    entries.forEach((entry, index) => {
      const isRepeated =
        entry[field] !== undefined && entries.findIndex((other) => other[field] === entry[field]) < index;
      if (isRepeated) faults.push({ path: `[${index}].${field}`, message: 'is that of an earlier entry too' });
    });
  }
  if (faults.length > 0) throw new EntriesFileError(faults);
  return entries.map(({ operator, key, person, role, merchants, notAfter }) => ({
    operator,
    person: person ?? operator,
    ...(person === undefined && { isPersonMissing: true as const }),
    key: new Secret(key),
    // Rights must be given explicitly: an operator without a role gets a 403, whereas an assumed role could let one person approve a payment
    // (docs/decisions/0075).
    role: role ?? 'viewer',
    ...(role === undefined && { isRoleMissing: true as const }),
    ...compact({ merchants, notAfterMs: notAfter === undefined ? undefined : Date.parse(notAfter) }),
  }));
}

/** Problems that production mode reports about entries without a role: an administrator must decide the rights of each key. */
export function rolesInProduction(operators: readonly Operator[]): string[] {
  return operators
    .filter(({ isRoleMissing }) => isRoleMissing)
    .map(({ operator }) => `role of ${operator} is missing: must be one of ${OPERATOR_ROLES.join(', ')}`);
}

function entryOf(raw: unknown, path: string, readKey: ReadFile, faults: OperatorsFault[]): OperatorEntry {
  const fields = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  const entry = plainToInstance(OperatorEntry, withSecretsFromFiles(fields, ['key'], path, readKey, faults));
  const errors = validateSync(entry, {
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false, value: false },
  });
  faults.push(...faultsOf(errors).map((fault) => ({ path: `${path}.${fault.path}`, message: fault.message })));
  return entry;
}

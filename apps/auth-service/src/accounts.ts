import { EntriesFileError, isPlainObject, withSecretsFromFiles, type Fault, type ReadFile } from '@tranche/contracts';
import { plainToInstance, Type } from 'class-transformer';
import {
  ArrayNotEmpty,
  Equals,
  IsArray,
  IsIn,
  IsString,
  Length,
  Matches,
  ValidateIf,
  ValidateNested,
  validateSync,
} from 'class-validator';
import { faultsOf, Secret } from '@tranche/service-kit';

const GRANTS = ['client_credentials', 'password'] as const;
const SECRET_FIELDS = ['clientSecret', 'password', 'key'];
const CREDENTIALS = ['clientId', 'clientSecret', 'username', 'password'] as const;

interface NamedAccount {
  account: string;
  /** The realm path. */
  scope?: string;
  /** The account whose token discovers the realm path. */
  scopeFrom?: string;
}

interface ClientCredentialsAccount extends NamedAccount {
  grant: 'client_credentials';
  clientId: string;
  clientSecret: Secret;
}

interface PasswordAccount extends NamedAccount {
  grant: 'password';
  username: string;
  password: Secret;
}

export type Account = ClientCredentialsAccount | PasswordAccount;

/** An account for users with their own credentials, which arrive with each request and are never stored. */
export interface UsersAccount extends NamedAccount {
  grant: 'password';
  ofUsers: true;
}

export interface Caller {
  caller: string;
  key: Secret;
  accounts: readonly string[];
}

export interface Accounts {
  readonly all: readonly Account[];
  readonly ofUsers: readonly UsersAccount[];
  readonly callers: readonly Caller[];
  byName(account: string): Account | undefined;
}

type AccountsFault = Pick<Fault, 'path' | 'message'>;

/** `readSecret` gives the content of a file that a `…File` field names. */
export function readAccounts(document: unknown, readSecret: ReadFile): Accounts {
  if (!isPlainObject(document))
    throw new EntriesFileError([{ path: '', message: 'must be a JSON object with accounts and callers' }]);
  const faults: AccountsFault[] = [];
  const entries = {
    ...document,
    accounts: secretsRead(document.accounts, 'accounts', readSecret, faults),
    callers: secretsRead(document.callers, 'callers', readSecret, faults),
  };
  const file = plainToInstance(AccountsFile, entries);
  const errors = validateSync(file, {
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false, value: false },
  });
  faults.push(...faultsOf(errors), ...crossFaults(file));
  if (faults.length > 0) throw new EntriesFileError(faults);
  const all = file.accounts.filter((entry) => entry.ofUsers !== true).map(accountOf);
  const ofUsers = file.accounts.filter((entry) => entry.ofUsers === true).map(usersAccountOf);
  const names = new Map(all.map((account) => [account.account, account]));
  const callers = file.callers.map(({ caller, key, accounts }) => ({ caller, key: new Secret(key), accounts }));
  return { all, ofUsers, callers, byName: (name) => names.get(name) };
}

const IfPresent = () => ValidateIf((_, value) => value !== undefined);

class AccountEntry {
  @Matches(/^[a-z0-9-]{1,64}$/, { message: 'account must be 1 to 64 lower-case letters, digits and hyphens' })
  account: string;

  @IsIn(GRANTS)
  grant: Account['grant'];

  @ValidateIf(usesClientCredentials)
  @IsString()
  @Length(1, 255)
  clientId: string;

  @ValidateIf(usesClientCredentials)
  @IsString()
  @Length(1, 1024)
  clientSecret: string;

  @ValidateIf(usesPassword)
  @IsString()
  @Length(1, 255)
  username: string;

  @ValidateIf(usesPassword)
  @IsString()
  @Length(1, 1024)
  password: string;

  /** If true, username and password arrive with each request. */
  @IfPresent()
  @Equals(true, { message: 'ofUsers must be true, or absent' })
  ofUsers?: true;

  @IfPresent()
  @IsString()
  @Length(1, 1024)
  scope?: string;

  @IfPresent()
  @IsString()
  scopeFrom?: string;
}

class CallerEntry {
  @Matches(/^[a-z0-9-]{1,64}$/, { message: 'caller must be 1 to 64 lower-case letters, digits and hyphens' })
  caller: string;

  /** Long enough that guessing it over the network is hopeless. */
  @Matches(/^[\x21-\x7e]{24,256}$/, { message: 'key must be 24 to 256 visible ASCII characters' })
  key: string;

  @IsArray()
  @IsString({ each: true })
  accounts: string[];
}

class AccountsFile {
  @IsArray()
  @ArrayNotEmpty()
  @ValidateNested({ each: true })
  @Type(() => AccountEntry)
  accounts: AccountEntry[];

  @IsArray()
  @ArrayNotEmpty()
  @ValidateNested({ each: true })
  @Type(() => CallerEntry)
  callers: CallerEntry[];
}

function usesClientCredentials({ grant }: AccountEntry): boolean {
  return grant === 'client_credentials';
}

function usesPassword({ grant, ofUsers }: AccountEntry): boolean {
  return grant === 'password' && ofUsers === undefined;
}

function usersAccountOf({ account, scope, scopeFrom }: AccountEntry): UsersAccount {
  return { account, grant: 'password', ofUsers: true, scope, scopeFrom };
}

function accountOf(entry: AccountEntry): Account {
  const { account, grant, clientId, username, scope, scopeFrom } = entry;
  if (grant === 'password') return { account, grant, username, password: new Secret(entry.password), scope, scopeFrom };
  return { account, grant, clientId, clientSecret: new Secret(entry.clientSecret), scope, scopeFrom };
}

/** Faults between entries, as far as these can be read. */
function crossFaults(file: AccountsFile): AccountsFault[] {
  const [accounts, callers] = [listOf(file.accounts), listOf(file.callers)];
  const known = new Set(accounts.map(({ account }) => account));
  return [
    ...repeated(accounts, 'account', 'accounts'),
    ...accounts.flatMap((entry, index) =>
      [...faultsOfAccount(entry, accounts)].map(([field, message]) => ({
        path: `accounts[${index}].${field}`,
        message,
      })),
    ),
    ...repeated(callers, 'caller', 'callers'),
    ...repeated(callers, 'key', 'callers'),
    ...callers.flatMap((caller, index) =>
      listOf(caller.accounts).flatMap((account, at) =>
        known.has(account) || typeof account !== 'string'
          ? []
          : [{ path: `callers[${index}].accounts[${at}]`, message: 'is not one of the accounts' }],
      ),
    ),
  ];
}

function* faultsOfAccount(entry: AccountEntry, all: readonly AccountEntry[]): Generator<[string, string]> {
  const { grant, ofUsers, scope, scopeFrom } = entry;
  // Users bring their credentials themselves, so such an account has no token either.
  if (ofUsers === true) {
    if (grant !== 'password') yield ['ofUsers', 'is for the grant password only'];
    for (const field of CREDENTIALS) if (entry[field] !== undefined) yield [field, 'stands beside ofUsers'];
  }
  if (typeof scopeFrom !== 'string') return;
  // Discovery has one step only: the discovering account has its scope from the configuration, or needs none.
  const discoverer = all.find(({ account }) => account === scopeFrom);
  if (scope !== undefined) yield ['scopeFrom', 'stands beside scope: give one of them'];
  else if (discoverer === undefined) yield ['scopeFrom', 'is not one of the accounts'];
  else if (discoverer.ofUsers === true) yield ['scopeFrom', 'names an account of users, which has no token'];
  else if (discoverer.scopeFrom !== undefined) yield ['scopeFrom', 'names an account that has a scopeFrom itself'];
}

function listOf<T>(value: readonly T[] | undefined): T[] {
  return Array.isArray(value) ? value.map((entry: T) => entry ?? ({} as T)) : [];
}

function repeated<T>(entries: readonly T[], field: keyof T & string, list: string): AccountsFault[] {
  const seen = new Set<unknown>();
  return entries.flatMap(({ [field]: value }, index) => {
    const isRepeated = typeof value === 'string' && seen.has(value);
    seen.add(value);
    return isRepeated ? [{ path: `${list}[${index}].${field}`, message: 'is that of an earlier entry too' }] : [];
  });
}

function secretsRead(list: unknown, path: string, readSecret: ReadFile, faults: AccountsFault[]): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((entry: unknown, index) =>
    isPlainObject(entry) ? withSecretsFromFiles(entry, SECRET_FIELDS, `${path}[${index}]`, readSecret, faults) : entry,
  );
}

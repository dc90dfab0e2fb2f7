import { within, reasonOf } from '@tranche/runtime';
import { type RedisClientType, ErrorReply } from 'redis';

/** The commands that services use. All keys of one command must be in one hash slot. */
export type RedisCommands = Pick<RedisClientType, 'del' | 'eval' | 'get' | 'hGet' | 'hGetAll' | 'hmGet' | 'set'>;

export interface RedisServer {
  /** host:port */
  readonly address: string;
  send<T>(this: void, command: string[]): Promise<T>;
}

export interface RedisLink {
  readonly commands: RedisCommands;
  /** False while one of the servers is down. */
  readonly isReady: boolean;
  readonly servers: RedisServer[];
  /** Calls `onMoved` when the server's name resolves to other addresses than the connected one. Returns the function that stops it. */
  watchName?(this: void, onMoved: (addresses: string) => void): () => void;
  close(): Promise<unknown>;
  destroy(): void;
}

export interface LinkEvents {
  /** Called when all servers are connected again. */
  ready(): void;
  /** @param isOver true if this link will not recover */
  trouble(error: unknown, isOver: boolean): void;
}

/** Resolves when connected; rejects on failure, and the caller retries. */
export type OpenLink = (events: LinkEvents) => Promise<RedisLink>;

export interface ConnectionSettings {
  username: string | undefined;
  password: string | undefined;
  name: string;
  tls?: { ca?: string };
}

/** Called before each attempt, because the password or the certificate authorities may have been replaced. */
export type SettingsNow = () => ConnectionSettings;

const CONNECT_TIMEOUT_MS = 5_000;

/** `connectTimeout` covers only TCP and TLS, see `inTime`. */
export function socketOptions({ tls }: ConnectionSettings) {
  return { connectTimeout: CONNECT_TIMEOUT_MS, ...(tls === undefined ? {} : { tls: true as const, ...tls }) };
}

/**
 * Without it the library makes a signal with a timer for each command, which fires long after the answer. A link that does not answer is ended by
 * `watchLink`, and everything that waits on it fails.
 */
export const commandOptions = { timeout: 0 };

export function credentialsOf({ username, password }: ConnectionSettings) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

/** Bounds the wait: a frozen server accepts connections and does not answer. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return within(CONNECT_TIMEOUT_MS, work, () => new Error(`no answer for ${CONNECT_TIMEOUT_MS} ms`));
}

/**
 * Replies after which this connection is useless: the server became a replica, lost its master, is loading its data, or requires other
 * credentials. Old servers put a hyphen before the code of a script's error.
 */
const UNUSABLE = /(?:^|-)(?:READONLY|MASTERDOWN|LOADING|UNBLOCKED|CLUSTERDOWN|NOAUTH|WRONGPASS)\b/;
const CREDENTIALS = /(?:^|-)(?:NOAUTH|WRONGPASS)\b/;
const CORRECT_CREDENTIALS =
  'Correct the user and the password in REDIS_URL and restart the service, or in the file of REDIS_URL_FILE, which is read before each attempt';

export function isUnusable(error: unknown): error is ErrorReply {
  return error instanceof ErrorReply && UNUSABLE.test(error.message);
}

export function whyAway(error: unknown): string {
  const reason = reasonOf(error);
  return CREDENTIALS.test(reason) ? `${reason.replace(/\.?$/, '.')} ${CORRECT_CREDENTIALS}` : reason;
}

/**
 * Checks that the server takes writes. PING fails while data are loading, and on a replica without a master. Resolves with the reason if
 * this user may not run ROLE.
 * @throws if the server is no master, or its reply is unusable
 */
export async function assertMaster(send: (command: string[]) => Promise<unknown>): Promise<string | undefined> {
  const [role, ping] = await Promise.allSettled([send(['ROLE']), send(['PING'])]);
  for (const asked of [role, ping]) if (asked.status === 'rejected' && isUnusable(asked.reason)) throw asked.reason;
  if (role.status === 'rejected') return role.reason instanceof ErrorReply ? role.reason.message : undefined;
  const [name] = role.value as [unknown];
  if (name === 'sentinel') throw new Error('it is a sentinel: set REDIS_SENTINEL_NODES and REDIS_SENTINEL_MASTER');
  if (name === 'slave' || name === 'replica') throw new Error('it is a replica and takes no writes');
  return undefined;
}

import { within } from '@tranche/runtime';
import type { RedisClientType } from 'redis';

/** What services ask of Redis. All keys of one command belong to one hash slot. */
export type RedisCommands = Pick<RedisClientType, 'del' | 'eval' | 'get' | 'hGet' | 'hGetAll' | 'hmGet' | 'set'>;

/** A server that takes writes. */
export interface RedisServer {
  /** host:port */
  readonly address: string;
  send<T>(this: void, command: string[]): Promise<T>;
}

/** Connections to all servers that take writes, as long as they last. */
export interface RedisLink {
  readonly commands: RedisCommands;
  /** False while one of the servers is away. */
  readonly isReady: boolean;
  readonly servers: RedisServer[];
  /** Calls `onMoved` once the server's name stands for other addresses than the one connected to. Returns how to stop. */
  watchName?(this: void, onMoved: (addresses: string) => void): () => void;
  close(): Promise<unknown>;
  destroy(): void;
}

export interface LinkEvents {
  /** All servers are connected, again. */
  ready(): void;
  /** `isOver`: this link will not be ready again. */
  trouble(error: unknown, isOver: boolean): void;
}

/** Resolves when connected; rejects where that fails: whoever asks tries again. */
export type OpenLink = (events: LinkEvents) => Promise<RedisLink>;

/** How each single connection is made. */
export interface ConnectionSettings {
  username: string | undefined;
  password: string | undefined;
  /** In Redis' client list. */
  name: string;
  tls?: { ca?: Buffer };
}

/** Read before each attempt: a password, or the authorities of certificates, may have been replaced. */
export type SettingsNow = () => ConnectionSettings;

const CONNECT_TIMEOUT_MS = 5_000;

/** Of the `socket` options; `connectTimeout` holds for TCP and TLS only, see `inTime`. */
export function socketOptions({ tls }: ConnectionSettings) {
  return { connectTimeout: CONNECT_TIMEOUT_MS, ...(tls === undefined ? {} : { tls: true as const, ...tls }) };
}

export function credentialsOf({ username, password }: ConnectionSettings) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

/** A server that was frozen accepts connections and says nothing. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return within(CONNECT_TIMEOUT_MS, work, () => new Error(`no answer for ${CONNECT_TIMEOUT_MS} ms`));
}

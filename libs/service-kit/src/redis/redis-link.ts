import { within } from '@tranche/runtime';
import type { RedisClientType } from 'redis';

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

export function credentialsOf({ username, password }: ConnectionSettings) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

/** Bounds the wait: a frozen server accepts connections and does not answer. */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return within(CONNECT_TIMEOUT_MS, work, () => new Error(`no answer for ${CONNECT_TIMEOUT_MS} ms`));
}

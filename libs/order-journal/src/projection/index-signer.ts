import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { OrderState } from '../state/order-state.js';
import { parseOrder, wholeMarker, type EntryCounts, type IndexMarker } from './index-format.js';

/** Stored characters of the SHA-256 HMAC in base64url: 132 bits. */
const MAC_LENGTH = 22;
const KEY_BYTES = 32;

/** A signing key of the index. `id` is stored beside each signature, so that keys can be rotated. */
export interface IndexKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Parses `ID:BASE64`, comma-separated. Error messages never contain a key. */
export function readIndexKeys(text: string): readonly IndexKey[] {
  const keys = text.split(',').map((part) => {
    const [id = '', base64 = ''] = part.trim().split(':', 2);
    if (!/^[A-Za-z0-9_-]{1,16}$/.test(id) || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
      throw new Error('must be ID:KEY, comma-separated: ids of 1 to 16 letters, digits, - and _, keys in base64');
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length < KEY_BYTES) throw new Error(`has a key of less than ${KEY_BYTES} bytes: openssl rand -base64 32`);
    return { id, key: createSecretKey(bytes) };
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('names an id twice');
  return keys;
}

/**
 * Signs states and markers of the index with an HMAC, so that entries from another writer are detected: `STATE ID.MAC` and `MARKER ID.MAC COUNTS`.
 * The MAC covers the key prefix, the order or partition, the rebuild's id and the text. Without keys nothing is signed.
 * It proves who wrote an entry, not that the entry is the newest one.
 */
export class IndexSigner {
  /** @param scope prefix of the index's keys */
  constructor(
    private readonly scope: string,
    private readonly keys: readonly IndexKey[] = [],
  ) {}

  /** @param generation generation of the marker that the state is stored under */
  signState(orderKey: string, generation: string, state: string): string {
    return this.#signed(['state', orderKey, generation], state);
  }

  /** @returns undefined where the stored text is not a state of this order, or its signature is wrong */
  verifyState(orderKey: string, generation: string, stored: string): OrderState | undefined {
    const state = this.#verified(['state', orderKey, generation], stored);
    return state === undefined ? undefined : parseOrder(state, orderKey);
  }

  /** @param marker without its counts, which the script adds */
  signMarker(partition: number, marker: string): string {
    return this.#signed(['marker', String(partition)], marker);
  }

  isMarker(partition: number, stored: string): boolean {
    return this.#markerText(partition, stored) !== undefined;
  }

  /** @param found counts of the entries that exist now (see `wholeMarker`); the default trusts the counts in the marker */
  verifyMarker(partition: number, stored: string, found: EntryCounts = countsOf(stored)): IndexMarker | undefined {
    return wholeMarker(this.#markerText(partition, stored), found);
  }

  #markerText(partition: number, stored: string): string | undefined {
    const counts = countsOf(stored);
    const marker = this.#verified(['marker', String(partition)], stored.slice(0, -counts.length - 1));
    return marker === undefined ? undefined : `${marker} ${counts}`;
  }

  #signed(of: string[], text: string): string {
    const [signing] = this.keys;
    return signing ? `${text} ${signing.id}.${this.#mac(signing, of, text)}` : text;
  }

  #verified(of: string[], stored: string): string | undefined {
    if (this.keys.length === 0) return stored;
    const end = stored.lastIndexOf(' ');
    const [id, mac = ''] = stored.slice(end + 1).split('.', 2);
    const key = this.keys.find((one) => one.id === id);
    const found = Buffer.from(mac);
    if (end < 0 || !key || found.length !== MAC_LENGTH) return undefined;
    const text = stored.slice(0, end);
    return timingSafeEqual(found, Buffer.from(this.#mac(key, of, text))) ? text : undefined;
  }

  /** JSON contains no raw line feed, so the first one separates the names from the text unambiguously. */
  #mac({ key }: IndexKey, of: string[], text: string): string {
    const signed = `${JSON.stringify([this.scope, ...of])}\n${text}`;
    return createHmac('sha256', key).update(signed).digest('base64url').slice(0, MAC_LENGTH);
  }
}

const countsOf = (marker: string): EntryCounts => marker.slice(marker.lastIndexOf(' ') + 1);

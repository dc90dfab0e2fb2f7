import { parseOrderKey } from '@tranche/contracts';
import { encodeRecord, recordHash, type Skipped } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';

type Entry = { key: string | null; value: Buffer | null };

/** Unreadable records that are skipped by a decision of two people (docs/decisions/0121). */
export class SkipList {
  readonly #skipped = new Set<string>();

  /** @param hash `recordHash` of the record: only a record with this hash is skipped, at any offset */
  add(hash: string): void {
    this.#skipped.add(hash);
  }

  /** Returns the entry; in place of a skipped record, returns a record that freezes the order of its key. */
  substitute<T extends Entry>(entry: T): T {
    if (this.#skipped.size === 0) return entry;
    const hash = recordHash(entry.value);
    if (!this.#skipped.has(hash)) return entry;
    const { merchant, orderId } = parseOrderKey(entry.key ?? '') ?? { merchant: '', orderId: '' };
    const skipped: Skipped = { record: 'SKIPPED', rulesVersion: RULES_VERSION, merchant, orderId, at: NO_TIME, hash };
    return { ...entry, value: encodeRecord(skipped) };
  }
}

/** The skipped record's time can't be read. */
const NO_TIME = new Date(0).toISOString();

import { parseOrderKey } from '@tranche/contracts';
import { encodeRecord, recordHash, type Skipped } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';

type Entry = { key: string | null; value: Buffer | null };

/** Records that can't be read and are skipped, as two people decided (docs/decisions/0055). */
export class SkipList {
  readonly #skipped = new Set<string>();

  /** `hash`: `recordHash` of the record. Only this very record is skipped, wherever it lies. */
  add(hash: string): void {
    this.#skipped.add(hash);
  }

  /** The entry itself, or where its record is skipped one that freezes the order of its key instead. */
  substitute<T extends Entry>(entry: T): T {
    if (this.#skipped.size === 0) return entry;
    const hash = recordHash(entry.value);
    if (!this.#skipped.has(hash)) return entry;
    const { merchant, orderId } = parseOrderKey(entry.key ?? '') ?? { merchant: '', orderId: '' };
    const skipped: Skipped = { record: 'SKIPPED', rulesVersion: RULES_VERSION, merchant, orderId, at: NO_TIME, hash };
    return { ...entry, value: encodeRecord(skipped) };
  }
}

/** When it was written is not known. */
const NO_TIME = new Date(0).toISOString();

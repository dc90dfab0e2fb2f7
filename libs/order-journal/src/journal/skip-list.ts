import { parseOrderKey } from '@tranche/contracts';
import { encodeRecord, recordHash, type Skipped } from '../state/records.js';
import { RULES_VERSION } from '../state/versions.js';

/** That a journal record which can't be read is skipped: proposed by one person, approved by another (docs/decisions/0055). */
export interface SkipDecision {
  /** UUID of the decision. */
  id: string;
  partition: number;
  offset: string;
  /** `recordHash` of the record: only this very record is skipped, wherever it lies. */
  hash: string;
  reason: string;
  proposedBy: string;
  /** RFC 3339. */
  proposedAt: string;
  approvedBy?: string;
  approvedAt?: string;
}

type Entry = { key: string | null; value: Buffer | null };

/** Decisions in the order in which they were written, and what follows of them. */
export class SkipList {
  readonly #decisions = new Map<string, SkipDecision>();
  readonly #skipped = new Set<string>();

  get decisions(): readonly SkipDecision[] {
    return [...this.#decisions.values()];
  }

  find(id: string): SkipDecision | undefined {
    return this.#decisions.get(id);
  }

  /** Takes a record of the decisions' topic. Returns what is wrong with one that does not count. */
  take(value: Buffer | null): string | undefined {
    const decision = decisionOf(value);
    if (decision === undefined) return 'is no decision';
    const known = this.#decisions.get(decision.id);
    if (decision.approvedBy === undefined) {
      if (known !== undefined) return `${decision.id} was proposed before`;
      this.#decisions.set(decision.id, decision);
      return undefined;
    }
    if (known === undefined) return `${decision.id} was never proposed`;
    if (known.approvedBy !== undefined) return `${decision.id} was approved before`;
    if (decision.hash !== known.hash) return `${decision.id} is about another record than was proposed`;
    if (decision.approvedBy === known.proposedBy) return `${decision.id} was approved by who proposed it`;
    this.#decisions.set(decision.id, { ...known, approvedBy: decision.approvedBy, approvedAt: decision.approvedAt });
    this.#skipped.add(known.hash);
    return undefined;
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

function decisionOf(value: Buffer | null): SkipDecision | undefined {
  try {
    const decision = JSON.parse(String(value)) as SkipDecision;
    const texts = [decision.id, decision.hash, decision.offset, decision.reason, decision.proposedBy];
    const isWhole = texts.every((text) => typeof text === 'string' && text !== '');
    return isWhole && Number.isInteger(decision.partition) ? decision : undefined;
  } catch {
    return undefined;
  }
}

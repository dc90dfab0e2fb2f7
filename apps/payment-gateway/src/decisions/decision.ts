import type { ManualResolution } from './manual-resolution.js';
import type { ManualSettlement } from './manual-settlement.js';

interface Subject {
  merchant: string;
  orderId: string;
  /** `standingOf` the order that the proposer saw. The journal record names it, and the fold voids it once the order has moved on. */
  seen: string;
  /** State of the operation, or of the conflict, at the proposal. */
  was: string;
}

/** Resolution of a doubt for which one person is not enough. docs/decisions/0075. */
export interface ResolutionSubject extends Subject {
  /** Operation id, as in its URL. */
  operation: string;
  commandId: string;
  resolution: ManualResolution;
  why: 'not_executed' | 'refused' | 'amount';
}

/** Settlement of a conflict, for which one person is never enough. docs/decisions/0107. */
interface SettlementSubject extends Subject {
  /** Conflict id, as in its URL. */
  conflict: string;
  settlement: ManualSettlement;
  why: 'conflict';
}

export type DecisionSubject = ResolutionSubject | SettlementSubject;
/** A person's words on an operation or on a conflict. */
export type Words =
  Pick<ResolutionSubject, 'operation' | 'resolution'> | Pick<SettlementSubject, 'conflict' | 'settlement'>;
export const aboutOf = (words: Words): string => ('resolution' in words ? words.operation : words.conflict);
export const saidIn = (words: Words): ManualResolution | ManualSettlement =>
  'resolution' in words ? words.resolution : words.settlement;

/** A request by one person that a second person must approve. */
interface Proposal {
  /** UUID. */
  id: string;
  kind: 'resolution' | 'settlement';
  /** Identifies the thing it is about. For each thing, at most one proposal is open. */
  about: string;
  subject: DecisionSubject;
  proposedBy: string;
  /** RFC 3339. */
  proposedAt: string;
  /** After this time the proposal can't be decided any more. */
  expiresAt: string;
}

/** A resolution's statement about an operation. */
export type Claim = Pick<ResolutionSubject, 'merchant' | 'operation' | 'resolution'>;

export type Answer = 'approved' | 'rejected';

/** A proposal and its state: open → approved, rejected or expired. */
export interface Decision extends Proposal {
  state: 'open' | 'expired' | Answer;
  decidedBy?: string;
  decidedAt?: string;
}

/** A record of `payments.decisions.v1`. */
export type DecisionRecord =
  ({ record: 'proposed' } & Proposal) | { record: Answer; id: string; by: string; at: string };

interface Known {
  proposal: Proposal;
  answer?: Required<Pick<Decision, 'decidedBy' | 'decidedAt'>> & { state: Answer };
  /** Keys of all its records, also of those that do not count, so that a start deletes them together. */
  keys: string[];
}

/** Retention after a decision has expired. Journal and audit keep what was done. */
const KEPT_MS = 35 * 86_400_000;

/** Two people are two names. */
export const isSecondPerson = (proposedBy: string, person: string): boolean => proposedBy !== person;

/** Folds the topic's records: only the first answer after a proposal counts. It uses the records' own times, so all readers agree. */
export class DecisionList {
  readonly #known = new Map<string, Known>();
  /** Id of the newest proposal about each thing. Only this one can be open. */
  readonly #newest = new Map<string, string>();
  readonly #counted = new Set<string>();

  /**
   * Takes the next record of the topic.
   * @returns the reason why it does not count; undefined where it counts
   */
  take(key: string | null, value: Buffer | null): string | undefined {
    if (value === null) return this.#delete(key ?? '');
    const record = recordOf(value);
    if (record === undefined) return 'is no record of a decision';
    const fault = record.record === 'proposed' ? this.#propose(record) : this.#answer(record);
    if (key === null) return fault;
    this.#known.get(record.id)?.keys.push(key);
    if (fault === undefined) this.#counted.add(key);
    return fault;
  }

  /** True once the record with this key was read, if it counts. */
  hasCounted(key: string): boolean {
    return this.#counted.has(key);
  }

  find(id: string, nowMs: number): Decision | undefined {
    const { proposal, answer } = this.#known.get(id) ?? {};
    return proposal && { ...proposal, state: isExpired(proposal, nowMs) ? 'expired' : 'open', ...answer };
  }

  /** Lists decisions, the newest first. */
  all(nowMs: number): Decision[] {
    return [...this.#known.keys()].reverse().flatMap((id) => this.find(id, nowMs) ?? []);
  }

  open(about: string, nowMs: number): Decision | undefined {
    const newest = this.find(this.#newest.get(about) ?? '', nowMs);
    return newest?.state === 'open' ? newest : undefined;
  }

  /** The decision about another operation that claims the TRANSACTIONID: its proposal is open, or was approved and may still be journaled. */
  holderOf({ merchant, operation, resolution }: Claim, nowMs: number): Proposal | undefined {
    const { transactionId } = resolution;
    if (transactionId === undefined) return undefined;
    for (const { proposal, answer } of this.#known.values()) {
      const { subject } = proposal;
      if (!('resolution' in subject)) continue;
      const isSame = subject.merchant === merchant && subject.resolution.transactionId === transactionId;
      const holds = answer?.state !== 'rejected' && !isExpired(proposal, nowMs);
      if (isSame && holds && subject.operation !== operation) return proposal;
    }
    return undefined;
  }

  /** Keys of records to delete. */
  outdatedKeys(nowMs: number): string[] {
    return [...this.#known.values()]
      .filter(({ proposal }) => nowMs > Date.parse(proposal.expiresAt) + KEPT_MS)
      .flatMap(({ keys }) => keys);
  }

  /** Handles a tombstone: a start deleted the records of a decision past its retention. */
  #delete(key: string): undefined {
    const id = key.slice(0, key.indexOf('/'));
    const known = this.#known.get(id);
    if (known === undefined) return;
    known.keys = known.keys.filter((one) => one !== key);
    if (known.keys.length === 0) this.#known.delete(id);
  }

  #propose({ record: _, ...proposal }: { record: 'proposed' } & Proposal): string | undefined {
    const { id, about, proposedAt, subject } = proposal;
    if (this.#known.has(id)) return `${id} was proposed before`;
    const open = this.open(about, Date.parse(proposedAt));
    if (open !== undefined) return `${id} is about the same as ${open.id}, which is open`;
    // The topic orders all proposals: of two, the first one gets the TRANSACTIONID.
    const holder = 'resolution' in subject ? this.holderOf(subject, Date.parse(proposedAt)) : undefined;
    if (holder !== undefined) return `${id} states the TRANSACTIONID of ${holder.id}`;
    this.#known.set(id, { proposal, keys: [] });
    this.#newest.set(about, id);
    return undefined;
  }

  #answer({ record, id, by, at }: Exclude<DecisionRecord, { record: 'proposed' }>): string | undefined {
    const known = this.#known.get(id);
    if (known === undefined) return `${id} was never proposed`;
    const { proposal, answer } = known;
    if (answer !== undefined) return `${id} was ${answer.state} before, by ${answer.decidedBy}`;
    if (isExpired(proposal, Date.parse(at))) return `${id} had expired`;
    if (!isSecondPerson(proposal.proposedBy, by)) return `${id} was ${record} by who proposed it`;
    known.answer = { state: record, decidedBy: by, decidedAt: at };
    return undefined;
  }
}

export const isExpired = ({ expiresAt }: Proposal, nowMs: number): boolean => nowMs >= Date.parse(expiresAt);

function recordOf(value: Buffer): DecisionRecord | undefined {
  let record: Partial<Record<string, unknown>> | null;
  try {
    record = JSON.parse(value.toString('utf8')) as typeof record;
  } catch {
    return undefined;
  }
  const { record: type, id, by, at, kind, about, subject, proposedBy, proposedAt, expiresAt } = record ?? {};
  const areTexts = (...texts: unknown[]) => texts.every((text) => typeof text === 'string' && text !== '');
  const areTimes = (...times: unknown[]) => times.every((time) => !Number.isNaN(Date.parse(String(time))));
  const { operation, resolution, merchant, seen } = (subject ?? {}) as Partial<ResolutionSubject>;
  const { conflict, settlement } = (subject ?? {}) as Partial<SettlementSubject>;
  const words = kind === 'resolution' ? [operation, resolution?.outcome] : [conflict, settlement?.outcome];
  const isWhole =
    type === 'proposed'
      ? (kind === 'resolution' || kind === 'settlement') &&
        areTexts(id, about, proposedBy, merchant, seen, ...words) &&
        areTimes(proposedAt, expiresAt)
      : (type === 'approved' || type === 'rejected') && areTexts(id, by) && areTimes(at);
  return isWhole ? (record as DecisionRecord) : undefined;
}

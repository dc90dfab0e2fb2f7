import { isSecondPerson } from './second-person.js';
import { isKind, isWholeSubject, type Kind, type Subjects } from './subjects.js';

/** A request by one person that a second person must approve. */
export interface Proposal<K extends Kind = Kind> {
  /** UUID. */
  id: string;
  kind: K;
  /** Identifies the thing it is about. For each thing and kind, at most one proposal is open. */
  about: string;
  subject: Subjects[K];
  proposedBy: string;
  /** RFC 3339. */
  proposedAt: string;
  /** After this time the proposal can't be decided any more. Without it, it stays open without limit. */
  expiresAt?: string;
}

export type Answer = 'approved' | 'rejected';

/** A proposal and its state: open → approved, rejected or expired. */
export interface Decision<K extends Kind = Kind> extends Proposal<K> {
  state: 'open' | 'expired' | Answer;
  decidedBy?: string;
  decidedAt?: string;
}

/** A record of `payments.decisions.v1`. */
export type DecisionRecord =
  ({ record: 'proposed' } & Proposal) | { record: Answer; id: string; by: string; at: string };

interface Known {
  proposal: Proposal;
  answer?: Pick<Decision, 'decidedBy' | 'decidedAt'> & { state: Answer };
  /** Keys of all its records, also of those that do not count, so that a start deletes them together. */
  keys: string[];
}

/** Retention after a decision has expired. Journal and audit keep what was done. */
const KEPT_MS = 35 * 86_400_000;

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

  find<K extends Kind>(id: string, kinds: readonly K[], nowMs: number): Decision<K> | undefined {
    const known = this.#known.get(id);
    const isAsked = known !== undefined && (kinds as readonly Kind[]).includes(known.proposal.kind);
    return isAsked ? (decisionAt(known, nowMs) as Decision<K>) : undefined;
  }

  /** Lists decisions, the newest first. */
  of<K extends Kind>(kinds: readonly K[], nowMs: number): Decision<K>[] {
    return [...this.#known.keys()].reverse().flatMap((id) => this.find(id, kinds, nowMs) ?? []);
  }

  open<K extends Kind>(kind: K, about: string, nowMs: number): Decision<K> | undefined {
    const newest = this.find(this.#newest.get(thingOf(kind, about)) ?? '', [kind], nowMs);
    return newest?.state === 'open' ? newest : undefined;
  }

  /** Keys of records to delete. */
  outdatedKeys(nowMs: number): string[] {
    const isOutdated = ({ proposal: { expiresAt } }: Known) =>
      expiresAt !== undefined && nowMs > Date.parse(expiresAt) + KEPT_MS;
    return [...this.#known.values()].filter(isOutdated).flatMap(({ keys }) => keys);
  }

  /** Handles a tombstone: a start deleted the records of a decision past its retention. */
  #delete(key: string): undefined {
    const id = key.slice(0, key.indexOf('/'));
    const known = this.#known.get(id);
    if (known === undefined) return undefined;
    known.keys = known.keys.filter((one) => one !== key);
    if (known.keys.length === 0) this.#known.delete(id);
    return undefined;
  }

  #propose({ record: _, ...proposal }: { record: 'proposed' } & Proposal): string | undefined {
    const { id, kind, about, proposedAt } = proposal;
    if (this.#known.has(id)) return `${id} was proposed before`;
    const open = this.open(kind, about, Date.parse(proposedAt));
    if (open !== undefined) return `${id} is about the same as ${open.id}, which is open`;
    this.#known.set(id, { proposal, keys: [] });
    this.#newest.set(thingOf(kind, about), id);
    return undefined;
  }

  #answer(record: Exclude<DecisionRecord, { record: 'proposed' }>): string | undefined {
    const { id, at } = record;
    const known = this.#known.get(id);
    if (known === undefined) return `${id} was never proposed`;
    const { proposal, answer } = known;
    if (answer !== undefined) return `${id} was ${answer.state} before, by ${answer.decidedBy}`;
    if (isExpired(proposal, Date.parse(at))) return `${id} had expired`;
    if (!isSecondPerson(proposal.proposedBy, record.by)) return `${id} was ${record.record} by who proposed it`;
    known.answer = { state: record.record, decidedBy: record.by, decidedAt: at };
    return undefined;
  }
}

const thingOf = (kind: Kind, about: string): string => `${kind} ${about}`;

const isExpired = ({ expiresAt }: Proposal, nowMs: number): boolean =>
  expiresAt !== undefined && nowMs >= Date.parse(expiresAt);

function decisionAt({ proposal, answer }: Known, nowMs: number): Decision {
  const state = isExpired(proposal, nowMs) ? 'expired' : 'open';
  return { ...proposal, state, ...answer };
}

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
  const isWhole = {
    proposed: () =>
      areTexts(id, about, proposedBy) &&
      areTimes(proposedAt, ...(expiresAt === undefined ? [] : [expiresAt])) &&
      isKind(kind) &&
      isWholeSubject(kind, subject),
    approved: () => areTexts(id, by) && areTimes(at),
    rejected: () => areTexts(id, by) && areTimes(at),
  };
  const isType = typeof type === 'string' && Object.hasOwn(isWhole, type);
  return isType && isWhole[type as DecisionRecord['record']]() ? (record as DecisionRecord) : undefined;
}

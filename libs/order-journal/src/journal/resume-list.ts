import { createHash } from 'node:crypto';
import { commandIdTimeMs } from '@tranche/contracts';
import { journalPartition } from './journal-partition.js';

/** A journal partition as it lies there: where it begins, and the last record that it holds. */
export interface KeptLog {
  low: string;
  last?: { offset: string; hash: string };
}

/**
 * That a partition whose log was cut or replaced goes on with what is kept: proposed by one person, approved by another (R11,
 * docs/decisions/0091).
 */
export interface ResumeDecision {
  kind: 'resume';
  /** UUID of the decision. */
  id: string;
  partition: number;
  log: KeptLog;
  /** JOURNAL_EPOCH when it was proposed: sequences begin again, so the next start needs a higher one. */
  epoch: number;
  reason: string;
  proposedBy: string;
  /** RFC 3339. */
  proposedAt: string;
  approvedBy?: string;
  approvedAt?: string;
  /** Where the command topics ended at the approval: the end of each partition, in their order, by name without prefix. */
  commandEnds?: Record<string, string[]>;
  /** It was used, or not needed: it counts once. */
  appliedAt?: string;
}

/** Decisions in the order in which they were written, and what follows of them. */
export class ResumeList {
  readonly #decisions = new Map<string, ResumeDecision>();
  /** Hashes of the commands that the command topics hold of before. */
  readonly #copies = new Set<string>();

  get decisions(): readonly ResumeDecision[] {
    return [...this.#decisions.values()];
  }

  get isEmpty(): boolean {
    return this.#decisions.size === 0;
  }

  find(id: string): ResumeDecision | undefined {
    return this.#decisions.get(id);
  }

  /** Approved, and not used yet. */
  get pending(): readonly ResumeDecision[] {
    return this.decisions.filter(({ approvedBy, appliedAt }) => approvedBy !== undefined && appliedAt === undefined);
  }

  /** Takes a record of the decisions' topic that is a resume. Returns what is wrong with one that does not count. */
  take(decision: ResumeDecision): string | undefined {
    const { id, approvedBy, approvedAt, commandEnds, appliedAt } = decision;
    const known = this.#decisions.get(id);
    if (approvedBy === undefined) {
      if (known !== undefined) return `${id} was proposed before`;
      this.#decisions.set(id, decision);
      return undefined;
    }
    if (known === undefined) return `${id} was never proposed`;
    if (approvedBy === known.proposedBy) return `${id} was approved by who proposed it`;
    if (!isSameLog(decision, known)) return `${id} is about another log than was proposed`;
    if (known.approvedBy === undefined) {
      if (!areOffsets(commandEnds)) return `${id} does not say where the commands ended`;
      if (Number.isNaN(Date.parse(approvedAt ?? ''))) return `${id} does not say when it was approved`;
      this.#decisions.set(id, { ...known, approvedBy, approvedAt, commandEnds });
      return undefined;
    }
    if (appliedAt === undefined || known.appliedAt !== undefined) return `${id} was approved before`;
    this.#decisions.set(id, { ...known, appliedAt });
    return undefined;
  }

  /** Whether the journal partition of the order goes on by a decision. */
  hasDecided(orderKey: string): boolean {
    return this.#decidedOf(orderKey).length > 0;
  }

  /** Where the commands of before end in a partition of a command topic, for whichever journal partition. */
  endOf({ topic, partition }: Omit<CommandPlace, 'offset'>): bigint {
    const ends = this.decisions.map(({ commandEnds }) => BigInt(commandEnds?.[topic]?.[partition] ?? 0));
    return ends.reduce((one, other) => (one > other ? one : other), 0n);
  }

  isPlacedBefore(orderKey: string, { topic, partition, offset }: CommandPlace): boolean {
    return this.#decidedOf(orderKey).some(({ commandEnds }) => offset < BigInt(commandEnds?.[topic]?.[partition] ?? 0));
  }

  /** A command that the command topics hold. One of before is known by its id from now on, whatever time a repeat of it has. */
  addCopy(orderKey: string, commandId: string, place: CommandPlace): void {
    if (this.isPlacedBefore(orderKey, place)) this.#copies.add(copyOf(orderKey, commandId));
  }

  /**
   * Whether a command was published before a decision about its order's journal partition, now or for the first time: one that the journal does
   * not know may have been executed, and what showed it was lost.
   */
  isBefore(orderKey: string, command: PublishedCommand): boolean {
    const decided = this.#decidedOf(orderKey);
    if (decided.length === 0) return false;
    const { commandId = '', timeMs = Infinity } = command;
    const madeMs = Math.min(timeMs, commandIdTimeMs(commandId) ?? Infinity);
    return (
      this.isPlacedBefore(orderKey, command) ||
      decided.some(({ approvedAt }) => madeMs < Date.parse(approvedAt!)) ||
      this.#copies.has(copyOf(orderKey, commandId))
    );
  }

  #decidedOf(orderKey: string): ResumeDecision[] {
    if (this.isEmpty) return [];
    const partition = journalPartition(orderKey);
    return this.decisions.filter((decision) => decision.partition === partition && decision.approvedAt !== undefined);
  }
}

/** Topic without prefix. */
export interface CommandPlace {
  topic: string;
  partition: number;
  offset: bigint;
}

export interface PublishedCommand extends CommandPlace {
  commandId?: string;
  /** `ce_time`, milliseconds since the epoch. A repeat may have a new one; an id that carries its time has not. */
  timeMs?: number;
}

function copyOf(orderKey: string, commandId: string): string {
  return createHash('sha256').update(`${orderKey}\n${commandId}`).digest('base64url').slice(0, 16);
}

/** What they say is asked of every command: text that is no offset would be a fault of each. */
function areOffsets(ends: Record<string, string[]> | undefined): boolean {
  if (typeof ends !== 'object' || ends === null) return false;
  return Object.values(ends).every((one) => Array.isArray(one) && one.every((offset) => /^\d{1,19}$/.test(offset)));
}

function isSameLog(one: ResumeDecision, other: ResumeDecision): boolean {
  const text = ({ partition, log: { low, last } }: ResumeDecision) =>
    `${partition} ${low} ${last?.offset} ${last?.hash}`;
  return text(one) === text(other);
}

/** Undefined where it is something else, such as a decision about a record. */
export function resumeDecisionOf(value: Buffer | null): ResumeDecision | undefined {
  try {
    const decision = JSON.parse(String(value)) as ResumeDecision;
    const texts = [decision.id, decision.log?.low, decision.reason, decision.proposedBy];
    const isWhole = texts.every((text) => typeof text === 'string' && text !== '');
    const hasNumbers = Number.isInteger(decision.partition) && Number.isInteger(decision.epoch);
    return decision.kind === 'resume' && isWhole && hasNumbers ? decision : undefined;
  } catch {
    return undefined;
  }
}

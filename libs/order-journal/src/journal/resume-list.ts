import { createHash } from 'node:crypto';
import { commandIdTimeMs } from '@tranche/contracts';
import { journalPartition } from './journal-partition.js';

/** The log of a journal partition as it is kept: its first offset and its last record. */
export interface KeptLog {
  low: string;
  last?: { offset: string; hash: string };
}

/** Approval by two people that a partition whose log was truncated or replaced resumes with the records that are kept (R11, docs/decisions/0091). */
export interface ResumeDecision {
  id: string;
  partition: number;
  log: KeptLog;
  /** JOURNAL_EPOCH at the proposal. Sequences restart after a resume, so the next start needs a higher epoch. */
  epoch: number;
  reason: string;
  proposedBy: string;
  approvedBy: string;
  /** RFC 3339. */
  approvedAt: string;
  /** End offsets of the command topics' partitions at the approval, in partition order, by topic name without prefix. */
  commandEnds: Record<string, string[]>;
  /** True where it was carried out or not needed: it takes effect only once. */
  isApplied: boolean;
}

/** Approved resumes in the order of their proposals, and their effect on commands. */
export class ResumeList {
  readonly #decisions = new Map<string, ResumeDecision>();
  /** Hashes of commands that the command topics held before a resume. */
  readonly #copies = new Set<string>();

  get isEmpty(): boolean {
    return this.#decisions.size === 0;
  }

  /** Approved resumes that were not carried out yet. */
  get pending(): readonly ResumeDecision[] {
    return [...this.#decisions.values()].filter(({ isApplied }) => !isApplied);
  }

  /** Adds a decision, or replaces it once it is applied. */
  add(decision: ResumeDecision): void {
    this.#decisions.set(decision.id, decision);
  }

  /** True where the order's journal partition was resumed. */
  hasDecided(orderKey: string): boolean {
    return this.#decidedOf(orderKey).length > 0;
  }

  /** Largest end offset, over all resumes, of a partition of a command topic. */
  endOf({ topic, partition }: Omit<CommandOffset, 'offset'>): bigint {
    const ends = [...this.#decisions.values()].map(({ commandEnds }) => endIn(commandEnds, topic, partition));
    return ends.reduce((one, other) => (one > other ? one : other), 0n);
  }

  isPlacedBefore(orderKey: string, { topic, partition, offset }: CommandOffset): boolean {
    return this.#decidedOf(orderKey).some(({ commandEnds }) => offset < endIn(commandEnds, topic, partition));
  }

  /** Notes the id of a command published before a resume, so that a republished copy is recognised whatever its time. */
  addCopy(orderKey: string, commandId: string, location: CommandOffset): void {
    if (this.isPlacedBefore(orderKey, location)) this.#copies.add(copyOf(orderKey, commandId));
  }

  /** True where a command was first published before a resume of its partition. If the journal does not know it, it may have been executed. */
  isBefore(orderKey: string, command: PublishedCommand): boolean {
    const decided = this.#decidedOf(orderKey);
    if (decided.length === 0) return false;
    const { commandId = '', timeMs = Infinity } = command;
    const madeMs = Math.min(timeMs, commandIdTimeMs(commandId) ?? Infinity);
    return (
      this.isPlacedBefore(orderKey, command) ||
      decided.some(({ approvedAt }) => madeMs < Date.parse(approvedAt)) ||
      this.#copies.has(copyOf(orderKey, commandId))
    );
  }

  #decidedOf(orderKey: string): ResumeDecision[] {
    if (this.isEmpty) return [];
    const partition = journalPartition(orderKey);
    return [...this.#decisions.values()].filter((decision) => decision.partition === partition);
  }
}

/** Position of a command; topic without prefix. */
export interface CommandOffset {
  topic: string;
  partition: number;
  offset: bigint;
}

export interface PublishedCommand extends CommandOffset {
  commandId?: string;
  /** `ce_time`, milliseconds since the epoch. A republished copy may have a new one, but an id of version 7 keeps its time. */
  timeMs?: number;
}

function copyOf(orderKey: string, commandId: string): string {
  return createHash('sha256').update(`${orderKey}\n${commandId}`).digest('base64url').slice(0, 16);
}

function endIn(ends: ResumeDecision['commandEnds'], topic: string, partition: number): bigint {
  return BigInt(ends[topic]?.[partition] ?? 0);
}

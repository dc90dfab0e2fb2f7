import { createHash } from 'node:crypto';
import { commandIdTimeMs } from '@tranche/contracts';
import { journalPartition } from './journal-partition.js';

/** A journal partition as it lies there: where it begins, and the last record that it holds. */
export interface KeptLog {
  low: string;
  last?: { offset: string; hash: string };
}

/** That a partition whose log was cut or replaced goes on with what is kept: two people approved it (R11, docs/decisions/0091). */
export interface ResumeDecision {
  /** UUID of the decision. */
  id: string;
  partition: number;
  log: KeptLog;
  /** JOURNAL_EPOCH when it was proposed: sequences begin again, so the next start needs a higher one. */
  epoch: number;
  reason: string;
  proposedBy: string;
  approvedBy: string;
  /** RFC 3339. */
  approvedAt: string;
  /** End offsets of the command topics at the approval: of each partition, in their order, by name without prefix. */
  commandEnds: Record<string, string[]>;
  /** It was used, or not needed: it counts once. */
  isApplied: boolean;
}

/** Approved decisions in the order in which they were proposed, and what follows of them. */
export class ResumeList {
  readonly #decisions = new Map<string, ResumeDecision>();
  /** Hashes of the commands that the command topics hold of before. */
  readonly #copies = new Set<string>();

  get isEmpty(): boolean {
    return this.#decisions.size === 0;
  }

  /** Approved, and not used yet. */
  get pending(): readonly ResumeDecision[] {
    return [...this.#decisions.values()].filter(({ isApplied }) => !isApplied);
  }

  /** Takes a decision, or the same one again once it is applied. */
  add(decision: ResumeDecision): void {
    this.#decisions.set(decision.id, decision);
  }

  /** True where the journal partition of the order goes on by a decision. */
  hasDecided(orderKey: string): boolean {
    return this.#decidedOf(orderKey).length > 0;
  }

  /** End offset of the commands of before in a partition of a command topic, over all journal partitions. */
  endOf({ topic, partition }: Omit<CommandPlace, 'offset'>): bigint {
    const ends = [...this.#decisions.values()].map(({ commandEnds }) => endIn(commandEnds, topic, partition));
    return ends.reduce((one, other) => (one > other ? one : other), 0n);
  }

  isPlacedBefore(orderKey: string, { topic, partition, offset }: CommandPlace): boolean {
    return this.#decidedOf(orderKey).some(({ commandEnds }) => offset < endIn(commandEnds, topic, partition));
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

function endIn(ends: ResumeDecision['commandEnds'], topic: string, partition: number): bigint {
  return BigInt(ends[topic]?.[partition] ?? 0);
}

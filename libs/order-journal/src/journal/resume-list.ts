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
      if (commandEnds === undefined) return `${id} does not say where the commands ended`;
      this.#decisions.set(id, { ...known, approvedBy, approvedAt, commandEnds });
      return undefined;
    }
    if (appliedAt === undefined || known.appliedAt !== undefined) return `${id} was approved before`;
    this.#decisions.set(id, { ...known, appliedAt });
    return undefined;
  }

  /**
   * Whether a command was published before a decision about its order's journal partition: one that the journal does not know may have been
   * executed, and what showed it was lost.
   */
  isBefore(journalPartition: number, { topic, partition, offset, timeMs = Infinity }: CommandPlace): boolean {
    return this.decisions.some(
      ({ partition: decided, commandEnds, approvedAt }) =>
        decided === journalPartition &&
        approvedAt !== undefined &&
        (offset < BigInt(commandEnds?.[topic]?.[partition] ?? 0) || timeMs < Date.parse(approvedAt)),
    );
  }
}

/** Topic without prefix. */
export interface CommandPlace {
  topic: string;
  partition: number;
  offset: bigint;
  /** `ce_time`, milliseconds since the epoch: one that is published again later keeps it. */
  timeMs?: number;
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

import { Injectable } from '@nestjs/common';
import { compact, ResumeList, SkipList, type ResumeDecision } from '@tranche/order-journal';
import type { OperatorIdentity } from '../operations/operator-identity.js';
import type { Decision } from './decision.js';
import { Decisions } from './decisions.service.js';
import type { ApprovalFacts, ResumeSubject, SkipSubject } from './subjects.js';

const KINDS = ['skip', 'resume'] as const;
export type JournalDecision = Decision<(typeof KINDS)[number]>;

export type JournalDecisionView = (SkipSubject | (ResumeSubject & ApprovalFacts & { kind: 'resume' })) &
  Pick<Decision, 'id' | 'proposedBy' | 'proposedAt' | 'appliedAt'> & { approvedBy?: string; approvedAt?: string };

/**
 * Skips of unreadable records and resumes of stopped partitions. An approval takes effect at the next start, so that a process folds everything under
 * the same decisions.
 */
@Injectable()
export class JournalDecisions {
  /** Approved skips as of this process' start. All its readers of the journal use them. */
  readonly skipped = new SkipList();
  /** Approved resumes as of this process' start, and those that it applied itself. */
  readonly resumes = new ResumeList();

  constructor(private readonly decisions: Decisions) {}

  /** Must be called before the first record of the journal is read. */
  async load(): Promise<void> {
    await this.decisions.load();
    for (const { subject } of await this.#approved('skip')) this.skipped.add(subject.hash);
    for (const decision of (await this.#approved('resume')).reverse()) this.resumes.add(resumeOf(decision));
  }

  async list(): Promise<JournalDecisionView[]> {
    return (await this.decisions.list(KINDS)).reverse().map(viewOf);
  }

  /** Returns the approved decision where the record's skip was approved before; it needs no second one. */
  async proposeSkip(subject: SkipSubject, operator: OperatorIdentity): Promise<JournalDecisionView> {
    const approved = (await this.#approved('skip')).find((decision) => decision.subject.hash === subject.hash);
    if (approved) return viewOf(approved);
    return viewOf(await this.decisions.propose({ kind: 'skip', about: subject.hash, subject }, operator));
  }

  async proposeResume(subject: ResumeSubject, operator: OperatorIdentity): Promise<JournalDecisionView> {
    const about = JSON.stringify([subject.partition, subject.log]);
    return viewOf(await this.decisions.propose({ kind: 'resume', about, subject }, operator));
  }

  /** @throws Problem where this person may not decide about it, or it can't be decided any more */
  async open(id: string, operator: OperatorIdentity): Promise<JournalDecision> {
    const decision = await this.decisions.find(id, KINDS);
    this.decisions.assertMayDecide(decision, operator);
    return decision;
  }

  async approve(
    decision: JournalDecision,
    operator: OperatorIdentity,
    facts?: ApprovalFacts,
  ): Promise<JournalDecisionView> {
    return viewOf(await this.decisions.decide(decision, 'approved', operator, facts));
  }

  async applied(decision: ResumeDecision): Promise<void> {
    await this.decisions.applied(decision.id);
    this.resumes.add({ ...decision, isApplied: true });
  }

  async #approved<K extends (typeof KINDS)[number]>(kind: K): Promise<Decision<K>[]> {
    return (await this.decisions.list([kind])).filter(({ state }) => state === 'approved');
  }
}

function resumeOf({ id, subject, facts, ...decision }: Decision<'resume'>): ResumeDecision {
  const { proposedBy, decidedBy: approvedBy = '', decidedAt: approvedAt = '', appliedAt } = decision;
  const { commandEnds = {} } = facts ?? {};
  return { id, ...subject, proposedBy, approvedBy, approvedAt, commandEnds, isApplied: appliedAt !== undefined };
}

function viewOf(decision: JournalDecision): JournalDecisionView {
  const { id, kind, subject, facts, proposedBy, proposedAt, decidedBy, decidedAt, appliedAt } = decision;
  const by = { proposedBy, proposedAt, approvedBy: decidedBy, approvedAt: decidedAt, appliedAt };
  return compact({ id, ...(kind === 'resume' && { kind }), ...subject, ...by, ...facts }) as JournalDecisionView;
}

import { Injectable } from '@nestjs/common';
import { Problem } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import type { ManualResolution } from '../operations/manual-resolution.js';
import { OperationsService, type Approval } from '../operations/operations.service.js';
import { assertMerchant, mayAct, type OperatorIdentity } from '../operations/operator-identity.js';
import type { OperationView } from '../operations/order-view.js';
import type { RecordedDecision } from '../operations/recorded-decision.js';
import type { Decision } from './decision.js';
import { alreadyDecided, Decisions } from './decisions.service.js';
import { orderDigest } from './order-digest.js';
import { stateOf, whyTwoPeople } from './resolution.js';
import type { ResolutionSubject } from './subjects.js';

const KINDS = ['resolution'] as const;
type ResolutionDecision = Decision<'resolution'>;

export type ProposalView = ResolutionSubject &
  Pick<Decision, 'id' | 'proposedBy' | 'proposedAt' | 'expiresAt' | 'state' | 'decidedBy' | 'decidedAt'>;

/** Resolutions that need two people (docs/decisions/0075). */
@Injectable()
export class ResolutionDecisions {
  constructor(
    private readonly config: GatewayConfig,
    private readonly operations: OperationsService,
    private readonly decisions: Decisions,
  ) {}

  /** Resolves the operation and returns it, or returns the proposal that a second person must approve. */
  async resolve(
    id: string,
    resolution: ManualResolution,
    operator: OperatorIdentity,
  ): Promise<OperationView | ProposalView | RecordedDecision> {
    const { order, operation } = await this.operations.check(id, resolution, operator);
    const { merchant, orderId } = order;
    const why = whyTwoPeople(operation, resolution, this.config.merchants.byName(merchant));
    if (why === undefined) return this.operations.resolve(id, resolution, operator);
    const { commandId } = operation;
    const seen = orderDigest(order);
    const name = { operation: id, merchant, orderId, commandId };
    const subject = { ...name, resolution, why, seen, was: stateOf(operation) };
    const about = `${id} ${seen}`;
    const withinMs = this.config.operators.approvalWithinMs;
    const open = await this.decisions.propose({ kind: 'resolution', about, subject, withinMs }, operator);
    if (open.proposedBy === operator.person && isSame(open.subject.resolution, resolution)) return viewOf(open);
    const detail = `${open.proposedBy} proposed ${open.subject.resolution.outcome} already: approve or reject that first.`;
    throw new Problem({ status: 409, code: 'proposal_open', detail });
  }

  /** Lists proposals of the operator's merchants, the newest first. */
  async list(operator: OperatorIdentity): Promise<ProposalView[]> {
    const decisions = await this.decisions.list(KINDS);
    return decisions.filter(({ subject: { merchant } }) => mayAct(operator, merchant)).map(viewOf);
  }

  /**
   * Writes the approval before the resolution, so that a concurrent rejection either prevents it or is refused. Where the process ends in between,
   * the approver must approve again.
   */
  async approve(id: string, operator: OperatorIdentity): Promise<OperationView | RecordedDecision> {
    const decision = await this.#find(id, operator);
    if (decision.state === 'approved' && decision.decidedBy === operator.person) return this.#approveAgain(decision);
    this.decisions.assertMayDecide(decision, operator);
    const { operation, resolution } = decision.subject;
    await this.operations.check(operation, resolution, proposerOf(decision), approvalOf(decision, operator.person));
    return this.#journal(await this.decisions.decide(decision, 'approved', operator));
  }

  async reject(id: string, operator: OperatorIdentity): Promise<ProposalView> {
    const decision = await this.#find(id, operator);
    return viewOf(await this.decisions.decide(decision, 'rejected', operator));
  }

  async #find(id: string, operator: OperatorIdentity): Promise<ResolutionDecision> {
    const decision = await this.decisions.find(id, KINDS);
    assertMerchant(operator, decision.subject.merchant);
    return decision;
  }

  /**
   * Repeats an approval whose resolution may not have reached the journal. A changed order may have it already, so `proposal_stale` is reported as
   * already decided.
   */
  async #approveAgain(decision: ResolutionDecision): Promise<OperationView | RecordedDecision> {
    if (this.decisions.isOver(decision)) throw alreadyDecided(decision);
    return this.#journal(decision).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'proposal_stale' ? alreadyDecided(decision) : error;
    });
  }

  #journal(decision: ResolutionDecision): Promise<OperationView | RecordedDecision> {
    const { operation, resolution } = decision.subject;
    const approval = approvalOf(decision, decision.decidedBy!);
    return this.operations.resolve(operation, resolution, proposerOf(decision), approval);
  }
}

const proposerOf = ({ proposedBy: person }: ResolutionDecision): OperatorIdentity => ({ person, role: 'operator' });

function approvalOf({ id, subject: { seen, was } }: ResolutionDecision, approvedBy: string): Approval {
  return { approvedBy, proposal: id, seen, was };
}

function viewOf({ subject, kind: _kind, about: _about, ...decision }: ResolutionDecision): ProposalView {
  return { ...subject, ...decision };
}

function isSame(one: ManualResolution, other: ManualResolution): boolean {
  const fieldsOf = ({ outcome, reason, transactionId, execCode, amount }: ManualResolution) =>
    JSON.stringify([outcome, reason, transactionId, execCode, amount]);
  return fieldsOf(one) === fieldsOf(other);
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../../clock.js';
import { GatewayConfig } from '../../gateway.config.js';
import type { ManualResolution } from '../manual-resolution.js';
import { OperationsService } from '../operations.service.js';
import { assertMerchant, mayAct, type OperatorIdentity } from '../operator-identity.js';
import type { OperationView } from '../order-view.js';
import { orderDigest } from './order-digest.js';
import {
  stateOf,
  whyTwoPeople,
  type ApprovalReason,
  type ProposalDecision,
  type ProposalView,
  type ResolutionProposal,
} from './resolution-proposal.js';
import { ResolutionProposals } from './resolution-proposals.service.js';

type Resolving = Awaited<ReturnType<OperationsService['check']>>;

/** Which resolutions need two people, and what the second one decides. docs/decisions/0076. */
@Injectable()
export class Approvals {
  constructor(
    private readonly config: GatewayConfig,
    private readonly operations: OperationsService,
    private readonly proposals: ResolutionProposals,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {}

  /** The operation as it ended, or the proposal that somebody else has to approve. */
  async resolve(
    id: string,
    resolution: ManualResolution,
    operator: OperatorIdentity,
  ): Promise<OperationView | ProposalView> {
    const resolving = await this.operations.check(id, resolution, operator);
    const why = whyTwoPeople(resolving.operation, resolution, this.config.merchants.byName(resolving.order.merchant));
    if (why === undefined) return this.operations.resolve(id, resolution, operator);
    return this.#propose(id, { resolution, operator, resolving, why });
  }

  /** Those of the operator's merchants, the newest first. */
  async list(operator: OperatorIdentity): Promise<ProposalView[]> {
    return (await this.proposals.list()).filter(({ merchant }) => mayAct(operator, merchant));
  }

  /** The journal has the resolution first: an approval that is not written down after it is of an order that has moved on. */
  async approve(id: string, operator: OperatorIdentity): Promise<OperationView> {
    const proposal = await this.#open(id, operator);
    const { resolution, proposedBy: person, seen, was } = proposal;
    const view = await this.operations.resolve(
      proposal.operation,
      resolution,
      { person, role: 'operator' },
      { approvedBy: operator.person, proposal: id, seen, was },
    );
    await this.#decide(proposal, 'approved', operator);
    return view;
  }

  async reject(id: string, operator: OperatorIdentity): Promise<ProposalView> {
    const proposal = await this.#open(id, operator);
    return { ...proposal, ...(await this.#decide(proposal, 'rejected', operator)), state: 'rejected' };
  }

  async #propose(
    operationId: string,
    {
      resolution,
      operator,
      resolving: { order, operation },
      why,
    }: { resolution: ManualResolution; operator: OperatorIdentity; resolving: Resolving; why: ApprovalReason },
  ): Promise<ProposalView> {
    const { person } = operator;
    const seen = orderDigest(order);
    const open = (await this.proposals.list()).find(
      (known) => known.state === 'open' && known.operation === operationId && known.seen === seen,
    );
    if (open !== undefined) {
      if (open.proposedBy === person && isSame(open.resolution, resolution)) return open;
      const detail = `${open.proposedBy} proposed ${open.resolution.outcome} already: approve or reject that first.`;
      throw new Problem({ status: 409, code: 'proposal_open', detail });
    }
    const { merchant, orderId } = order;
    const expiresAt = new Date(this.clock.nowMs() + this.config.approvalWithinMs).toISOString();
    const proposal: ResolutionProposal = {
      ...{ id: randomUUID(), operation: operationId, merchant, orderId, commandId: operation.commandId },
      ...{ resolution, why, seen, was: stateOf(operation) },
      ...{ proposedBy: person, proposedAt: isoTime(this.clock), expiresAt },
    };
    await this.proposals.append(proposal);
    const { outcome } = resolution;
    this.log.info(
      { proposal: proposal.id, operator: person, merchant, orderId, outcome, why },
      'A resolution was proposed',
    );
    return { ...proposal, state: 'open' };
  }

  /** @throws Problem where this person can't decide about it, or nobody can any more */
  async #open(id: string, operator: OperatorIdentity): Promise<ProposalView> {
    const proposal = (await this.proposals.list()).find((known) => known.id === id);
    if (!proposal) throw new Problem({ status: 404, code: 'proposal_unknown', detail: 'There is no such proposal.' });
    assertMerchant(operator, proposal.merchant);
    const { state, decidedBy = '', expiresAt } = proposal;
    if (state === 'approved' || state === 'rejected')
      throw new Problem({ status: 409, code: 'proposal_decided', detail: `It was ${state} before, by ${decidedBy}.` });
    if (state === 'expired')
      throw new Problem({ status: 409, code: 'proposal_expired', detail: `It expired at ${expiresAt}. Propose anew.` });
    if (proposal.proposedBy !== operator.person) return proposal;
    const detail = 'Who proposed a decision can not approve it: two people decide.';
    throw new Problem({ status: 403, code: 'same_operator', detail });
  }

  async #decide(
    { id, merchant, orderId, proposedBy }: ResolutionProposal,
    decision: ProposalDecision['decision'],
    { person }: OperatorIdentity,
  ): Promise<ProposalDecision> {
    const decided: ProposalDecision = { id, decision, decidedBy: person, decidedAt: isoTime(this.clock) };
    await this.proposals.append(decided);
    this.log.info(
      { proposal: id, operator: person, proposedBy, merchant, orderId, decision },
      'A proposal was decided',
    );
    return decided;
  }
}

function isSame(one: ManualResolution, other: ManualResolution): boolean {
  const fieldsOf = ({ outcome, reason, transactionId, execCode, amount }: ManualResolution) =>
    JSON.stringify([outcome, reason, transactionId, execCode, amount]);
  return fieldsOf(one) === fieldsOf(other);
}

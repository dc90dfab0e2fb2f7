import type { Merchant } from '@tranche/contracts';
import type { OperationState } from '@tranche/order-journal';
import type { ManualResolution } from '../manual-resolution.js';

/** A resolution that one person proposed and another has to approve. */
export interface ResolutionProposal {
  /** UUID of the proposal. */
  id: string;
  /** Id of the operation, as in its address. */
  operation: string;
  merchant: string;
  orderId: string;
  commandId: string;
  resolution: ManualResolution;
  why: ApprovalReason;
  /** `orderDigest` of the order that the proposer saw: it counts for this very order only. */
  seen: string;
  /** What the operation was then. */
  was: string;
  proposedBy: string;
  /** RFC 3339. */
  proposedAt: string;
  expiresAt: string;
}

export interface ProposalDecision {
  id: string;
  decision: 'approved' | 'rejected';
  decidedBy: string;
  decidedAt: string;
}

export type ProposalView = ResolutionProposal & { state: 'open' | 'expired' | ProposalDecision['decision'] } & Partial<
    Pick<ProposalDecision, 'decidedBy' | 'decidedAt'>
  >;

export type ApprovalReason = 'not_executed' | 'refused' | 'amount';

/**
 * Why one person is not enough; undefined where one is. After `not_executed` and `refused` the shop may take the money again. An amount that the journal does not know may be above every limit: that one person
 * says it is small is no proof.
 */
export function whyTwoPeople(
  operation: OperationState,
  { outcome, amount }: Pick<ManualResolution, 'outcome' | 'amount'>,
  { approvalAboveMinor }: Pick<Merchant, 'approvalAboveMinor'> = {},
): ApprovalReason | undefined {
  if (outcome === 'not_executed' || outcome === 'refused') return outcome;
  if (approvalAboveMinor === undefined) return undefined;
  const { amount: asked = Infinity } = operation;
  return Math.max(asked, amount ?? 0) <= approvalAboveMinor ? undefined : 'amount';
}

/** An operation's state in words of the order view. */
export const stateOf = ({ phase, end }: OperationState): string => end ?? phase;

/** What is said where the order is another one than was proposed about. */
export function changeSince({ was }: Pick<ResolutionProposal, 'was'>, operation: OperationState | undefined): string {
  const is = operation === undefined ? 'forgotten' : stateOf(operation);
  const change = is === was ? `is ${is} still, but something else of the order changed` : `was ${was} and is ${is}`;
  return `The order has moved on since the proposal: the operation ${change}. Look at it, and propose anew.`;
}

/** What the topic holds, in the order in which it was written. */
export class ProposalList {
  readonly #proposals = new Map<string, ResolutionProposal>();
  readonly #decisions = new Map<string, ProposalDecision>();

  /** Returns what is wrong with a record that does not count. */
  take(value: Buffer | null): string | undefined {
    const record = recordOf(value);
    if (record === undefined) return 'is neither a proposal nor a decision';
    const { id } = record;
    const known = this.#proposals.get(id);
    if (!('decision' in record)) {
      if (known !== undefined) return `${id} was proposed before`;
      this.#proposals.set(id, record);
      return undefined;
    }
    if (known === undefined) return `${id} was never proposed`;
    if (this.#decisions.has(id)) return `${id} was decided before`;
    if (record.decidedBy === known.proposedBy) return `${id} was decided by who proposed it`;
    this.#decisions.set(id, record);
    return undefined;
  }

  /** The newest first. */
  at(nowMs: number): ProposalView[] {
    return [...this.#proposals.values()]
      .map((proposal): ProposalView => {
        const { decision: state, decidedBy, decidedAt } = this.#decisions.get(proposal.id) ?? {};
        if (state !== undefined) return { ...proposal, state, decidedBy, decidedAt };
        return { ...proposal, state: nowMs < Date.parse(proposal.expiresAt) ? 'open' : 'expired' };
      })
      .sort((one, other) => (one.proposedAt < other.proposedAt ? 1 : -1));
  }
}

function recordOf(value: Buffer | null): ResolutionProposal | ProposalDecision | undefined {
  let record: Partial<ResolutionProposal & ProposalDecision> | null;
  try {
    record = JSON.parse((value ?? Buffer.alloc(0)).toString('utf8')) as typeof record;
  } catch {
    return undefined;
  }
  const areTexts = (...texts: unknown[]) => texts.every((text) => typeof text === 'string' && text !== '');
  const {
    id,
    decision,
    decidedBy,
    decidedAt,
    operation,
    merchant,
    seen,
    proposedBy,
    proposedAt,
    expiresAt,
    resolution,
  } = record ?? {};
  if (decision === 'approved' || decision === 'rejected')
    return areTexts(id, decidedBy, decidedAt) ? (record as ProposalDecision) : undefined;
  const isWhole = areTexts(id, operation, merchant, seen, proposedBy, proposedAt, expiresAt, resolution?.outcome);
  return isWhole ? (record as ResolutionProposal) : undefined;
}

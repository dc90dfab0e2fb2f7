import { assertMerchant, mayAct, type OperatorIdentity } from '@tranche/operators';
import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { standingOf } from '@tranche/order-journal';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import type { ManualResolution } from '../decisions/manual-resolution.js';
import type { ManualSettlement } from '../decisions/manual-settlement.js';
import {
  OperationsService,
  transactionOfAnother,
  type Approval,
  type DecisionJudgement,
  type DryRunView,
  type RecordedDecision,
  type SettlementView,
} from './operations.service.js';
import type { OperationView } from './order-view.js';
import { DecisionTopic } from '../decisions/decision-topic.service.js';
import {
  aboutOf,
  isExpired,
  isSecondPerson,
  saidIn,
  type Answer,
  type Claim,
  type Decision,
  type DecisionList,
  type DecisionRecord,
  type DecisionSubject,
  type Words,
} from '../decisions/decision.js';
import { whyTwoPeople } from '../decisions/resolution.js';

/** `judged`: what the fold made of it, once it is approved and the owner of its partition has read it. */
export type ProposalView = DecisionSubject &
  Omit<Decision, 'kind' | 'about' | 'subject'> & { judged?: DecisionJudgement };
/** `approval`: who must agree. */
export type DryRunAnswer = DryRunView & { approval?: { why: string; role: 'approver'; notBy: string } };
type Said = OperationView | SettlementView | RecordedDecision;

/** Resolutions and settlements that one person proposes and a second one approves or rejects (docs/decisions/0075). */
@Injectable()
export class ResolutionDecisions implements OnModuleInit {
  constructor(
    private readonly config: GatewayConfig,
    private readonly operations: OperationsService,
    private readonly topic: DecisionTopic,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {}

  /** Deletes decisions past their retention. */
  async onModuleInit(): Promise<void> {
    const list = await this.topic.current();
    await this.topic.delete(list.outdatedKeys(this.clock.nowMs()));
  }

  /** Resolves the operation and returns it, or returns the proposal that a second person must approve. */
  async resolve(
    id: string,
    resolution: ManualResolution,
    operator: OperatorIdentity,
  ): Promise<OperationView | ProposalView | RecordedDecision> {
    const words = { operation: id, resolution };
    const { order, operation, was } = await this.operations.check(words, operator);
    const { merchant, orderId } = order;
    const why = whyTwoPeople(operation!, resolution, this.config.merchants.byName(merchant));
    const subject = { ...words, merchant, orderId, commandId: operation!.commandId };
    refuseClaimed(await this.#current(), subject, this.clock.nowMs());
    if (why === undefined) return this.operations.say(words, operator) as Promise<OperationView | RecordedDecision>;
    return this.#proposed({ ...subject, why, seen: standingOf(order), was }, operator);
  }

  /** Tells what would happen, and why a second person would have to approve it; nothing is written. */
  async dryRun(words: Words, operator: OperatorIdentity): Promise<DryRunAnswer> {
    const { checked, consequences } = await this.operations.dryRun(words, operator);
    const merchant = this.config.merchants.byName(checked.order.merchant);
    const why = 'settlement' in words ? 'conflict' : whyTwoPeople(checked.operation!, words.resolution, merchant);
    return {
      ...consequences,
      ...(why !== undefined && { approval: { why, role: 'approver', notBy: operator.person } }),
    };
  }

  /** Returns the proposal that a second person must approve, whatever a conflict came to. */
  async settle(id: string, settlement: ManualSettlement, operator: OperatorIdentity): Promise<ProposalView> {
    const words = { conflict: id, settlement };
    const { order, was } = await this.operations.check(words, operator);
    const { merchant, orderId } = order;
    return this.#proposed({ ...words, merchant, orderId, why: 'conflict', seen: standingOf(order), was }, operator);
  }

  /** @throws Problem 409 where something else is proposed of it already */
  async #proposed(subject: DecisionSubject, operator: OperatorIdentity): Promise<ProposalView> {
    const open = await this.#propose(subject, operator);
    const said = saidIn(open.subject);
    if (open.proposedBy === operator.person && isSame(said, saidIn(subject))) return viewOf(open);
    const detail = `${open.proposedBy} proposed ${said.outcome} already: approve or reject that first.`;
    throw new Problem({ status: 409, code: 'proposal_open', detail });
  }

  /** Lists proposals of the operator's merchants, the newest first. */
  async list(operator: OperatorIdentity): Promise<ProposalView[]> {
    const decisions = (await this.#current()).all(this.clock.nowMs());
    const own = decisions.filter(({ subject: { merchant } }) => mayAct(operator, merchant));
    return Promise.all(
      own.map(async (decision) => {
        const judged = decision.state === 'approved' ? await this.operations.judgementOf(decision) : undefined;
        return judged === undefined ? viewOf(decision) : { ...viewOf(decision), judged };
      }),
    );
  }

  /**
   * Writes the approval before the resolution, so that a concurrent rejection either prevents it or is refused. Where the process ends in between,
   * the approver must approve again.
   */
  async approve(id: string, operator: OperatorIdentity): Promise<Said> {
    const decision = await this.#find(id, operator);
    if (decision.state === 'approved' && decision.decidedBy === operator.person) return this.#approveAgain(decision);
    this.#assertMayDecide(decision, operator);
    await this.operations.check(decision.subject, proposerOf(decision), approvalOf(decision, operator.person));
    return this.#journal(await this.#decide(decision, 'approved', operator));
  }

  async reject(id: string, operator: OperatorIdentity): Promise<ProposalView> {
    return viewOf(await this.#decide(await this.#find(id, operator), 'rejected', operator));
  }

  async #find(id: string, operator: OperatorIdentity): Promise<Decision> {
    const decision = (await this.#current()).find(id, this.clock.nowMs());
    if (decision === undefined)
      throw new Problem({ status: 404, code: 'decision_unknown', detail: 'There is no such proposal.' });
    assertMerchant(operator, decision.subject.merchant);
    return decision;
  }

  /**
   * Repeats an approval whose resolution may not have reached the journal. A changed order may have it already, so `proposal_stale` is reported as
   * already decided.
   */
  async #approveAgain(decision: Decision): Promise<Said> {
    const judged = await this.operations.judgementOf(decision);
    if (judged?.code !== undefined) throw new Problem({ status: 409, code: judged.code, detail: judged.detail! });
    if (judged !== undefined || isExpired(decision, this.clock.nowMs())) throw alreadyDecided(decision);
    return this.#journal(decision).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'proposal_stale' ? alreadyDecided(decision) : error;
    });
  }

  #journal(decision: Decision): Promise<Said> {
    return this.operations.say(decision.subject, proposerOf(decision), approvalOf(decision, decision.decidedBy!));
  }

  /** Returns the open proposal about this state of the operation or conflict. Writes a new one only if none is open. */
  async #propose(subject: DecisionSubject, operator: OperatorIdentity): Promise<Decision> {
    this.#assertNamed(operator);
    const about = `${aboutOf(subject)} ${subject.seen}`;
    const nowMs = this.clock.nowMs();
    const open = (await this.#current()).open(about, nowMs);
    if (open !== undefined) return open;
    const expiresAt = new Date(nowMs + this.config.approvalWithinMs).toISOString();
    const { list } = await this.#append({
      record: 'proposed',
      id: randomUUID(),
      kind: 'resolution' in subject ? 'resolution' : 'settlement',
      about,
      subject,
      proposedBy: operator.person,
      proposedAt: isoTime(this.clock),
      expiresAt,
    });
    const made = list.open(about, this.clock.nowMs());
    if ('resolution' in subject) refuseClaimed(list, subject, this.clock.nowMs());
    if (made === undefined) throw notConfirmed();
    this.log.info({ decision: made.id, about, operator: made.proposedBy }, 'A decision was proposed');
    return made;
  }

  /** @throws Problem if this person must not decide it, or if it was decided or has expired */
  #assertMayDecide(decision: Decision, operator: OperatorIdentity): void {
    this.#assertNamed(operator);
    const { state, expiresAt } = decision;
    if (state === 'approved' || state === 'rejected') throw alreadyDecided(decision);
    if (state === 'expired')
      throw new Problem({ status: 409, code: 'proposal_expired', detail: `It expired at ${expiresAt}. Propose anew.` });
    if (isSecondPerson(decision.proposedBy, operator.person)) return;
    const detail = 'The person who proposed it cannot approve or reject it. A second person must decide.';
    throw new Problem({ status: 403, code: 'same_operator', detail });
  }

  /**
   * Refuses an operator whose human name is unknown. With an issuer, one human may have a token and a key. The token's name comes from
   * OPERATORS_OIDC_PERSON_CLAIM, so a key may take part in decisions of two people only where its entry names the `person`. Otherwise one human
   * could count as two people.
   * @throws Problem 403
   */
  #assertNamed(operator: OperatorIdentity): void {
    if (this.config.operators.oidc.issuer === undefined || operator.isPersonMissing !== true) return;
    const detail =
      'OPERATORS_OIDC_ISSUER is set, and the entry of this key in OPERATORS_FILE names no person: whether its holder is also the holder of a token is not known. ' +
      'Use a token, or set "person" of the entry to what OPERATORS_OIDC_PERSON_CLAIM says of that person.';
    throw new Problem({ status: 403, code: 'person_needed', detail });
  }

  /**
   * Writes the answer and reads it back: of two concurrent answers, the first in the topic counts.
   * @throws Problem 409 `already_decided` where another answer was first
   */
  async #decide(decision: Decision, answer: Answer, operator: OperatorIdentity): Promise<Decision> {
    this.#assertMayDecide(decision, operator);
    const { id, about, proposedBy } = decision;
    const written = { record: answer, id, by: operator.person, at: isoTime(this.clock) };
    const { list, hasCounted } = await this.#append(written);
    const decided = list.find(id, this.clock.nowMs());
    if (!hasCounted && decided !== undefined) this.#assertMayDecide(decided, operator);
    if (!hasCounted || decided === undefined) throw notConfirmed();
    this.log.info({ decision: id, about, operator: operator.person, proposedBy }, `A decision was ${answer}`);
    return decided;
  }

  async #current(): Promise<DecisionList> {
    try {
      return await this.topic.current();
    } catch (cause) {
      this.log.warn({ err: cause }, 'The decisions could not be read');
      const detail = 'The proposals can not be read now. Try again later.';
      throw new Problem({ status: 503, code: 'unavailable', detail, cause });
    }
  }

  async #append(record: DecisionRecord): ReturnType<DecisionTopic['append']> {
    try {
      return await this.topic.append(record);
    } catch (cause) {
      this.log.warn({ err: cause, decision: record.id }, 'It is not known if a decision record was written');
      throw notConfirmed(cause);
    }
  }
}

/** @throws Problem where a decision about another operation claims the TRANSACTIONID */
function refuseClaimed(list: DecisionList, claim: Claim, nowMs: number): void {
  const holder = list.holderOf(claim, nowMs);
  if (holder !== undefined)
    throw transactionOfAnother(holder.subject.orderId, `, by proposal ${holder.id} of ${holder.proposedBy}`);
}

const proposerOf = ({ proposedBy: person }: Decision): OperatorIdentity => ({ person, role: 'operator' });

function approvalOf({ id, subject: { seen, was } }: Decision, approvedBy: string): Approval {
  return { approvedBy, proposal: id, seen, was };
}

function viewOf({ subject, kind: _kind, about: _about, ...decision }: Decision): ProposalView {
  return { ...subject, ...decision };
}

type What = ManualResolution | ManualSettlement;

function isSame(one: What, other: What): boolean {
  const fieldsOf = ({ actor: _actor, ...said }: What) => JSON.stringify(Object.entries(said).sort());
  return fieldsOf(one) === fieldsOf(other);
}

function alreadyDecided({ state, decidedBy, decidedAt }: Decision): Problem {
  const detail = `It is already decided: ${state} by ${decidedBy} at ${decidedAt}. The first answer counts.`;
  return new Problem({ status: 409, code: 'already_decided', detail });
}

function notConfirmed(cause?: unknown): Problem {
  const detail = 'It is not known if it was written. Look at the list of proposals before you repeat the request.';
  return new Problem({ status: 503, code: 'resolution_not_confirmed', detail, cause });
}

import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { compact } from '@tranche/order-journal';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import type { OperatorIdentity } from '../operations/operator-identity.js';
import { DecisionTopic } from './decision-topic.service.js';
import type { Answer, Decision, DecisionList, DecisionRecord, Proposal } from './decision.js';
import { assertNamed, isSecondPerson } from './second-person.js';
import type { Kind } from './subjects.js';

/** Manages everything that one person proposes and a second one approves or rejects. docs/decisions/0075. */
@Injectable()
export class Decisions implements OnModuleInit {
  constructor(
    private readonly config: GatewayConfig,
    private readonly topic: DecisionTopic,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {}

  /** Deletes decisions past their retention. */
  async onModuleInit(): Promise<void> {
    const list = await this.topic.current();
    await this.topic.delete(list.outdatedKeys(this.clock.nowMs()));
  }

  /** Newest first. */
  async list<K extends Kind>(kinds: readonly K[]): Promise<Decision<K>[]> {
    return (await this.#current()).of(kinds, this.clock.nowMs());
  }

  /** @throws Problem 404 */
  async find<K extends Kind>(id: string, kinds: readonly K[]): Promise<Decision<K>> {
    const decision = (await this.#current()).find(id, kinds, this.clock.nowMs());
    if (decision) return decision;
    throw new Problem({ status: 404, code: 'decision_unknown', detail: 'There is no such proposal.' });
  }

  /** Returns the open proposal of this kind for `about`. Writes a new one only if none is open. */
  async propose<K extends Kind>(
    { withinMs, ...proposal }: Pick<Proposal<K>, 'kind' | 'about' | 'subject'> & { withinMs?: number },
    operator: OperatorIdentity,
  ): Promise<Decision<K>> {
    assertNamed(operator, this.config.operators.oidc);
    const { kind, about } = proposal;
    const nowMs = this.clock.nowMs();
    const open = (await this.#current()).open(kind, about, nowMs);
    if (open !== undefined) return open;
    const id = randomUUID();
    const expiresAt = withinMs === undefined ? undefined : new Date(nowMs + withinMs).toISOString();
    const times = { proposedAt: isoTime(this.clock), expiresAt };
    const { list } = await this.#append(
      compact({ record: 'proposed', id, ...proposal, proposedBy: operator.person, ...times } as const),
    );
    const made = list.open(kind, about, this.clock.nowMs());
    if (made === undefined) throw notConfirmed();
    this.log.info({ decision: made.id, kind, about, operator: made.proposedBy }, 'A decision was proposed');
    return made;
  }

  /** True once `expiresAt` has passed. `state` does not show this for a proposal that has an answer. */
  isOver({ expiresAt }: Decision): boolean {
    return expiresAt !== undefined && this.clock.nowMs() >= Date.parse(expiresAt);
  }

  /** @throws Problem if this person must not decide it, or if it was decided or has expired */
  assertMayDecide(decision: Decision, operator: OperatorIdentity): void {
    assertNamed(operator, this.config.operators.oidc);
    const { state, expiresAt } = decision;
    if (state === 'approved' || state === 'rejected') throw alreadyDecided(decision);
    if (state === 'expired')
      throw new Problem({ status: 409, code: 'proposal_expired', detail: `It expired at ${expiresAt}. Propose anew.` });
    if (isSecondPerson(decision.proposedBy, operator.person)) return;
    const detail = 'The person who proposed it cannot approve or reject it. A second person must decide.';
    throw new Problem({ status: 403, code: 'same_operator', detail });
  }

  /**
   * Writes the answer and reads it back: of two concurrent answers, the first in the topic counts.
   * @throws Problem 409 `already_decided` where another answer was first
   */
  async decide<K extends Kind>(
    decision: Decision<K>,
    answer: Answer,
    operator: OperatorIdentity,
  ): Promise<Decision<K>> {
    this.assertMayDecide(decision, operator);
    const { id, kind, about, proposedBy } = decision;
    const written = { record: answer, id, by: operator.person, at: isoTime(this.clock) };
    const { list, hasCounted } = await this.#append(written);
    const decided = list.find(id, [kind], this.clock.nowMs());
    if (!hasCounted && decided !== undefined) this.assertMayDecide(decided, operator);
    if (!hasCounted || decided === undefined) throw notConfirmed();
    this.log.info({ decision: id, kind, about, operator: operator.person, proposedBy }, `A decision was ${answer}`);
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

export function alreadyDecided({ state, decidedBy, decidedAt }: Decision): Problem {
  const detail = `It is already decided: ${state} by ${decidedBy} at ${decidedAt}. The first answer counts.`;
  return new Problem({ status: 409, code: 'already_decided', detail });
}

function notConfirmed(cause?: unknown): Problem {
  const detail = 'It is not known if it was written. Look at the list of proposals before you repeat the request.';
  return new Problem({ status: 503, code: 'word_not_confirmed', detail, cause });
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { ResumeList, resumeDecisionOf, SkipList, type ResumeDecision, type SkipDecision } from '@tranche/order-journal';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { readWholeTopic } from './whole-topic.js';

type Decision = SkipDecision | ResumeDecision;
type Proposal =
  | Pick<SkipDecision, 'partition' | 'offset' | 'hash' | 'reason'>
  | Pick<ResumeDecision, 'kind' | 'partition' | 'log' | 'epoch' | 'reason'>;

/** What the topic holds: of records that are skipped, and of partitions that go on. */
export interface Decisions {
  readonly skips: SkipList;
  readonly resumes: ResumeList;
}

/**
 * `payments.journal.decisions.v1`: which unreadable records are skipped, and which stopped partitions go on. Read whole before the journal is,
 * and again before a decision is added. What is approved later counts from the next start on, so that all that a process knows was folded
 * under the same decisions.
 */
@Injectable()
export class JournalDecisions {
  /** What this process was started with: all its readers of the journal go by it. */
  readonly skipped = new SkipList();
  /** What this process was started with, and what it applied itself. */
  readonly resumes = new ResumeList();
  readonly #topic: string;

  constructor(
    config: GatewayConfig,
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly producer: BatchingProducer,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.journalDecisions);
  }

  /** Before the first record of the journal is read. */
  async load(): Promise<void> {
    await this.#readInto({ skips: this.skipped, resumes: this.resumes });
  }

  /** As the topic is now. */
  async list(): Promise<Decisions> {
    const decisions = { skips: new SkipList(), resumes: new ResumeList() };
    await this.#readInto(decisions);
    return decisions;
  }

  /** The same proposal is not written twice. */
  async propose<P extends Proposal>(proposal: P, operator: string): Promise<Decision> {
    const open = all(await this.list()).find((known) => isOpen(known) && isAbout(known, proposal));
    if (open) return open;
    const decision = { id: randomUUID(), ...proposal, proposedBy: operator, proposedAt: isoTime(this.clock) };
    await this.#append(decision);
    this.log.warn({ ...decision }, `An operator proposed ${whatOf(decision)}`);
    return decision;
  }

  async find(id: string): Promise<Decision | undefined> {
    const { skips, resumes } = await this.list();
    return skips.find(id) ?? resumes.find(id);
  }

  /**
   * @param seen what the approval adds about the moment
   * @throws Problem where it is unknown, was approved before, or the same person proposed it
   */
  async approve(id: string, operator: string, seen: Pick<ResumeDecision, 'commandEnds'> = {}): Promise<Decision> {
    const known = await this.find(id);
    if (!known) throw new Problem({ status: 404, code: 'decision_unknown', detail: 'There is no such decision.' });
    if (known.approvedBy !== undefined)
      throw new Problem({ status: 409, code: 'decision_approved', detail: `${known.approvedBy} approved it before.` });
    if (known.proposedBy === operator) {
      const detail = 'Who proposed a decision can not approve it: two people decide.';
      throw new Problem({ status: 403, code: 'same_operator', detail });
    }
    const approved = { ...known, ...seen, approvedBy: operator, approvedAt: isoTime(this.clock) };
    await this.#append(approved);
    this.log.warn({ ...approved }, `An operator approved ${whatOf(approved)}; it counts from the next start on`);
    return approved;
  }

  /** It was used: it counts no more. */
  async applied(decision: ResumeDecision): Promise<void> {
    const applied = { ...decision, appliedAt: isoTime(this.clock) };
    await this.#append(applied);
    this.resumes.take(applied);
  }

  async #append(decision: Decision): Promise<void> {
    const value = Buffer.from(JSON.stringify(decision));
    const headers = { 'content-type': 'application/json' };
    // One key and so one partition for all that is said of a decision, in its order.
    await this.producer.send({ topic: this.#topic, key: decision.id, value, headers });
  }

  async #readInto({ skips, resumes }: Decisions): Promise<void> {
    const { client, log } = this;
    await readWholeTopic({ client, topic: this.#topic, log }, (value, place) => {
      const resume = resumeDecisionOf(value);
      const fault = resume === undefined ? skips.take(value) : resumes.take(resume);
      if (fault !== undefined) log.warn({ ...place, fault }, 'A decision does not count');
    });
  }
}

const all = ({ skips, resumes }: Decisions): Decision[] => [...skips.decisions, ...resumes.decisions];
/** A skip that was approved needs no other one; a partition may have to be resumed again. */
const isOpen = (decision: Decision) => !('kind' in decision) || decision.approvedBy === undefined;

function isAbout(known: Decision, proposal: Proposal): boolean {
  if ('kind' in known || 'kind' in proposal)
    return (
      'kind' in known &&
      'kind' in proposal &&
      known.partition === proposal.partition &&
      JSON.stringify(known.log) === JSON.stringify(proposal.log)
    );
  return known.hash === proposal.hash;
}

const whatOf = (decision: Decision) =>
  'kind' in decision ? 'to go on with a stopped journal partition' : 'to skip a journal record';

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer, LogReader, topicOffsets, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { SkipList, type SkipDecision } from '@tranche/order-journal';
import { Problem, ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';

type Proposal = Pick<SkipDecision, 'partition' | 'offset' | 'hash' | 'reason'>;

/**
 * `payments.journal.decisions.v1`: which unreadable records are skipped. Read whole before the journal is, and again before a decision is
 * added. What is approved later counts from the next start on, so that all that a process knows was folded under the same list.
 */
@Injectable()
export class JournalDecisions {
  /** What this process was started with: all its readers of the journal go by it. */
  readonly skipped = new SkipList();
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
    await this.#readInto(this.skipped);
  }

  /** As the topic is now. */
  async list(): Promise<SkipList> {
    const decisions = new SkipList();
    await this.#readInto(decisions);
    return decisions;
  }

  async propose(proposal: Proposal, operator: string): Promise<SkipDecision> {
    const open = (await this.list()).decisions.find(({ hash }) => hash === proposal.hash);
    if (open) return open;
    const proposedAt = new Date(this.clock.nowMs()).toISOString();
    const decision: SkipDecision = { id: randomUUID(), ...proposal, proposedBy: operator, proposedAt };
    await this.#append(decision);
    this.log.warn({ ...decision }, 'An operator proposed to skip a journal record');
    return decision;
  }

  /** @throws Problem where it is unknown, was approved before, or the same person proposed it */
  async approve(id: string, operator: string): Promise<SkipDecision> {
    const known = (await this.list()).find(id);
    if (!known) throw new Problem({ status: 404, code: 'decision_unknown', detail: 'There is no such decision.' });
    if (known.approvedBy !== undefined)
      throw new Problem({ status: 409, code: 'decision_approved', detail: `${known.approvedBy} approved it before.` });
    if (known.proposedBy === operator) {
      const detail = 'Who proposed a decision can not approve it: two people decide.';
      throw new Problem({ status: 403, code: 'same_operator', detail });
    }
    const approved = { ...known, approvedBy: operator, approvedAt: new Date(this.clock.nowMs()).toISOString() };
    await this.#append(approved);
    this.log.warn({ ...approved }, 'An operator approved to skip a journal record; it counts from the next start on');
    return approved;
  }

  async #append(decision: SkipDecision): Promise<void> {
    const value = Buffer.from(JSON.stringify(decision));
    const headers = { 'content-type': 'application/json' };
    await this.producer.send({ topic: this.#topic, key: decision.id, value, headers });
  }

  async #readInto(decisions: SkipList): Promise<void> {
    const { client, log } = this;
    const reader = new LogReader({ client, topic: this.#topic, log });
    try {
      for (const [partition, { low, high }] of await topicOffsets(client, this.#topic)) {
        if (low === high) continue;
        for await (const records of reader.read(partition, low, high))
          for (const { offset, value } of records) {
            const fault = decisions.take(value);
            if (fault !== undefined)
              log.warn({ partition, offset: String(offset), fault }, 'A decision does not count');
          }
      }
    } finally {
      await reader.close();
    }
  }
}

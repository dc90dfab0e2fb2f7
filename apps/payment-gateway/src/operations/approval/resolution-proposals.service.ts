import { Injectable } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { BatchingProducer, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { ServiceLogger } from '@tranche/service-kit';
import { Clock } from '../../clock.js';
import { GatewayConfig } from '../../gateway.config.js';
import { readWholeTopic } from '../../journal/whole-topic.js';
import {
  ProposalList,
  type ProposalDecision,
  type ProposalView,
  type ResolutionProposal,
} from './resolution-proposal.js';

/** `payments.resolutions.v1`: read whole whenever somebody asks, so that every instance knows the same, after a restart too. */
@Injectable()
export class ResolutionProposals {
  readonly #topic: string;

  constructor(
    config: GatewayConfig,
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly producer: BatchingProducer,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {
    this.#topic = topicName(config.kafkaTopicPrefix, TOPICS.resolutions);
  }

  async list(): Promise<ProposalView[]> {
    const { client, log } = this;
    const list = new ProposalList();
    await readWholeTopic({ client, topic: this.#topic, log }, (value, place) => {
      const fault = list.take(value);
      if (fault !== undefined) log.warn({ ...place, fault }, 'A record of proposals does not count');
    });
    return list.at(this.clock.nowMs());
  }

  /** One key and so one partition for all that is said of a proposal, in its order. */
  async append(record: ResolutionProposal | ProposalDecision): Promise<void> {
    const value = Buffer.from(JSON.stringify(record));
    await this.producer.send({
      topic: this.#topic,
      key: record.id,
      value,
      headers: { 'content-type': 'application/json' },
    });
  }
}

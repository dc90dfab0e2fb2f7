import { Injectable } from '@nestjs/common';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock, RepeatedWork } from '../clock.js';
import { DecisionTopic } from '../decisions/decision-topic.service.js';

/** Counts the proposals that are open. Each instance counts all of them. */
@Injectable()
export class ProposalGauges extends RepeatedWork {
  protected readonly everyMs = 10_000;
  readonly #number;
  readonly #oldest;
  readonly #expires;

  constructor(
    private readonly topic: DecisionTopic,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    super();
    const labelNames = ['merchant'];
    this.#number = metrics.gauge({
      name: 'tranche_proposals',
      help: 'Proposals that wait for another person, for all instances: the same from each',
      labelNames,
    });
    this.#oldest = metrics.gauge({
      name: 'tranche_proposal_oldest_age_seconds',
      help: 'Age of the oldest of them',
      labelNames,
    });
    this.#expires = metrics.gauge({
      name: 'tranche_proposal_expires_seconds',
      help: 'Unix time at which the first of them expires',
      labelNames,
    });
  }

  /** Never rejects: gauges that could not be measured keep their last values. */
  protected async run(): Promise<void> {
    try {
      const nowMs = this.clock.nowMs();
      const open = (await this.topic.current()).all(nowMs).filter(({ state }) => state === 'open');
      for (const gauge of [this.#number, this.#oldest, this.#expires]) gauge.reset();
      const byEnd = open.map((one) => ({ merchant: one.subject.merchant, fromMs: Date.parse(one.proposedAt), endMs: Date.parse(one.expiresAt) })); // prettier-ignore
      for (const { merchant } of byEnd) this.#number.inc({ merchant });
      // The oldest is set last, and the first to expire.
      for (const { merchant, fromMs } of byEnd.toSorted((one, other) => other.fromMs - one.fromMs))
        this.#oldest.set({ merchant }, Math.max(0, (nowMs - fromMs) / 1000));
      for (const { merchant, endMs } of byEnd.toSorted((one, other) => other.endMs - one.endMs))
        this.#expires.set({ merchant }, endMs / 1000);
    } catch (err) {
      this.log.debug({ err }, 'The open proposals could not be counted');
    }
  }
}

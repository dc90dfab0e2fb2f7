import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { pauseFor, reasonOf } from '@tranche/runtime';
import { Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Database } from '../database/database.service.js';

const EVERY_MS = 15_000;

/** Counts what only this service lists, for alerts. Doubts, conflicts and proposals are counted by the gateway. */
@Injectable()
export class AttentionGauges implements OnApplicationBootstrap {
  readonly #number;
  readonly #oldest;
  readonly #actBy;

  constructor(
    private readonly database: Database,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    const labelNames = ['kind', 'merchant'];
    this.#number = metrics.gauge({
      name: 'tranche_attention',
      help: 'Frozen orders (`frozen`) and payments that wait and that an operator may decide (`open_to_operator`), for all instances: the same from each',
      labelNames,
    });
    this.#oldest = metrics.gauge({
      name: 'tranche_attention_oldest_age_seconds',
      help: 'Age of the oldest of them',
      labelNames,
    });
    this.#actBy = metrics.gauge({
      name: 'tranche_attention_act_by_seconds',
      help: 'Unix time by which a person must act on the first of them; absent where there is none',
      labelNames,
    });
  }

  onApplicationBootstrap(): void {
    void this.#run();
  }

  async #run(): Promise<void> {
    const { stopping } = this.lifetime;
    while (!stopping.aborted) {
      // Gauges that could not be measured keep their last values.
      await this.measure().catch((error: unknown) => this.log.debug({ reason: reasonOf(error) }, 'The queue could not be counted'));
      await pauseFor(EVERY_MS, stopping);
    }
  } // prettier-ignore

  async measure(): Promise<void> {
    const { sql } = this.database;
    const rows = await sql<{ kind: string; merchant: string; number: number; oldest: Date; actBy: Date | null }[]>`
      select kind, merchant, count(*)::int as number, min(since) as oldest, min(act_by) as "actBy" from attention
      where kind in ('frozen', 'open_to_operator') and open_from <= now() group by kind, merchant`;
    for (const gauge of [this.#number, this.#oldest, this.#actBy]) gauge.reset();
    for (const { kind, merchant, number, oldest, actBy } of rows) {
      this.#number.set({ kind, merchant }, number);
      this.#oldest.set({ kind, merchant }, Math.max(0, (Date.now() - oldest.getTime()) / 1000));
      if (actBy !== null) this.#actBy.set({ kind, merchant }, actBy.getTime() / 1000);
    }
  }
}

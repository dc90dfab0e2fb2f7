import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { summaryOf, type OrderState } from '@tranche/order-journal';
import { pauseFor, reasonOf } from '@tranche/runtime';
import { Metrics, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { Database } from '../database/database.service.js';
import { OperationsConfig } from '../operations.config.js';
import { GatewayClient } from './gateway.client.js';

/** Orders of one comparison: of those that changed last, and of all. */
const SAMPLE = 5;
const RESULTS = ['same', 'different', 'not_comparable'] as const;
type Result = (typeof RESULTS)[number];

interface GatewayOrder {
  status: string;
  amounts: object;
  operations: { commandId: string; state: string; attempt: number; amount?: number; transactionId?: string }[];
  asOf: { partition: number; offset: string };
}

/** Both must agree on this text. */
const factsOf = ({ status, amounts, operations }: Omit<GatewayOrder, 'asOf'>): string =>
  JSON.stringify({
    status,
    amounts,
    operations: operations.map(({ commandId, state, attempt, amount = null, transactionId = null }) => ({
      ...{ commandId, state, attempt, amount, transactionId },
    })),
  });

/** `next`: our position in the order's partition. Both are compared only where neither holds a record of the order that the other lacks. */
function compareOrder(ours: OrderState, next: bigint, theirs: GatewayOrder): Result {
  const theirOffset = BigInt(theirs.asOf.offset);
  if (BigInt(ours.lastOffset) > theirOffset || next <= theirOffset) return 'not_comparable';
  const operations = ours.operations.map(({ phase, end, ...operation }) => ({ ...operation, state: end ?? phase }));
  return factsOf({ ...summaryOf(ours), operations }) === factsOf(theirs) ? 'same' : 'different';
}

/** Compares what was folded here with the gateways' index, which nobody else checks. */
@Injectable()
export class IndexComparison implements OnApplicationBootstrap {
  readonly #compared: { inc(labels: { result: Result }): void };

  constructor(
    private readonly config: OperationsConfig,
    private readonly database: Database,
    private readonly gateway: GatewayClient,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
    metrics: Metrics,
  ) {
    this.#compared = metrics.counterFromZero({
      name: 'tranche_operations_compared_orders_total',
      help: 'Orders that were compared with the index of the gateway',
      labels: { result: RESULTS },
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.gatewayKey !== undefined) void this.#run();
  }

  async #run(): Promise<void> {
    const { stopping } = this.lifetime;
    while (!stopping.aborted) {
      await pauseFor(this.config.compareEveryMs, stopping);
      await this.compareSample().catch((error: unknown) =>
        this.log.warn({ reason: reasonOf(error) }, 'Orders could not be compared with the index'),
      );
    }
  }

  async compareSample(): Promise<void> {
    const { sql } = this.database;
    const rows = await sql<{ key: string; state: OrderState; next: string }[]>`
      select key, state, next from (
        (select * from orders order by changed desc, key desc limit ${SAMPLE})
        union all (select * from orders tablesample system (1) limit ${SAMPLE})
      ) as sample
      join positions on positions.topic = ${TOPICS.journal.name} and positions.partition = sample.partition`;
    for (const { key, state, next } of rows) {
      if (this.lifetime.stopping.aborted) return;
      const { merchant, orderId } = state;
      const path = `/v1/orders/${merchant}/${encodeURIComponent(orderId)}`;
      const theirs = await this.gateway.read<GatewayOrder>(path, `Bearer ${this.config.gatewayKey!.reveal()}`);
      const result = theirs === undefined ? 'not_comparable' : compareOrder(state, BigInt(next), theirs);
      this.#compared.inc({ result });
      if (result === 'different')
        this.log.error({ order: key }, 'The index of the gateway shows another order than the journal');
    }
  }
}

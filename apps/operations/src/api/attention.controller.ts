import { Controller, Get, Query, Req, UseGuards } from '@nestjs/common';
import {
  CurrentOperator,
  mayAct,
  OperatorGuard,
  type OperatorIdentity,
  type OperatorRequest,
} from '@tranche/operators';
import { compact } from '@tranche/runtime';
import { Projection } from '../fold/projection.service.js';
import type { PartitionProgress } from '../fold/topic-projector.js';
import { GatewayClient } from '../gateway/gateway.client.js';
import { AttentionStore, type AttentionItem } from './attention.store.js';
import { Route, visibleTo } from './operator.guard.js';
import { AttentionQuery } from './queries.js';

interface Proposal {
  id: string;
  operation: string;
  merchant: string;
  orderId: string;
  proposedBy: string;
  proposedAt: string;
  expiresAt: string;
  state: string;
}
/** A rail or merchant that people stopped. */
interface Control {
  scope: string;
  since: string;
}
interface Rail {
  rail: string;
  state: string;
}
/** A partition of the gateway's index that a list lacks. */
interface MissingPartition {
  partition: number;
  code: string;
}

/** One queue of all that needs a person. */
@Controller('v1')
@UseGuards(OperatorGuard)
export class AttentionController {
  constructor(
    private readonly attention: AttentionStore,
    private readonly projection: Projection,
    private readonly gateway: GatewayClient,
  ) {}

  /** The first page begins with what stops work or waits for a person's answer; what no money waits for ends the last one. */
  @Get('attention')
  @Route('viewer', 'doubts.read')
  async list(
    @Query() query: AttentionQuery,
    @Req() { headers }: OperatorRequest,
    @CurrentOperator() operator: OperatorIdentity,
  ) {
    const visible = visibleTo(operator, query.merchant);
    const isOfAnyAmount = query.minAmount === undefined;
    const [page, counts, groups, asked] = await Promise.all([
      this.attention.page(query, visible),
      this.attention.counts(visible),
      this.attention.groups(visible),
      this.#ofGateway(headers.authorization, operator, query.merchant),
    ]);
    const stopped = [...asked.items, ...this.#stopped(operator)];
    const shown = (items: AttentionItem[]) =>
      items.filter(({ kind }) => isOfAnyAmount && (query.kind === undefined || kind === query.kind));
    return compact({
      counts: [...counts, ...countsOf([...stopped, ...groups])],
      items: [
        ...(query.cursor === undefined ? shown(stopped) : []),
        ...page.items,
        ...(page.next === undefined ? shown(groups) : []),
      ],
      next: page.next,
      behind: this.projection.behind(),
      missing: asked.missing,
      beingBuilt: asked.beingBuilt,
    });
  }

  /** Says by partition how far Kafka is read. */
  @Get('partitions')
  @Route('viewer', 'doubts.read')
  partitions(@CurrentOperator() operator: OperatorIdentity) {
    return { partitions: this.#progress(operator) };
  }

  /** The reason names an order, which may be another merchant's. */
  #progress({ merchants }: OperatorIdentity): PartitionProgress[] {
    const hidden = 'A record can not be read. An operator of all merchants sees which one.';
    return this.projection
      .progress()
      .map((one) => (one.stopped === undefined || merchants === undefined ? one : { ...one, stopped: hidden }));
  }

  #stopped(operator: OperatorIdentity): AttentionItem[] {
    return this.#progress(operator).flatMap(({ topic, partition, stopped }) =>
      stopped === undefined ? [] : [{ kind: 'partition', about: { topic, partition, reason: stopped } }],
    );
  }

  /** Asks for what only the gateway knows; where it does not answer, `missing` says so. */
  async #ofGateway(
    authorization: string | undefined,
    operator: OperatorIdentity,
    merchant: string | undefined,
  ): Promise<{ items: AttentionItem[]; missing?: string[]; beingBuilt?: number[] }> {
    const ask = <T>(url: string) => this.gateway.read<T>(url, authorization).catch(() => undefined);
    const [proposals, rails, controls, frozen] = await Promise.all([
      ask<{ proposals: Proposal[] }>('/v1/proposals'),
      ask<{ rails: Rail[] }>('/v1/rails'),
      ask<{ controls: Control[] }>('/v1/controls'),
      // The shortest of the gateway's lists, which all name the partitions that they lack.
      ask<{ missing?: MissingPartition[] }>('/v1/frozen-orders?limit=1'),
    ]);
    const beingBuilt = (frozen?.missing ?? []).filter(({ code }) => code === 'being_built').map((one) => one.partition);
    const awaitsThem = (one: Proposal) =>
      one.state === 'open' &&
      one.proposedBy !== operator.person &&
      mayAct(operator, one.merchant) &&
      (merchant === undefined || one.merchant === merchant);
    const missing = Object.entries({ proposals, rails, controls }).flatMap(([name, answer]) => (answer ? [] : [name]));
    // A rail concerns every merchant; of merchants only those are shown that the answer may be about.
    const concerns = ({ scope }: Control) => {
      const stopped = /^merchant:(.*)$/.exec(scope)?.[1];
      return stopped === undefined || (mayAct(operator, stopped) && (merchant === undefined || merchant === stopped));
    };
    return compact({
      items: [
        ...(rails?.rails ?? [])
          .filter(({ state }) => state === 'stopped')
          .map((about): AttentionItem => ({ kind: 'rail', about })),
        ...(controls?.controls ?? []).filter(concerns).map(controlItem),
        ...(proposals?.proposals ?? []).filter(awaitsThem).map(proposalItem),
      ],
      missing: missing.length === 0 ? undefined : missing,
      beingBuilt: beingBuilt.length === 0 ? undefined : beingBuilt,
    });
  }
}

const proposalItem = ({ id, merchant, orderId, proposedAt, expiresAt, ...about }: Proposal): AttentionItem =>
  compact({ kind: 'proposal', id, merchant, orderId, since: proposedAt, actBy: expiresAt, about });

/** Nobody must act by the time at which it ends by itself. */
const controlItem = ({ since, ...about }: Control): AttentionItem => ({ kind: 'control', since, about });

/** Numbers by kind of what is about no single order, or is the gateway's. */
function countsOf(items: readonly (AttentionItem & { number?: number })[]) {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const ofKind = items.filter((one) => one.kind === kind);
    const oldest = ofKind.flatMap(({ since }) => since ?? []).sort()[0];
    return compact({ kind, number: ofKind.reduce((sum, { number = 1 }) => sum + number, 0), oldest });
  });
}

import { Controller, Sse, UseGuards, type MessageEvent } from '@nestjs/common';
import { CurrentOperator, mayAct, OperatorGuard, type OperatorIdentity } from '@tranche/operators';
import { eventStream, polled, Problem, ServiceLifetime } from '@tranche/service-kit';
import { defer, filter, finalize, map, share, type Observable } from 'rxjs';
import { Projection } from '../fold/projection.service.js';
import { GatewayClient } from '../gateway/gateway.client.js';
import { OrdersStore, type ChangedOrder } from './orders.store.js';
import { Route } from './operator.guard.js';

const READ_EVERY_MS = 1_000;
const MOST_STREAMS = 100;
const MAX_WAITING = 1_048_576;

type Told =
  | { type: 'order'; data: ChangedOrder }
  | { type: 'decision'; data: { merchant: string } }
  | { type: 'state'; data: object };

@Controller('v1')
@UseGuards(OperatorGuard)
export class StreamController {
  #streams = 0;
  #isGatewayThere = true;
  /** One read for all streams, as long as there is one. */
  readonly #changes: Observable<Told>;

  constructor(
    orders: OrdersStore,
    private readonly projection: Projection,
    private readonly gateway: GatewayClient,
    private readonly lifetime: ServiceLifetime,
  ) {
    this.#changes = defer(() => {
      let place: string[] | undefined;
      let decidedAt: string[] | undefined;
      const read = async (): Promise<Told[]> => {
        void this.gateway.isThere().then((isThere) => (this.#isGatewayThere = isThere));
        const changed = await orders.changedBehind(place);
        const decided = await orders.decidedBehind(decidedAt);
        ({ place } = changed);
        decidedAt = decided.place;
        const ofPeople = decided.merchants.map((merchant): Told => ({ type: 'decision', data: { merchant } }));
        return [...changed.orders.map((data): Told => ({ type: 'order', data })), ...ofPeople, this.#state(true)];
      };
      return polled(READ_EVERY_MS, read, () => [this.#state(false)]);
    }).pipe(share());
  }

  /** `order` for each order that changed, `decision` for each merchant for which people said something, `state` every second: how far behind Kafka the answers are, and if PostgreSQL and the gateway answer. */
  @Sse('stream', { maxPendingDataLength: MAX_WAITING })
  @Route('viewer', 'order.read')
  follow(@CurrentOperator() operator: OperatorIdentity): Observable<MessageEvent> {
    return defer(() => {
      if (this.#streams >= MOST_STREAMS)
        throw new Problem({ status: 503, code: 'unavailable', detail: 'Too many streams are open. Ask again later.' });
      this.#streams++;
      const theirs = this.#changes.pipe(
        filter((told) => told.type === 'state' || mayAct(operator, told.data.merchant)),
        map((told): MessageEvent => told),
      );
      return eventStream(theirs, this.lifetime.stopping).pipe(finalize(() => this.#streams--));
    });
  }

  #state(isDatabaseThere: boolean): Told {
    return {
      type: 'state',
      data: { behind: this.projection.behind(), isDatabaseThere, isGatewayThere: this.#isGatewayThere },
    };
  }
}

import { Controller, Sse, UseGuards, type MessageEvent } from '@nestjs/common';
import { CurrentOperator, type OperatorIdentity } from '@tranche/operators';
import { Problem, ServiceLifetime } from '@tranche/service-kit';
import {
  catchError,
  defer,
  exhaustMap,
  finalize,
  fromEvent,
  interval,
  map,
  merge,
  mergeAll,
  of,
  takeUntil,
  timer,
  type Observable,
} from 'rxjs';
import { Projection } from '../fold/projection.service.js';
import { OrdersStore } from './orders.store.js';
import { OperatorGuard, Route } from './operator.guard.js';

const READ_EVERY_MS = 1_000;
/** A comment shows both ends, and proxies between them, that the connection is alive. */
const HEARTBEAT_MS = 15_000;
const MOST_STREAMS = 100;
const MAX_WAITING = 1_048_576;
/** A change that was told is remembered for the reads that may find it again. */
const REMEMBERED = 2_000;

@Controller('v1')
@UseGuards(OperatorGuard)
export class StreamController {
  #streams = 0;

  constructor(
    private readonly orders: OrdersStore,
    private readonly projection: Projection,
    private readonly lifetime: ServiceLifetime,
  ) {}

  /** `order` for each order that changed, `state` every second: how far behind Kafka the answers are, and if PostgreSQL answers. */
  @Sse('stream', { maxPendingDataLength: MAX_WAITING })
  @Route('viewer', 'order.read')
  follow(@CurrentOperator() { merchants }: OperatorIdentity): Observable<MessageEvent> {
    return defer(() => {
      if (this.#streams >= MOST_STREAMS)
        throw new Problem({ status: 503, code: 'unavailable', detail: 'Too many streams are open. Ask again later.' });
      this.#streams++;
      const beats = interval(HEARTBEAT_MS).pipe(map((): MessageEvent => ({ comment: 'still here' })));
      return merge(this.#changes(merchants), beats).pipe(
        takeUntil(fromEvent(this.lifetime.stopping, 'abort')),
        finalize(() => this.#streams--),
      );
    });
  }

  #changes(merchants: readonly string[] | undefined): Observable<MessageEvent> {
    let since: string | undefined;
    const told = new Set<string>();
    const read = async (): Promise<MessageEvent[]> => {
      const { now, orders } = await this.orders.changedSince(since, merchants);
      since = now;
      const fresh = orders.filter(({ merchant, orderId, lastOffset }) => {
        const change = `${merchant}/${orderId}/${lastOffset}`;
        return !told.has(change) && told.add(change);
      });
      for (const change of [...told].slice(0, Math.max(0, told.size - REMEMBERED))) told.delete(change);
      return [...fresh.map((order): MessageEvent => ({ type: 'order', data: order })), this.#state(true)];
    };
    return timer(0, READ_EVERY_MS).pipe(
      exhaustMap(() =>
        defer(read).pipe(
          mergeAll(),
          catchError(() => of(this.#state(false))),
        ),
      ),
    );
  }

  #state(isDatabaseThere: boolean): MessageEvent {
    const behind = this.projection.progress().reduce((sum, one) => sum + one.behind, 0);
    return { type: 'state', data: { behind, isDatabaseThere } };
  }
}

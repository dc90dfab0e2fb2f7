import { Controller, Ip, Param, Sse, type MessageEvent } from '@nestjs/common';
import { countedAs, eventStream, Metrics, polled, Problem, ServiceLifetime } from '@tranche/service-kit';
import { defer, finalize, type Observable } from 'rxjs';
import { CheckoutConfig } from '../checkout.config.js';
import { orderIdOf } from './order.js';
import { OrderService, unknownOrder } from './order.service.js';
import { OrderStore } from './order.store.js';
import { changesWithTime, viewOf } from './order-view.js';

/** Another replica may consume the event, so each replica polls the versions of the orders that its pages follow. */
const READ_EVERY_MS = 250;
/** Interval for orders whose state changes with time alone or whose command is not published yet. */
const LOOK_EVERY_MS = 2_000;
const RECONNECT_AFTER_MS = 1_000;
const MAX_STREAMS_PER_ORDER = 10;
/** Characters that may wait for a page that does not read. Its connection is closed then; it reconnects and gets the present state. */
const MAX_WAITING = 65_536;

interface Stream {
  orderId: string;
  /** As it is counted: of IPv6 its network. */
  address: string;
}

@Controller('orders')
export class OrderStreamController {
  readonly #streams = new Set<Stream>();

  constructor(
    private readonly orders: OrderService,
    private readonly store: OrderStore,
    private readonly config: CheckoutConfig,
    private readonly lifetime: ServiceLifetime,
    metrics: Metrics,
  ) {
    const streams = this.#streams;
    metrics.gauge({ name: 'checkout_streams', help: 'Pages that follow their order', collect() { this.set(streams.size); } }); // prettier-ignore
  }

  @Sse(':pageId/events', { maxPendingDataLength: MAX_WAITING })
  async follow(@Param('pageId') pageId: string, @Ip() ip: string): Promise<Observable<MessageEvent>> {
    const stream = { orderId: orderIdOf(pageId), address: countedAs(ip) };
    if ((await this.orders.look(stream.orderId)) === undefined) throw unknownOrder();
    // Nest subscribes only if the page is still there.
    return defer(() => {
      this.#refuseTooMany(stream);
      this.#streams.add(stream);
      const views = eventStream(this.#views(stream.orderId), this.lifetime.stopping);
      return views.pipe(finalize(() => this.#streams.delete(stream)));
    });
  }

  #refuseTooMany({ orderId, address }: Stream): void {
    const streams = [...this.#streams];
    const ofOrder = streams.filter((stream) => stream.orderId === orderId).length;
    const ofAddress = streams.filter((stream) => stream.address === address).length;
    const isRoom = streams.length < this.config.maxStreams && ofAddress < this.config.maxStreamsPerAddress;
    if (!this.lifetime.stopping.aborted && isRoom && ofOrder < MAX_STREAMS_PER_ORDER) return;
    const detail = 'No more pages can follow their order now. Ask for its state instead.';
    throw new Problem({ status: 503, code: 'unavailable', detail, headers: { 'retry-after': '10' } });
  }

  /** The order now and after each change. A failed read is repeated; that Redis is away, its health shows. */
  #views(orderId: string): Observable<MessageEvent> {
    let version = 0;
    let isTimed = false;
    let lookedAtMs = performance.now();
    let said = '';
    const read = async (): Promise<MessageEvent[]> => {
      const isDue = isTimed && performance.now() - lookedAtMs >= LOOK_EVERY_MS;
      if (!isDue && (await this.store.versionOf(orderId)) === version) return [];
      // `look` also publishes a command that was stored but not published.
      const stored = isDue ? await this.orders.look(orderId) : await this.store.find(orderId);
      if (stored === undefined) return [];
      const data = JSON.stringify(viewOf(stored, Date.now()));
      const isChanged = data !== said;
      ({ version } = stored);
      isTimed = changesWithTime(stored.order, Date.now());
      lookedAtMs = performance.now();
      said = data;
      return isChanged ? [{ id: String(version), type: 'order', retry: RECONNECT_AFTER_MS, data }] : [];
    };
    return polled(READ_EVERY_MS, read);
  }
}

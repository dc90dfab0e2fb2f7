import type { ServerResponse } from 'node:http';
import { Controller, Get, Injectable, Param, Res } from '@nestjs/common';
import { Metrics, Problem, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import { OrderService, unknownOrder } from './order.service.js';
import { OrderStore } from './order.store.js';
import { viewOf } from './order-view.js';

/** Another replica may have taken the event: each reads the versions of the orders that its pages follow. */
const READ_EVERY_MS = 250;
const HEARTBEAT_MS = 15_000;
const MAX_STREAMS_PER_ORDER = 10;

interface Reply {
  getHeaders(): Record<string, string>;
  hijack(): void;
  raw: ServerResponse;
}

interface Stream {
  orderId: string;
  version: number;
  spokenAtMs: number;
  answer: ServerResponse;
}

/** What bounds and counts the streams. */
@Injectable()
export class StreamSurroundings {
  constructor(
    readonly metrics: Metrics,
    readonly lifetime: ServiceLifetime,
  ) {}
}

/** Server-sent events: the state now, and again whenever it changes; an event's id is the version of the order. */
@Controller('orders')
export class OrderStreamController {
  readonly #streams = new Set<Stream>();
  #timer?: NodeJS.Timeout;

  constructor(
    private readonly orders: OrderService,
    private readonly store: OrderStore,
    private readonly config: CheckoutConfig,
    private readonly log: ServiceLogger,
    private readonly around: StreamSurroundings,
  ) {
    const streams = this.#streams;
    around.metrics.gauge({ name: 'checkout_streams', help: 'Pages that follow their order', collect() { this.set(streams.size); } }); // prettier-ignore
    around.lifetime.stopping.addEventListener('abort', () => this.#closeAll());
  }

  @Get(':orderId/events')
  async follow(@Param('orderId') orderId: string, @Res() reply: Reply): Promise<void> {
    if ((await this.orders.look(orderId)) === undefined) throw unknownOrder();
    this.#refuseTooMany(orderId);
    const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
    reply.hijack();
    const answer = reply.raw;
    answer.writeHead(200, headers).write('retry: 1000\n\n');
    const stream = { orderId, version: 0, spokenAtMs: performance.now(), answer };
    this.#streams.add(stream);
    answer.once('close', () => this.#streams.delete(stream));
    this.#timer ??= setTimeout(() => void this.#readAll(), 0);
  }

  #refuseTooMany(orderId: string): void {
    const ofOrder = [...this.#streams].filter((stream) => stream.orderId === orderId).length;
    const { stopping } = this.around.lifetime;
    if (!stopping.aborted && this.#streams.size < this.config.maxStreams && ofOrder < MAX_STREAMS_PER_ORDER) return;
    const detail = 'No more pages can follow their order now. Ask for its state instead.';
    throw new Problem({ status: 503, code: 'unavailable', detail, headers: { 'retry-after': '10' } });
  }

  async #readAll(): Promise<void> {
    const orderIds = new Set([...this.#streams].map(({ orderId }) => orderId));
    try {
      await Promise.all([...orderIds].map((orderId) => this.#read(orderId)));
    } catch (error) {
      this.log.debug({ err: error }, 'orders that pages follow could not be read; tried again');
    }
    this.#beat();
    if (this.around.lifetime.stopping.aborted) return;
    this.#timer = this.#streams.size === 0 ? undefined : setTimeout(() => void this.#readAll(), READ_EVERY_MS);
  }

  async #read(orderId: string): Promise<void> {
    const current = await this.store.versionOf(orderId);
    const behind = [...this.#streams].filter((stream) => stream.orderId === orderId && stream.version !== current);
    if (behind.length === 0) return;
    const stored = await this.store.find(orderId);
    if (stored === undefined) return;
    const { order, version } = stored;
    const text = `id: ${version}\nevent: order\ndata: ${JSON.stringify(viewOf(order, Date.now()))}\n\n`;
    for (const stream of behind) {
      stream.version = version;
      this.#write(stream, text);
    }
  }

  /** A comment that proves to both ends, and to what is between them, that the connection lives. */
  #beat(): void {
    const nowMs = performance.now();
    for (const stream of this.#streams) if (nowMs - stream.spokenAtMs >= HEARTBEAT_MS) this.#write(stream, ': still here\n\n');
  }

  /** Whoever does not read is cut: the page comes again and gets the state. */
  #write(stream: Stream, text: string): void {
    stream.spokenAtMs = performance.now();
    if (!stream.answer.write(text) && stream.answer.writableLength > 65_536) stream.answer.destroy();
  }

  #closeAll(): void {
    clearTimeout(this.#timer);
    for (const { answer } of this.#streams) answer.end();
  }
}

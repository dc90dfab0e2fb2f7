import type { ServerResponse } from 'node:http';
import { Controller, Get, Injectable, Param, Req, Res } from '@nestjs/common';
import { Metrics, Problem, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import { CheckoutConfig } from '../checkout.config.js';
import { orderIdOf } from './order-ids.js';
import { OrderService, unknownOrder } from './order.service.js';
import { OrderStore, type StoredOrder } from './order.store.js';
import { changesWithTime, viewOf } from './order-view.js';

/** Another replica may consume the event, so each replica polls the versions of the orders that its pages follow. */
const READ_EVERY_MS = 250;
/** Interval for orders whose state changes with time alone or whose command is not published yet. */
const LOOK_EVERY_MS = 2_000;
const HEARTBEAT_MS = 15_000;
const MAX_STREAMS_PER_ORDER = 10;

interface Reply {
  getHeaders(): Record<string, string>;
  hijack(): void;
  raw: ServerResponse;
}

interface Stream {
  orderId: string;
  ip: string;
  /** `said`: the last message sent. `isTimed`: the state may change without a new version. */
  said: string;
  isTimed: boolean;
  lookedAtMs: number;
  version: number;
  spokenAtMs: number;
  answer: ServerResponse;
}

/** Groups dependencies, so that the controller has at most five constructor parameters. */
@Injectable()
export class StreamSurroundings {
  constructor(
    readonly metrics: Metrics,
    readonly lifetime: ServiceLifetime,
  ) {}
}

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

  @Get(':pageId/events')
  async follow(@Param('pageId') pageId: string, @Req() { ip }: { ip: string }, @Res() reply: Reply): Promise<void> {
    const orderId = orderIdOf(pageId);
    if ((await this.orders.look(orderId)) === undefined) throw unknownOrder();
    this.#refuseTooMany(orderId, ip);
    const headers = {
      ...reply.getHeaders(),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    };
    reply.hijack();
    const answer = reply.raw;
    // The client closed the connection while we read the order. Its close event has passed, so the stream would never be removed.
    if (answer.destroyed) return;
    answer.writeHead(200, headers).write('retry: 1000\n\n');
    const nowMs = performance.now();
    const stream: Stream = {
      orderId,
      ip,
      said: '',
      isTimed: false,
      lookedAtMs: nowMs,
      version: 0,
      spokenAtMs: nowMs,
      answer,
    };
    this.#streams.add(stream);
    answer.once('close', () => this.#streams.delete(stream));
    this.#timer ??= setTimeout(() => void this.#readAll(), 0);
  }

  #refuseTooMany(orderId: string, ip: string): void {
    const streams = [...this.#streams];
    const ofOrder = streams.filter((stream) => stream.orderId === orderId).length;
    const ofAddress = streams.filter((stream) => stream.ip === ip).length;
    const isRoom = streams.length < this.config.maxStreams && ofAddress < this.config.maxStreamsPerAddress;
    if (!this.around.lifetime.stopping.aborted && isRoom && ofOrder < MAX_STREAMS_PER_ORDER) return;
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
    const nowMs = performance.now();
    const streams = [...this.#streams].filter((stream) => stream.orderId === orderId);
    const isDue = streams.some(({ isTimed, lookedAtMs }) => isTimed && nowMs - lookedAtMs >= LOOK_EVERY_MS);
    if (!isDue && streams.every(({ version }) => version === current)) return;
    // `look` also publishes a command that was stored but not published.
    const stored = isDue ? await this.orders.look(orderId) : await this.store.find(orderId);
    if (stored !== undefined) for (const stream of streams) this.#sendView(stream, stored);
  }

  #sendView(stream: Stream, { order, version }: StoredOrder): void {
    const text = `id: ${version}\nevent: order\ndata: ${JSON.stringify(viewOf({ order, version }, Date.now()))}\n\n`;
    const isChanged = text !== stream.said;
    Object.assign(stream, {
      version,
      said: text,
      isTimed: changesWithTime(order, Date.now()),
      lookedAtMs: performance.now(),
    });
    if (isChanged) this.#write(stream, text);
  }

  /** A comment line that shows both ends, and proxies between them, that the connection is alive. */
  #beat(): void {
    const nowMs = performance.now();
    for (const stream of this.#streams) if (stream.answer.destroyed) this.#streams.delete(stream);
    for (const stream of this.#streams)
      if (nowMs - stream.spokenAtMs >= HEARTBEAT_MS) this.#write(stream, ': still here\n\n');
  }

  /** Closes a connection whose client does not read. The page reconnects and gets the present state. */
  #write(stream: Stream, text: string): void {
    stream.spokenAtMs = performance.now();
    if (!stream.answer.write(text) && stream.answer.writableLength > 65_536) stream.answer.destroy();
  }

  #closeAll(): void {
    clearTimeout(this.#timer);
    for (const { answer } of this.#streams) answer.end();
  }
}

import { Injectable } from '@nestjs/common';
import { TOPICS, topicName } from '@tranche/contracts';
import { topicProgress } from '@tranche/kafka';
import {
  CLOCKS_APART_MS,
  DoubtWatch,
  NotificationWatermark,
  SEND_DEADLINE_MS,
  TimerWatch,
  type NotificationOffsets,
} from '@tranche/order-journal';
import { errorText } from '@tranche/runtime';
import { Metrics, ServiceLogger } from '@tranche/service-kit';
import { Clock, RepeatedWork } from '../clock.js';
import { KafkaParts } from '../gateway-kafka.module.js';
import { GatewayConfig, notificationGroup } from '../gateway.config.js';
import { CommandGate } from '../journal/command-gate.service.js';
import { Journal } from '../journal/journal.service.js';

const NOT_ALLOWED = /NOPERM/;
const NO_TIME = 'Redis does not tell its time: allow the command TIME to the user of the gateway';

const apart = (ms: number) => `the clocks of this service and of Redis are ${Math.round(ms / 1000)} s apart`;

/** Runs the timer watch of libs/order-journal: payments that wait, reminders, orders to snapshot and to forget. */
@Injectable()
export class TimerWatchService extends RepeatedWork {
  protected readonly everyMs = 1_000;
  readonly #apart;

  constructor(
    private readonly watch: TimerWatch,
    metrics: Metrics,
    private readonly log: ServiceLogger,
    private readonly commandGate: CommandGate,
  ) {
    super();
    this.#apart = metrics.gauge({
      name: 'tranche_clocks_apart_seconds',
      help: 'Between our clock and the one of Redis; nothing expires and no commands are taken while it is more than 60',
    });
  }

  /** Rejects while the clocks differ or can't be compared: no record may be written before they agreed once. */
  async assertAgreed(): Promise<void> {
    const apartMs = await this.watch.compareClocks();
    if (apartMs > CLOCKS_APART_MS) throw new Error(apart(apartMs));
  }

  protected async run(): Promise<void> {
    try {
      const apartMs = await this.watch.poll();
      this.#apart.set(apartMs / 1000);
      this.commandGate.report('clocks', apartMs > CLOCKS_APART_MS ? apart(apartMs) : undefined);
    } catch (error) {
      this.log.debug({ err: error }, 'The index could not be asked for timers');
      if (NOT_ALLOWED.test(errorText(error))) this.commandGate.report('clocks', NO_TIME);
    }
  }
}

/** Runs the doubt watch of libs/order-journal. */
@Injectable()
export class DoubtWatchService extends RepeatedWork {
  protected readonly everyMs = 200;
  readonly #watch: DoubtWatch;

  constructor({ platformTimeoutMs, doubtGraceMs }: GatewayConfig, journal: Journal, clock: Clock, log: ServiceLogger) {
    super();
    this.#watch = new DoubtWatch(journal.view, clock, SEND_DEADLINE_MS + platformTimeoutMs + doubtGraceMs, log);
  }

  /** Does not wait: a partition that can't be written must not delay the doubts of others. */
  protected run(): void {
    void this.#watch.poll();
  }
}

/** Asks how far the notifications are journaled, for the timers that wait for them. */
@Injectable()
export class NotificationProgress extends RepeatedWork {
  protected readonly everyMs = 5_000;

  constructor(
    private readonly watermark: NotificationWatermark,
    private readonly clock: Clock,
    private readonly kafka: KafkaParts,
    private readonly config: GatewayConfig,
    metrics: Metrics,
  ) {
    super();
    metrics.gauge({
      name: 'tranche_timers_wait_seconds',
      help: 'For how long timers have waited until a partition of the notifications is read to the end that it had; up to 10 while all is well',
      labelNames: ['partition'],
      collect() {
        this.reset();
        for (const [partition, ms] of watermark.waitsMs(clock.nowMs()))
          this.set({ partition: String(partition) }, ms / 1_000);
      },
    });
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    void this.poll();
  }

  protected async run(): Promise<void> {
    const atMs = this.clock.nowMs();
    try {
      this.watermark.looked(atMs, await this.#offsets());
    } catch (error) {
      this.kafka.log.debug({ err: error }, 'How far the notifications are read could not be asked for');
    }
    this.watermark.tell(this.clock.nowMs());
  }

  async #offsets(): Promise<Map<number, NotificationOffsets>> {
    const topic = topicName(this.config.kafkaTopicPrefix, TOPICS.notifications);
    const { offsets, progress } = await topicProgress(this.kafka.client, notificationGroup(this.config), topic);
    const nextOf = (partition: number, low: bigint) => {
      const { next = low } = progress.get(partition) ?? {};
      return next < low ? low : next;
    };
    return new Map(
      [...offsets].map(([partition, { low, high }]) => [partition, { next: nextOf(partition, low), end: high }]),
    );
  }
}

import {
  CLOCKS_APART_MS,
  NotificationWatermark,
  TimerWatch,
  type AgreedClock,
  type NotificationOffsets,
  type OwnedJournal,
} from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { EPOCH_MS, type SimulatedProcess } from './process.js';
import { isBug } from './violations.js';
import type { World } from './world.js';

const POLL_MS = 1_000;
const NOTIFICATIONS_LOOK_MS = 2_000;

/** One process's timers and its check of the clocks, wired as the service wires them. */
export class ClockWatch {
  isApart = false;
  readonly #watch: TimerWatch;
  readonly #watermark = new NotificationWatermark(silentLog);
  /** The clock was compared since it became wrong, and is still wrong. */
  #wasCompared = false;

  constructor(
    private readonly process: SimulatedProcess,
    private readonly clock: AgreedClock,
    view: OwnedJournal,
    private readonly world: World,
  ) {
    const { env } = process;
    this.#watch = new TimerWatch(
      {
        read: (...order) => view.read(...order),
        // Unless all were stopped for days, a world lasts minutes, and no timer can be due by right clocks.
        append: (record, trace) => {
          if (env.profile.days === undefined)
            env.byWrongClock.push(
              `${process.name} wrote ${record.record} of ${record.orderId}: somebody's clock was wrong`,
            );
          return view.append(record, trace);
        },
      },
      {
        timeMs: () => process.request('TIME', () => EPOCH_MS + env.stoppedMs + env.scheduler.nowMs),
        dueOrders: () =>
          process.request('due orders', () => world.plan.orderKeys.filter((key) => world.index.order(key))),
      },
      clock,
      this.#watermark,
      silentLog,
      () => Promise.resolve(true),
    );
  }

  /** The process may write nothing before its clock agrees. */
  async untilAgreed(): Promise<void> {
    while ((await this.#watch.compareClocks()) > CLOCKS_APART_MS) await this.process.sleep(POLL_MS);
  }

  start(): void {
    const { process } = this;
    process.every(
      POLL_MS,
      'looks at timers',
      oneAtATime(() => this.#poll()),
    );
    process.every(NOTIFICATIONS_LOOK_MS, 'looks at notifications', () => void this.#lookAtNotifications());
  }

  async #lookAtNotifications(): Promise<void> {
    const atMs = this.clock.nowMs();
    const offsets = await this.process.request('notification offsets', () => notificationOffsets(this.world));
    this.#watermark.looked(atMs, offsets);
  }

  /** Called for each command that the process takes. */
  taken(commandId: string): void {
    const { process } = this;
    if (this.#wasCompared && process.isClockWrong)
      process.env.byWrongClock.push(`${process.name} took ${commandId} while its clock was wrong`);
  }

  async #poll(): Promise<void> {
    const { process, world } = this;
    const wasWrong = process.isClockWrong;
    try {
      this.isApart = (await this.#watch.poll()) > CLOCKS_APART_MS;
      this.#wasCompared = wasWrong && process.isClockWrong;
    } catch (error) {
      if (isBug(error)) world.threw(error);
    }
  }
}

/** The end is the offset after the last record. That holds because notifications are written without transactions, whose markers would take offsets too. */
function notificationOffsets({ notifications, notificationGroup }: World): Map<number, NotificationOffsets> {
  const offsetsOf = (partition: number): NotificationOffsets => ({
    next: notificationGroup.committed({ topic: notifications.name, partition })?.offset ?? 0n,
    end: (notifications.records.get(partition)?.at(-1)?.offset ?? -1n) + 1n,
  });
  return new Map(notifications.partitions.map((partition) => [partition, offsetsOf(partition)]));
}

/** Returns what starts the work unless it is still under way. */
export function oneAtATime(work: () => Promise<unknown>): () => void {
  let isUnderWay = false;
  return () => {
    if (isUnderWay) return;
    isUnderWay = true;
    void work().finally(() => (isUnderWay = false));
  };
}

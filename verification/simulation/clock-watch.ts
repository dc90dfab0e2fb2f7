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
import type { World } from './world.js';

const POLL_MS = 1_000;
const NOTIFICATIONS_LOOK_MS = 2_000;

interface ClockWatchParts {
  process: SimulatedProcess;
  clock: AgreedClock;
  view: OwnedJournal;
  world: World;
  /** Says how far the group of the notifications has read them. */
  notifications: () => Map<number, NotificationOffsets>;
}

/** One process's timers and its check of the clocks, wired as the service wires them. */
export class ClockWatch {
  isApart = false;
  readonly #watch: TimerWatch;
  readonly #watermark = new NotificationWatermark(silentLog);
  #isPolling = false;
  /** The clock was compared since it became wrong, and is still wrong. */
  #wasCompared = false;

  constructor(private readonly parts: ClockWatchParts) {
    const { process, clock, view, world } = parts;
    const { around } = process;
    this.#watch = new TimerWatch(
      {
        read: (...order) => view.read(...order),
        // Unless all were stopped for days, a world lasts minutes, and no timer can be due by right clocks.
        append: (record, trace) => {
          if (around.profile.days === undefined)
            around.byWrongClock.push(
              `${process.name} wrote ${record.record} of ${record.orderId}: somebody's clock was wrong`,
            );
          return view.append(record, trace);
        },
      },
      {
        timeMs: () => process.request('TIME', () => EPOCH_MS + around.stoppedMs + around.scheduler.nowMs),
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
    const { process } = this.parts;
    while ((await this.#watch.compareClocks()) > CLOCKS_APART_MS) await process.sleep(POLL_MS);
  }

  start(): void {
    const { process } = this.parts;
    process.every(POLL_MS, 'looks at timers', () => void this.#poll());
    process.every(NOTIFICATIONS_LOOK_MS, 'looks at notifications', () => void this.#lookAtNotifications());
  }

  async #lookAtNotifications(): Promise<void> {
    const { process, clock, notifications } = this.parts;
    const atMs = clock.nowMs();
    this.#watermark.looked(atMs, await process.request('notification offsets', notifications));
  }

  /** Called for each command that the process takes. */
  taken(commandId: string): void {
    const { process } = this.parts;
    if (this.#wasCompared && process.isClockWrong)
      process.around.byWrongClock.push(`${process.name} took ${commandId} while its clock was wrong`);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    const wasWrong = this.parts.process.isClockWrong;
    try {
      this.isApart = (await this.#watch.poll()) > CLOCKS_APART_MS;
      this.#wasCompared = wasWrong && this.parts.process.isClockWrong;
    } catch (error) {
      if (error instanceof TypeError) this.parts.world.threw(error);
    } finally {
      this.#isPolling = false;
    }
  }
}

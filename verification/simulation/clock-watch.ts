import { CLOCKS_APART_MS, TimerWatch, type AgreedClock, type OwnedJournal } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import type { SimulatedIndex } from './order-index.js';
import { EPOCH_MS, type SimulatedProcess } from './process.js';

const POLL_MS = 1_000;

interface ClockWatchParts {
  process: SimulatedProcess;
  clock: AgreedClock;
  view: OwnedJournal;
  index: SimulatedIndex;
  orderKeys: readonly string[];
  threw: (error: unknown) => void;
}

/** One process's timers and its check of the clocks, wired as the service wires them. */
export class ClockWatch {
  isApart = false;
  readonly #watch: TimerWatch;
  #isPolling = false;
  /** The clock was compared since it became wrong, and is still wrong. */
  #wasCompared = false;

  constructor(private readonly parts: ClockWatchParts) {
    const { process, clock, view, index, orderKeys } = parts;
    const { byWrongClock, scheduler } = process.around;
    this.#watch = new TimerWatch(
      {
        read: (...order) => view.read(...order),
        // A world lasts minutes, so no timer can be due by right clocks.
        append: (record, trace) => {
          byWrongClock.push(`${process.name} wrote ${record.record} of ${record.orderId}: somebody's clock was wrong`);
          return view.append(record, trace);
        },
      },
      {
        timeMs: () => process.request('TIME', () => EPOCH_MS + scheduler.nowMs),
        dueOrders: () => process.request('due orders', () => orderKeys.filter((key) => index.order(key))),
      },
      clock,
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
    this.parts.process.every(POLL_MS, 'looks at timers', () => void this.#poll());
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
      if (error instanceof TypeError) this.parts.threw(error);
    } finally {
      this.#isPolling = false;
    }
  }
}

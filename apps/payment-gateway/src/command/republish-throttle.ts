import { Injectable } from '@nestjs/common';
import type { CommandCopy, CommandLease } from '@tranche/order-journal';
import { keepNewest } from '@tranche/runtime';
import { Clock } from '../clock.js';

const AGAIN_AFTER_MS = 1_000;
/** Kafka's clock is assumed to be at most this far behind ours. So the copies of a backlog do not wait a second each. Milliseconds. */
const KAFKA_BEHIND_AT_MOST_MS = 120_000;
/** Number of repeated commands to remember, the newest ones. A forgotten one is answered again. */
const REMEMBERED = 10_000;

interface Published {
  /** Time of the last answer on this process's monotonic clock. */
  atMs: number;
  /** Broker time of the last answer (lower bound). Copies appended before it need no new answer. */
  heardMs: number;
}

/**
 * Publishes the result of a repeated command at most once a second, so that copies do not flood the journal and the events topic. A copy appended
 * after the last answer waits until the second is over.
 */
@Injectable()
export class RepublishThrottle {
  /** Last answer of each command, the oldest first. */
  readonly #published = new Map<string, Published>();

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves when the result was published after Kafka appended this copy.
   * @param append writes the record that republishes the result
   */
  async republish(
    {
      merchant,
      orderId,
      commandId,
      appendedMs,
    }: Pick<CommandCopy, 'merchant' | 'orderId' | 'commandId' | 'appendedMs'>,
    lease: CommandLease,
    append: () => Promise<unknown>,
  ): Promise<void> {
    const command = `${merchant}/${orderId} ${commandId}`;
    const cameMs = this.clock.monotonicMs();
    for (;;) {
      const before = this.#published.get(command);
      const nowMs = this.clock.monotonicMs();
      const waitMs = before === undefined ? 0 : before.atMs + AGAIN_AFTER_MS - nowMs;
      if (before === undefined || waitMs <= 0) {
        // Lower bound of the broker time now: the copy's broker time plus the time it waited here.
        const sinceMs = appendedMs === undefined ? -Infinity : appendedMs + nowMs - cameMs;
        const heardMs = Math.max(sinceMs, this.clock.nowMs() - KAFKA_BEHIND_AT_MOST_MS);
        this.#note(command, { atMs: nowMs, heardMs });
        try {
          await append();
        } catch (error) {
          // Nothing was published, so the next copy is answered at once.
          this.#published.delete(command);
          throw error;
        }
        return;
      }
      if (appendedMs !== undefined && appendedMs <= before.heardMs) return;
      await lease.releaseSlotWhile(() => this.clock.sleep(waitMs, lease.signal));
    }
  }

  #note(command: string, published: Published): void {
    this.#published.delete(command);
    this.#published.set(command, published);
    keepNewest(this.#published, REMEMBERED);
  }
}

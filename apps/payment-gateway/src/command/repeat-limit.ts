import { Injectable } from '@nestjs/common';
import type { CommandLease } from '@tranche/order-journal';
import { keepNewest } from '@tranche/runtime';
import { Clock } from '../clock.js';

const AGAIN_AFTER_MS = 1_000;
/** Kafka's clock is assumed to be no farther behind ours: copies of a backlog do not wait a second each. Milliseconds. */
const KAFKA_BEHIND_AT_MOST_MS = 120_000;
/** Of the newest commands that came again. One that is forgotten is answered again. */
const REMEMBERED = 10_000;

/** A copy of a command whose result is known. */
export interface Copy {
  merchant: string;
  orderId: string;
  commandId: string;
  /** When Kafka took it, milliseconds since the epoch; absent where the record does not say. */
  appendedMs?: number | undefined;
}

interface Told {
  /** On this process's monotonic clock. */
  atMs: number;
  /** Kafka's time then, or a little earlier: a copy that Kafka took by then is answered by what was told. */
  heardMs: number;
}

/**
 * The result of a repeated command is told once a second at most, so that a flood of copies does not fill the journal and the events topic. A copy that
 * Kafka took after the result was told last waits until the second is over; then the result is told again.
 */
@Injectable()
export class RepeatLimit {
  /** When each was told last, the oldest first. */
  readonly #told = new Map<string, Told>();

  constructor(private readonly clock: Clock) {}

  /** Resolves when the result was told after Kafka took this copy. `append` writes the record that makes it told; if it rejects, nothing was told. */
  async tell(
    { merchant, orderId, commandId, appendedMs }: Copy,
    lease: CommandLease,
    append: () => Promise<unknown>,
  ): Promise<void> {
    const command = `${merchant}/${orderId} ${commandId}`;
    const cameMs = this.clock.monotonicMs();
    for (;;) {
      const before = this.#told.get(command);
      const nowMs = this.clock.monotonicMs();
      const waitMs = before === undefined ? 0 : before.atMs + AGAIN_AFTER_MS - nowMs;
      if (before === undefined || waitMs <= 0) {
        // By Kafka's clock: the copy was there when it came, and so much later it is now.
        const sinceMs = appendedMs === undefined ? -Infinity : appendedMs + nowMs - cameMs;
        const heardMs = Math.max(sinceMs, this.clock.nowMs() - KAFKA_BEHIND_AT_MOST_MS);
        this.#note(command, { atMs: nowMs, heardMs });
        return this.#unlessRejected(command, before, append);
      }
      if (appendedMs !== undefined && appendedMs <= before.heardMs) return;
      await lease.releaseSlotWhile(() => this.clock.sleep(waitMs, lease.signal));
    }
  }

  #note(command: string, told: Told): void {
    this.#told.delete(command);
    this.#told.set(command, told);
    keepNewest(this.#told, REMEMBERED);
  }

  async #unlessRejected(command: string, before: Told | undefined, append: () => Promise<unknown>): Promise<void> {
    const noted = this.#told.get(command);
    try {
      await append();
    } catch (error) {
      if (this.#told.get(command) === noted) {
        if (before === undefined) this.#told.delete(command);
        else this.#told.set(command, before);
      }
      throw error;
    }
  }
}

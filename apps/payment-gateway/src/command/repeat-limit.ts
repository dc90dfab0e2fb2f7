import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';

const AGAIN_AFTER_MS = 1_000;
/** Of the newest commands that came again. One that is forgotten is answered again. */
const REMEMBERED = 10_000;

/** The result of a command that comes again is told once a second at most: one that is sent again and again fills neither journal nor events. */
@Injectable()
export class RepeatLimit {
  /** When each was told last, the oldest first. */
  readonly #toldMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Whether it is to be told now; it counts as told then. */
  admits(order: { merchant: string; orderId: string }, commandId: string): boolean {
    const command = `${order.merchant}/${order.orderId} ${commandId}`;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.#toldMs.get(command) ?? -Infinity) < AGAIN_AFTER_MS) return false;
    this.#toldMs.delete(command);
    this.#toldMs.set(command, nowMs);
    const [oldest] = this.#toldMs.keys();
    if (this.#toldMs.size > REMEMBERED && oldest !== undefined) this.#toldMs.delete(oldest);
    return true;
  }
}

import { isMadeElsewhereToo } from '@tranche/contracts';
import { findOperation } from '@tranche/order-journal';
import type { Plan } from './commands.js';
import type { Decided } from './decisions.js';
import type { Landed } from './journal.js';
import type { Surroundings } from './process.js';
import type { Random } from './random.js';

/**
 * Milliseconds. Within this time after our INTENT somebody makes the same operation by hand: before the call, during it, or in the middle
 * of a doubt.
 */
const LATEST_MS = 10_000;

/** In such a world the shop often fills EXTRADATA, so that no tag fits. */
export function leaveNoRoom({ commands }: Plan, random: Random): void {
  for (const { command } of commands)
    if (isMadeElsewhereToo(command.operation) && random.chance(0.6)) command.isUntagged = true;
}

/**
 * People in the platform's back office. While an untagged capture, refund or void of ours is open or in doubt, they make one of the same
 * kind and amount, whose notification looks like ours.
 */
export class BackOffice {
  readonly #random: Random;
  readonly #copied = new Set<string>();

  constructor(
    private readonly around: Surroundings,
    private readonly world: Decided,
  ) {
    this.#random = around.random.apart();
  }

  /** Call it after the referee has folded the record. */
  landed({ key, record }: Landed): void {
    const { backOffice = 0 } = this.around.profile.edges ?? {};
    if (backOffice === 0 || record.record !== 'INTENT' || record.tag !== undefined) return;
    const { commandId, token, operation, amount } = record;
    const isGranted = findOperation(this.world.referee.order(key), commandId)?.token === token;
    if (!isMadeElsewhereToo(operation) || !isGranted || this.#copied.has(commandId)) return;
    this.#copied.add(commandId);
    if (!this.#random.chance(backOffice)) return;
    const afterMs = this.#random.between(0, LATEST_MS);
    this.around.scheduler.after(afterMs, `the back office makes a ${operation} like ${commandId}`, () =>
      this.world.platform.makeByHand({ orderKey: key, operation, amount }, this.#random),
    );
  }
}

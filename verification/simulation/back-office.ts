import { isMadeElsewhereToo } from '@tranche/contracts';
import { findOperation } from '@tranche/order-journal';
import type { Plan } from './commands.js';
import type { Landed } from './journal.js';
import type { SimulatedPlatform } from './platform.js';
import type { Surroundings } from './process.js';
import type { Random } from './random.js';
import type { Referee } from './referee.js';

/** Up to this long after our INTENT somebody makes the same by hand: before the call, while it is under way, or in the middle of a doubt. Milliseconds. */
const LATEST_MS = 10_000;

/** The shop of such a world fills EXTRADATA, often. */
export function leaveNoRoom({ commands }: Plan, random: Random): void {
  for (const { command } of commands)
    if (isMadeElsewhereToo(command.operation) && random.chance(0.6)) command.isUntagged = true;
}

/**
 * People who work in the platform's back office. While a capture, refund or void of ours without a tag is under way or in doubt, they make one of
 * the same kind and amount: its notification looks like that of ours.
 */
export class BackOffice {
  readonly #random: Random;
  readonly #copied = new Set<string>();

  constructor(
    private readonly around: Surroundings,
    private readonly world: { platform: SimulatedPlatform; referee: Referee },
  ) {
    this.#random = around.random.apart();
  }

  /** After the referee has folded the record. */
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

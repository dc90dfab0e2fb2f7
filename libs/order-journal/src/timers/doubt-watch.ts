import type { Log, Timing } from '@tranche/runtime';
import type { OwnedJournal } from '../partition/owned-journal.js';
import type { OpenIntent, OpenIntents } from '../journal/open-intents.js';
import { findOperation } from '../state/order-state.js';
import { inOrder } from '../state/versions.js';

const RETRY_AFTER_MS = 2_000;

/** Puts a granted INTENT in doubt when its process has not reported a result for `waitMs`. Any process may do so (R4). */
export class DoubtWatch {
  constructor(
    private readonly journal: Pick<OwnedJournal, 'read' | 'append'> & {
      readonly openIntents: Pick<OpenIntents, 'add' | 'takeSeenBefore'>;
    },
    private readonly timing: Timing,
    /** Send deadline + platform timeout + grace. Milliseconds. */
    private readonly waitMs: number,
    private readonly logger: Log,
  ) {}

  /** Call it several times a second, also while an earlier call runs: a partition that can't be written must not delay others. Never rejects. */
  async poll(): Promise<void> {
    const due = this.journal.openIntents.takeSeenBefore(this.timing.monotonicMs() - this.waitMs);
    await Promise.all(due.map((intent) => this.#raiseOrPutBack(intent)));
  }

  async #raiseOrPutBack(intent: OpenIntent): Promise<void> {
    try {
      await this.#raise(intent);
    } catch (error) {
      this.logger.warn({ err: error, orderId: intent.orderId }, 'A doubt could not be written; it will be tried again');
      const seenMs = this.timing.monotonicMs() - this.waitMs + RETRY_AFTER_MS;
      this.journal.openIntents.add({ ...intent, seenMs });
    }
  }

  async #raise({ merchant, orderId, commandId, attempt, token }: OpenIntent): Promise<void> {
    const operation = findOperation(await this.journal.read(merchant, orderId), commandId);
    if (operation?.phase !== 'open' || operation.token !== token) return;
    const message = `Nothing was heard of this call for ${Math.round(this.waitMs / 1000)} s: whether it was executed is not known`;
    const at = new Date(this.timing.nowMs()).toISOString();
    const identity = { ...inOrder({ merchant, orderId }, at), commandId, attempt, token };
    await this.journal.append({ record: 'IN_DOUBT', ...identity, reason: 'owner_lost', message });
    this.logger.warn({ merchant, orderId, commandId, attempt }, 'An operation without an owner is in doubt');
  }
}

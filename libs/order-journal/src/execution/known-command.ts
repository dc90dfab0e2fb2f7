import type { Fault } from '@tranche/contracts';
import type { Timing, TraceHeaders } from '@tranche/runtime';
import { lostAttempt } from '../journal/after-loss.js';
import { findOperation, hasContent, isOpen } from '../state/order-state.js';
import { RULES_VERSION } from '../state/versions.js';
import { tellAtOnce, type CommandLease, type ExecutorPorts } from './executor-ports.js';

/** A command that today's configuration or contracts refuse: who it says it is. */
export interface RefusedCommand {
  readonly merchant: string;
  readonly orderId: string;
  readonly commandId: string;
  readonly contentHash: string;
  readonly trace?: TraceHeaders;
}

export interface KnownCommandPorts {
  journal: Pick<
    ExecutorPorts<never, never, never>['journal'],
    'read' | 'readToEnd' | 'append' | 'appendAndRead' | 'appendIntent' | 'waitForRecordAfter'
  >;
  timing: Pick<Timing, 'nowMs'>;
  newToken: () => string;
  /** See `ExecutorPorts`. */
  tellAgain?: (command: RefusedCommand, lease: CommandLease, append: () => Promise<unknown>) => Promise<void>;
}

/**
 * What becomes of an operation between two attempts. A fault: it is given up with it. `left_alone`: nobody knows who sent this copy of its command.
 * `in_doubt`: its next attempt may be among records that were lost (R11), so it is written as one that nobody has answered, and never sent.
 */
export type BetweenAttempts = Fault | 'left_alone' | 'in_doubt';

/**
 * A command that its order knows gets the result that it had, whatever is configured today: it may have been executed before its merchant was
 * removed or a release became stricter, or before records were lost.
 *
 * `unknown`: the order does not know the id, with a fault also not at the end of its log, or has no result of it and none can be had; `reused`: it knows it with other content. Rejects where the journal can't be reached: the command must
 * come again.
 */
export async function answerKnownCommand(
  { journal, timing, newToken, tellAgain = tellAtOnce }: KnownCommandPorts,
  command: RefusedCommand,
  betweenAttempts: BetweenAttempts,
  lease: CommandLease,
): Promise<'answered' | 'unknown' | 'reused'> {
  const { merchant, orderId, commandId, trace } = command;
  const identity = () => ({
    rulesVersion: RULES_VERSION,
    merchant,
    orderId,
    at: new Date(timing.nowMs()).toISOString(),
    commandId,
  });
  const read = () => journal.read(merchant, orderId);
  /** What was read before the slot is there again may be old by then. */
  const readAfter = async (wait: () => Promise<unknown>) => {
    await lease.releaseSlotWhile(wait);
    return read();
  };
  let order = await read();
  // The fault of an unknown command is published, and the view may lag: its INTENT may be in the log (docs/decisions/0108).
  if (typeof betweenAttempts !== 'string' && findOperation(order, commandId) === undefined)
    order = await readAfter(() => journal.readToEnd(merchant, orderId, lease.signal));
  for (let isNew = true; ; isNew = false) {
    const operation = findOperation(order, commandId);
    if (operation === undefined) return 'unknown';
    if (!hasContent(operation, command.contentHash)) return 'reused';
    // Judged as busy, its INTENT would be one more that nobody sends.
    const isBusy = order.operations.some(isOpen);
    if (operation.phase === 'open' || (operation.phase === 'idle' && betweenAttempts === 'in_doubt' && isBusy)) {
      const seen = BigInt(order.lastOffset);
      order = await readAfter(() => journal.waitForRecordAfter(merchant, orderId, seen, lease.signal));
    } else if (operation.phase === 'idle') {
      if (betweenAttempts === 'left_alone') return 'unknown';
      if (betweenAttempts === 'in_doubt') {
        const lost = lostAttempt(order, operation, { at: identity().at, newToken });
        if (lost === undefined) return 'unknown';
        const [intent, doubt] = lost;
        await journal.appendIntent(intent, trace);
        order = await journal.appendAndRead(doubt, trace);
      } else {
        const { code, message } = betweenAttempts;
        order = await journal.appendAndRead(
          { record: 'GIVEN_UP', ...identity(), attempt: operation.attempt, code, message },
          trace,
        );
      }
    } else {
      const append = () => journal.append({ record: 'REPEATED', ...identity() }, trace);
      if (isNew) await tellAgain(command, lease, append);
      return 'answered';
    }
  }
}

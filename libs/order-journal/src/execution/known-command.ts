import type { Fault } from '@tranche/contracts';
import type { Timing, TraceHeaders } from '@tranche/runtime';
import { lostAttempt } from '../recovery/after-loss.js';
import { findOperation, hasContent, isOpen } from '../state/order-state.js';
import { inOrder } from '../state/versions.js';
import { republishAtOnce, type CommandLease, type ExecutorPorts } from './executor-ports.js';

/** Identity of a command that today's configuration or contracts refuse, as the command itself gives it. */
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
  republishResult?: (command: RefusedCommand, lease: CommandLease, append: () => Promise<unknown>) => Promise<void>;
}

/**
 * Treatment of an operation between two attempts. A fault: the operation is given up with it. `left_alone`: nothing is done, because the sender of
 * this copy is not proved. `in_doubt`: its next attempt may be among lost records (R11), so an attempt without an answer is appended, and it is never
 * sent.
 */
export type BetweenAttempts = Fault | 'left_alone' | 'in_doubt';

/**
 * Answers a command that its order knows with the result it had, whatever is configured today: it may have been executed before its merchant was
 * removed, before a release became stricter, or before records were lost.
 *
 * Returns `unknown` where the order does not know the id (with a fault, the log was read to its end first), or has no result of it and none can be
 * made; `reused` where it knows the id with other content.
 * @throws where the journal is unreachable: the command must be redelivered
 */
export async function answerKnownCommand(
  { journal, timing, newToken, republishResult: republishResult = republishAtOnce }: KnownCommandPorts,
  command: RefusedCommand,
  betweenAttempts: BetweenAttempts,
  lease: CommandLease,
): Promise<'answered' | 'unknown' | 'reused'> {
  const { merchant, orderId, commandId, trace } = command;
  const identity = () => ({ ...inOrder(command, new Date(timing.nowMs()).toISOString()), commandId });
  const read = () => journal.read(merchant, orderId);
  /** Reads the order after a wait. A state read before the slot is regained may be outdated. */
  const readAfter = async (wait: () => Promise<unknown>) => {
    await lease.releaseSlotWhile(wait);
    return read();
  };
  let order = await read();
  // The fault of an unknown command is published, so the log must be read to its end first: the view may lag, and the INTENT may be in the log
  // (docs/decisions/0001).
  if (typeof betweenAttempts !== 'string' && findOperation(order, commandId) === undefined)
    order = await readAfter(() => journal.readToEnd(merchant, orderId, lease.signal));
  for (let isNew = true; ; isNew = false) {
    const operation = findOperation(order, commandId);
    if (operation === undefined) return 'unknown';
    if (!hasContent(operation, command.contentHash)) return 'reused';
    // An INTENT now would be refused as busy, so this waits until the order is free.
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
      if (isNew) await republishResult(command, lease, append);
      return 'answered';
    }
  }
}

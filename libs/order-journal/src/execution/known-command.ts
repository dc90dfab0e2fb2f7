import type { Fault } from '@tranche/contracts';
import type { Timing, TraceHeaders } from '@tranche/runtime';
import { hasContent } from '../state/command-content.js';
import { findOperation } from '../state/order-state.js';
import { RULES_VERSION } from '../state/records.js';
import type { CommandLease, ExecutorPorts } from './executor-ports.js';

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
    'read' | 'append' | 'appendAndRead' | 'waitForRecordAfter'
  >;
  timing: Pick<Timing, 'nowMs'>;
}

/**
 * A command that its order knows gets the result that it had, whatever is configured today: it may have been executed before its merchant was
 * removed or a release became stricter. Where it was between two attempts it is given up with `fault`; without one it is left as it is, for nobody knows
 * who sent this copy.
 *
 * `unknown`: the order does not know the id, or has no result of it; `reused`: it knows it with other content. Rejects where the journal can't be reached: the command must
 * come again.
 */
export async function answerKnownCommand(
  { journal, timing }: KnownCommandPorts,
  command: RefusedCommand,
  fault: Fault | undefined,
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
  let order = await journal.read(merchant, orderId);
  for (let isNew = true; ; isNew = false) {
    const operation = findOperation(order, commandId);
    if (operation === undefined) return 'unknown';
    if (!hasContent(operation, command.contentHash)) return 'reused';
    if (operation.phase === 'open') {
      const seen = BigInt(order.lastOffset);
      order = await lease.releaseSlotWhile(() => journal.waitForRecordAfter(merchant, orderId, seen, lease.signal));
    } else if (operation.phase === 'idle') {
      if (fault === undefined) return 'unknown';
      const { code, message } = fault;
      order = await journal.appendAndRead(
        { record: 'GIVEN_UP', ...identity(), attempt: operation.attempt, code, message },
        trace,
      );
    } else {
      if (isNew) await journal.append({ record: 'REPEATED', ...identity() }, trace);
      return 'answered';
    }
  }
}

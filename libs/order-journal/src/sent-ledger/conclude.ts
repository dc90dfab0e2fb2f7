import type { MadeToken } from '../execution/executor-ports.js';
import { type ClockReading, SEND_DEADLINE_MS } from '../state/time.js';
import { readLedger, type LedgerEntry, type LedgerIdentity } from './ledger-lines.js';

/** Maximum difference between the two clocks' progress since a line was written. Beyond it, one of them stopped or was set. Milliseconds. */
const CLOCKS_DIFFER_MS = 1_000;
/** Wait after the send deadline, so that no token of the ledger can be sent any more. Milliseconds. */
const WAIT_BEYOND_MS = 1_000;

export type Conclusion =
  /** These tokens were made and never sent. */
  | { of: 'never_sent'; tokens: MadeToken[] }
  /** The last token may still be sent for this time. Milliseconds. */
  | { of: 'wait'; ms: number }
  /** The ledger belongs to another Kafka cluster or topic prefix, whose own successor reads it. */
  | { of: 'foreign' }
  | { of: 'nothing'; because: string };

/** Concludes from the ledger of a process that has ended which of its tokens were never sent. Pure; `now`: CLOCK_MONOTONIC and wall clock. */
export function conclusionOf(bytes: Uint8Array, ours: LedgerIdentity, now: ClockReading): Conclusion {
  const ledger = readLedger(bytes);
  if (ledger === undefined) return { of: 'nothing', because: 'it can not be read' };
  const { identity, entries } = ledger;
  if (identity.topicPrefix !== ours.topicPrefix || identity.clusterId !== ours.clusterId) return { of: 'foreign' };
  if (identity.bootId !== ours.bootId) return { of: 'nothing', because: 'the machine was started anew' };
  if (!entries.every((entry) => isTimeTrue(entry, now)))
    return { of: 'nothing', because: 'the clocks differ since it was written' };
  const lastMadeMs = Math.max(...entries.map(({ made }) => made.monotonicMs));
  const waitMs = lastMadeMs + SEND_DEADLINE_MS + WAIT_BEYOND_MS - now.monotonicMs;
  if (waitMs > 0) return { of: 'wait', ms: waitMs };
  return {
    of: 'never_sent',
    tokens: entries.filter(({ sent }) => sent === undefined).map(({ token }) => token),
  };
}

function isTimeTrue({ made, sent }: LedgerEntry, now: ClockReading): boolean {
  return [made, ...(sent === undefined ? [] : [sent])].every(
    ({ monotonicMs, wallMs }) =>
      Math.abs(now.monotonicMs - monotonicMs - (now.wallMs - wallMs)) <= CLOCKS_DIFFER_MS &&
      now.monotonicMs >= monotonicMs,
  );
}

import type { JournalRecord } from '@tranche/order-journal';
import type { Traces } from '../traces.js';

/** What came of the kills of one way. */
export interface WayFigures {
  /** With the sent ledger, or without. */
  ledger: boolean;
  commands: number;
  kills: number;
  /** Attempts that had an INTENT and no result when their gateway was killed, all kills together. */
  underWay: number;
  inDoubt: number;
  /** In doubt, and the platform never executed it. */
  falseDoubt: number;
  /** Attempts that a successor found in the ledger and ended. */
  neverSent: number;
  violations: string[];
}

export interface KillReport {
  seed: number;
  minutes: number;
  perSecond: number;
  ways: (WayFigures & { doubtsPerKill: number; falseDoubtShare: number })[];
  /** Nothing happened that never must, and something was tried. */
  isGood: boolean;
}

export function reportOf(
  ways: readonly WayFigures[],
  { seed, minutes, perSecond }: { seed: number; minutes: number; perSecond: number },
): KillReport {
  return {
    ...{ seed, minutes, perSecond },
    ways: ways.map((way) => ({
      ...way,
      doubtsPerKill: rounded(way.inDoubt / Math.max(1, way.kills)),
      falseDoubtShare: rounded(way.falseDoubt / Math.max(1, way.underWay)),
    })),
    isGood: ways.every(({ violations, kills }) => violations.length === 0 && kills > 0),
  };
}

export function tableOf({ ways }: KillReport): string {
  return ways
    .flatMap((way) => [
      `${way.ledger ? 'with' : 'without'} the sent ledger: ${way.commands} commands, ${way.kills} kills, ${way.underWay} attempts under way at a kill`,
      `  in doubt ${way.inDoubt} (${way.doubtsPerKill} per kill), false ${way.falseDoubt} (${(way.falseDoubtShare * 100).toFixed(1)} % of those under way), never sent by the ledger ${way.neverSent}`,
      ...way.violations.map((violation) => `  ${violation}`),
    ])
    .join('\n');
}

/** Attempts whose INTENT was made before a kill, and that nothing had closed by then. */
export function underWayAt(killedAtMs: readonly number[], { journal }: Pick<Traces, 'journal'>): number {
  const intents = new Map<string, { madeMs: number; closedMs: number }>();
  for (const { record } of journal) {
    if (record.record === 'INTENT' && !intents.has(record.token))
      intents.set(record.token, { madeMs: Date.parse(record.at), closedMs: Infinity });
    else if ('token' in record) {
      const known = intents.get(record.token);
      if (known) known.closedMs = Math.min(known.closedMs, Date.parse(record.at));
    }
  }
  const all = [...intents.values()];
  return killedAtMs.reduce(
    (sum, atMs) => sum + all.filter(({ madeMs, closedMs }) => madeMs <= atMs && closedMs > atMs).length,
    0,
  );
}

/** NOT_EXECUTED records that no call brought about: the platform was neither slow nor away. */
export function concludedIn({ journal }: Pick<Traces, 'journal'>): number {
  const isConcluded = (record: JournalRecord) =>
    record.record === 'NOT_EXECUTED' && record.message.includes('ended before it sent');
  return new Set(journal.flatMap(({ record }) => (isConcluded(record) && 'token' in record ? [record.token] : [])))
    .size;
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

import type { JournalRecord } from '@tranche/order-journal';
import type { Traces } from '../traces.js';

/** Results of the kills with the sent ledger, or without it. */
export interface WayFigures {
  ledger: boolean;
  commands: number;
  kills: number;
  /** Attempts with an INTENT and no result when their gateway was killed, summed over all kills. */
  underWay: number;
  inDoubt: number;
  /** Operations in doubt that the platform never executed. */
  falseDoubt: number;
  /** Attempts that a successor closed by the ledger as never sent. */
  neverSent: number;
  violations: string[];
}

export interface KillReport {
  seed: number;
  minutes: number;
  perSecond: number;
  ways: (WayFigures & { doubtsPerKill: number; falseDoubtShare: number })[];
  /** False if something forbidden happened, or if nothing was killed. */
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

/** Counts attempts whose INTENT is older than a kill and that were not closed by then. */
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

/** Counts NOT_EXECUTED records that a successor wrote by the ledger. The platform is neither slow nor away here. */
export function concludedIn({ journal }: Pick<Traces, 'journal'>): number {
  const isConcluded = (record: JournalRecord) =>
    record.record === 'NOT_EXECUTED' && record.message.includes('ended before it sent');
  return new Set(journal.flatMap(({ record }) => (isConcluded(record) && 'token' in record ? [record.token] : [])))
    .size;
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

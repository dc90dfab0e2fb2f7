import type { Traces } from '../traces.js';

export interface KillFigures {
  commands: number;
  kills: number;
  /** Attempts with an INTENT and no result when their gateway was killed, summed over all kills. */
  underWay: number;
  inDoubt: number;
  /** Operations in doubt that the platform never executed. */
  falseDoubt: number;
  violations: string[];
}

export interface KillReport extends KillFigures {
  seed: number;
  minutes: number;
  perSecond: number;
  doubtsPerKill: number;
  falseDoubtShare: number;
  /** False if something forbidden happened, or if nothing was killed. */
  isGood: boolean;
}

export function reportOf(
  figures: KillFigures,
  { seed, minutes, perSecond }: { seed: number; minutes: number; perSecond: number },
): KillReport {
  return {
    ...{ seed, minutes, perSecond },
    ...figures,
    doubtsPerKill: rounded(figures.inDoubt / Math.max(1, figures.kills)),
    falseDoubtShare: rounded(figures.falseDoubt / Math.max(1, figures.underWay)),
    isGood: figures.violations.length === 0 && figures.kills > 0,
  };
}

export function tableOf(report: KillReport): string {
  const { commands, kills, underWay, inDoubt, doubtsPerKill, falseDoubt, falseDoubtShare, violations } = report;
  return [
    `${commands} commands, ${kills} kills, ${underWay} attempts under way at a kill`,
    `  in doubt ${inDoubt} (${doubtsPerKill} per kill), false ${falseDoubt} (${(falseDoubtShare * 100).toFixed(1)} % of those under way)`,
    ...violations.map((violation) => `  ${violation}`),
  ].join('\n');
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

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

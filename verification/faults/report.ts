import { columns, countsOf, median } from '../figures.js';
import { CRASH_POINTS } from './failpoints/failpoints.js';

export const VIOLATION_KINDS = [
  /** The platform executed one operation more than once, or something that the journal never granted. */
  'executedTwice',
  /** A command in Kafka has no operation, a call is never closed, or a doubt stays although a report resolved it. */
  'lost',
  /** An event or the folded state contradicts the ledger. */
  'wrongOutcome',
  /** A command overtook an earlier one of its order, or an event was first published after a later one. */
  'outOfOrder',
  /** notification-ingest answered OK, and the notification did not arrive or was never counted. */
  'notificationsLost',
  /** The ledger breaks a limit of the interface: two live payments, two captures, refunds beyond what remains. */
  'guardBroken',
  /** An event was never published, is not of the journal, or has two contents. */
  'eventsBroken',
  /** A planted secret is left in a log, a record, a store or a metric. */
  'secretsLeft',
] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export interface Violation {
  kind: ViolationKind;
  detail: string;
}

export interface Verdict {
  violations: Violation[];
  inDoubt: number;
  resolved: number;
  /** Operations in doubt that the platform never executed. */
  falseDoubt: number;
  /** Publications of events beyond those that the journal requires. */
  publishedTwice: number;
  operations: number;
}

export interface Run {
  scenario: string;
  /** The report counts runs under this name. */
  fault: string;
  /** Set if a process died at this crash point. */
  crashPoint?: string;
  seed: number;
  commands: number;
  kills: number;
  /** Seconds from the end of the fault to the next result; absent if there was none. */
  recoverySeconds?: number;
  /** The longest time without a result event while commands arrived, in seconds. */
  pauseSeconds?: number;
  verdict: Verdict;
}

/** Counts the violations of each kind. */
export function countsByKind(violations: readonly Violation[]): Record<ViolationKind, number> {
  const counts = VIOLATION_KINDS.map((kind) => [kind, violations.filter((one) => one.kind === kind).length]);
  return Object.fromEntries(counts) as Record<ViolationKind, number>;
}

/** A campaign prints it as its last line, in JSON. */
export type Report = ReturnType<typeof reportOf>;

export function reportOf(runs: readonly Run[], seed: number) {
  const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0);
  const hit = new Set(runs.map(({ crashPoint }) => crashPoint));
  const recoveries = runs.flatMap(({ recoverySeconds = [] }) => recoverySeconds);
  const pauses: Record<string, number> = {};
  for (const { scenario, pauseSeconds = 0 } of runs) pauses[scenario] = Math.max(pauses[scenario] ?? 0, pauseSeconds);
  return {
    runs: runs.length,
    commands: sum(({ commands }) => commands),
    operations: sum(({ verdict }) => verdict.operations),
    kills: sum(({ kills }) => kills),
    crashPoints: { covered: CRASH_POINTS.filter((point) => hit.has(point)).length, of: CRASH_POINTS.length },
    faults: countsOf(runs.map(({ fault }) => fault)),
    ...countsByKind(runs.flatMap(({ verdict }) => verdict.violations)),
    inDoubt: sum(({ verdict }) => verdict.inDoubt),
    resolved: sum(({ verdict }) => verdict.resolved),
    falseDoubt: sum(({ verdict }) => verdict.falseDoubt),
    publishedTwice: sum(({ verdict }) => verdict.publishedTwice),
    /** Median (the upper one of two) and maximum; 0 if no run has a value. */
    recoverySeconds: { p50: rounded(median(recoveries)), max: rounded(Math.max(0, ...recoveries)) },
    /** The longest pause of each scenario. */
    pauses,
    seed,
  };
}

const rounded = (value: number) => Math.round(value * 100) / 100 || 0;

/** Shows a figure to people; its parts, if it has any, share one cell. */
export const cellOf = (figure: object | string | number): string =>
  typeof figure === 'object'
    ? Object.entries(figure)
        .map(([name, part]) => `${name} ${part}`)
        .join(', ')
    : String(figure);

/** Prints figures, faults and violations for people, with the command that repeats each. */
export function tableOf(report: Report, runs: readonly Run[]): string {
  const { faults, pauses, ...others } = report;
  const figures = { ...others, longestPauseSeconds: Math.max(0, ...Object.values(pauses)), ...faults };
  const broken = runs.flatMap((run) =>
    run.verdict.violations.map(
      ({ kind, detail }) => `${kind} in ${run.scenario}: ${detail}\n  ${commandThatRepeats(run)}`,
    ),
  );
  const rows = Object.entries(figures).map(([name, figure]) => [name, cellOf(figure)] as const);
  return [columns(rows), '', ...broken].join('\n').trimEnd();
}

export const commandThatRepeats = ({ scenario, seed }: Run): string =>
  `npm run faults -- --only ${scenario} --runs 1 --seed ${seed}`;

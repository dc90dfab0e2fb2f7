import { columns, countsOf, median } from '../figures.js';

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
  verdict: Verdict;
}

/** A campaign prints it as its last line, in JSON. */
export interface Report extends Record<ViolationKind, number> {
  runs: number;
  commands: number;
  kills: number;
  crashPoints: { covered: number; of: number };
  faults: Record<string, number>;
  inDoubt: number;
  resolved: number;
  falseDoubt: number;
  recoverySeconds: { p50: number; max: number };
  publishedTwice: number;
  operations: number;
  seed: number;
}

export function reportOf(
  runs: readonly Run[],
  { seed, crashPoints }: { seed: number; crashPoints: readonly string[] },
): Report {
  const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0);
  const count = (kind: ViolationKind) =>
    sum(({ verdict }) => verdict.violations.filter((violation) => violation.kind === kind).length);
  const hit = new Set(runs.map(({ crashPoint }) => crashPoint));
  const counts = Object.fromEntries(VIOLATION_KINDS.map((kind) => [kind, count(kind)])) as Record<
    ViolationKind,
    number
  >;
  const { guardBroken, eventsBroken, ...promised } = counts;
  return {
    runs: runs.length,
    commands: sum(({ commands }) => commands),
    kills: sum(({ kills }) => kills),
    crashPoints: { covered: crashPoints.filter((point) => hit.has(point)).length, of: crashPoints.length },
    faults: countsOf(runs.map(({ fault }) => fault)),
    ...promised,
    inDoubt: sum(({ verdict }) => verdict.inDoubt),
    resolved: sum(({ verdict }) => verdict.resolved),
    falseDoubt: sum(({ verdict }) => verdict.falseDoubt),
    recoverySeconds: recovery(runs),
    guardBroken,
    eventsBroken,
    publishedTwice: sum(({ verdict }) => verdict.publishedTwice),
    operations: sum(({ verdict }) => verdict.operations),
    seed,
  };
}

export const isClean = (report: Report): boolean => VIOLATION_KINDS.every((kind) => report[kind] === 0);

/** Prints figures, faults and violations for people, with the command that repeats each. */
export function tableOf(report: Report, runs: readonly Run[]): string {
  const { crashPoints, recoverySeconds, faults } = report;
  const figures: [name: string, figure: string | number][] = [
    ['runs', report.runs],
    ['commands', report.commands],
    ['operations', report.operations],
    ['kills', report.kills],
    ['crash points', `${crashPoints.covered} of ${crashPoints.of}`],
    ['in doubt', `${report.inDoubt}, resolved ${report.resolved}, false ${report.falseDoubt}`],
    ['published twice', report.publishedTwice],
    ['recovery, seconds', `p50 ${recoverySeconds.p50}, max ${recoverySeconds.max}`],
    ...VIOLATION_KINDS.map((kind): [string, number] => [kind, report[kind]]),
  ];
  const broken = runs.flatMap(({ scenario, seed, verdict }) =>
    verdict.violations.map(
      ({ kind, detail }) =>
        `${kind} in ${scenario}: ${detail}\n  npm run faults -- --only ${scenario} --runs 1 --seed ${seed}`,
    ),
  );
  return [
    columns(figures),
    '',
    'faults',
    columns(Object.entries(faults).map(([name, times]) => [`  ${name}`, times])),
    ...(broken.length === 0 ? [] : ['', ...broken]),
  ].join('\n');
}

/** Median (the upper one of two) and maximum; 0 if no run has a value. */
function recovery(runs: readonly Run[]): Report['recoverySeconds'] {
  const seconds = runs.flatMap((run) => (run.recoverySeconds === undefined ? [] : [run.recoverySeconds]));
  const rounded = (value: number) => Math.round(value * 100) / 100 || 0;
  return { p50: rounded(median(seconds)), max: rounded(Math.max(0, ...seconds)) };
}

import { columns, percentile } from '../figures.js';
import { cellOf, countsByKind, type Verdict } from './report.js';
import {
  recoveryOf,
  slopeOf,
  tookMs,
  type Books,
  type Measured,
  type PlayedFault,
  type TimedCommand,
} from './soak-figures.js';

export interface JudgedSlot {
  verdict: Verdict;
  books: Books;
  commands: TimedCommand[];
  /** False for the orders that measured the capacity, because they all came at once. */
  isMeasured: boolean;
}

export interface SoakFigures {
  seed: number;
  minutes: number;
  /** Absent with one. */
  brokers?: number | undefined;
  /** Commands a second. */
  wanted: number;
  capacity?: number | undefined;
  beganMs: number;
  endsMs: number;
  slots: readonly JudgedSlot[];
  faults: readonly PlayedFault[];
  measured: readonly Measured[];
  /** Lists what could not be played, settled or judged, and services that ended. */
  troubles: readonly string[];
}

/** This share of the wanted rate must be answered. A story that a fault cuts short sends fewer commands. */
const RATE_HELD = 0.8;
/** A command that is sent at the end has this time for its answer. */
const ANSWERED_WITHIN_MS = 5_000;
/** In a shorter soak most processes do not run for long enough. */
const MEASURED_FROM_MINUTES = 10;
/** More lines of one kind, which stands before the colon, say no more. */
const MOST_SHOWN = 5;

/** Judges the figures of a soak. `broken` names each promise that was not kept, and each slope above its bound. */
export function reportOfSoak({ beganMs, endsMs, slots, ...figures }: SoakFigures) {
  const sum = (of: (slot: JudgedSlot) => number) => slots.reduce((total, slot) => total + of(slot), 0);
  const commands = slots.filter(({ isMeasured }) => isMeasured).flatMap((slot) => slot.commands);
  const faults = figures.faults.map((fault, at, all) => {
    const untilMs = all[at + 1]?.beganMs ?? endsMs;
    const recovered = recoveryOf(fault, commands, untilMs);
    const calmFromMs = recovered === undefined ? untilMs : fault.endedMs + recovered * 1_000;
    return { ...fault, recovered, calmFromMs };
  });
  const calm = commands.filter(({ sentAtMs }) =>
    faults.every((fault) => sentAtMs < fault.beganMs || sentAtMs >= fault.calmFromMs),
  );
  const ms = (some: readonly TimedCommand[]) => {
    const took = some.map(tookMs);
    return { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  };
  const answered = commands.filter(({ answeredAtMs }) => answeredAtMs <= endsMs + ANSWERED_WITHIN_MS);
  const rate = (answered.length * 1_000) / (endsMs - beganMs);
  const violations = slots.flatMap(({ verdict }) => verdict.violations);
  const differences = slots.flatMap(({ books }) => books.differences);
  const slopes = figures.measured.map(slopeOf);
  const known = slopes.filter(({ slope }) => slope !== undefined).length;
  const broken = [
    // Orders that did not settle explain much of what follows.
    ...figures.troubles,
    ...violations.map(({ kind, detail }) => `${kind}: ${detail}`),
    ...differences.map((difference) => `books: ${difference}`),
    ...(rate < RATE_HELD * figures.wanted ? [`only ${rounded(rate)} commands a second were answered`] : []),
    ...faults.flatMap(({ fault, recovered }) => (recovered === undefined ? [`no recovery from ${fault}`] : [])),
    ...(figures.minutes >= MEASURED_FROM_MINUTES && known < slopes.length / 4
      ? [`only ${known} of ${slopes.length} slopes were measured: it was never calm for long`]
      : []),
    ...slopes.filter(({ isAbove }) => isAbove).map(({ name, slope, unit }) => `${name}: ${rounded(slope)} ${unit}`),
  ];
  return {
    ...{ seed: figures.seed, minutes: figures.minutes },
    ...(figures.brokers !== undefined && { brokers: figures.brokers }),
    commandsPerSecond: {
      answered: rounded(rate),
      wanted: rounded(figures.wanted),
      capacity: rounded(figures.capacity),
    },
    sent: { commands: commands.length, operations: sum(({ verdict }) => verdict.operations) },
    answerMs: ms(commands),
    answerMsWithoutFaults: ms(calm),
    ...countsByKind(violations),
    doubts: {
      ...{ all: sum(({ verdict }) => verdict.inDoubt), resolved: sum(({ verdict }) => verdict.resolved) },
      false: sum(({ verdict }) => verdict.falseDoubt),
    },
    publishedTwice: sum(({ verdict }) => verdict.publishedTwice),
    books: {
      ...{ orders: sum(({ books }) => books.orders), captured: sum(({ books }) => books.captured) },
      ...{ inDoubt: sum(({ books }) => books.inDoubt), differ: differences.length },
    },
    faults: Object.fromEntries(
      faults.map(({ fault, detail, recovered, ...at }) => [
        `minute ${rounded((at.beganMs - beganMs) / 60_000)}, ${fault}`,
        { detail, seconds: rounded((at.endedMs - at.beganMs) / 1_000), recoverySeconds: recovered ?? 'none' },
      ]),
    ),
    slopes: Object.fromEntries(
      slopes.map(({ name, unit, slope, from, to }) => [
        name,
        { [unit]: rounded(slope), from: rounded(from), to: rounded(to) },
      ]),
    ),
    broken,
  };
}

const rounded = (value: number | undefined) => (value === undefined ? 'not measured' : Math.round(value * 100) / 100);

/** Shows the report to people, in columns or as Markdown. */
export function tableOfSoak(
  { faults, slopes, broken, ...figures }: ReturnType<typeof reportOfSoak>,
  isMarkdown: boolean,
): string {
  const rows = Object.entries({ ...figures, ...faults, ...slopes }).map(
    ([name, figure]) => [name, cellOf(figure)] as const,
  );
  const { seed, minutes, brokers, commandsPerSecond } = figures;
  const ofBrokers = brokers === undefined ? '' : ` --brokers ${brokers}`;
  const again = `again: npm run faults -- --soak ${minutes} --rate ${Math.round(Number(commandsPerSecond.wanted))} --seed ${seed}${ofBrokers}`;
  const end = broken.length === 0 ? ['Every promise was kept.'] : ['BROKEN', ...someOfEachKind(broken), again];
  const table = isMarkdown
    ? ['| figure | value |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)]
    : [columns(rows)];
  return [...table, '', ...end].join('\n');
}

function someOfEachKind(broken: readonly string[]): string[] {
  const seen = new Map<string, number>();
  const shown = broken.filter((line) => {
    const kind = kindOf(line);
    seen.set(kind, 1 + (seen.get(kind) ?? 0));
    return seen.get(kind)! <= MOST_SHOWN;
  });
  const more = [...seen].filter(([, lines]) => lines > MOST_SHOWN);
  return [...shown, ...more.map(([kind, lines]) => `${kind}: ${lines - MOST_SHOWN} more`)];
}

const kindOf = (line: string): string => line.split(':')[0]!;

/** Lays a timeline out from left to right. Nothing here knows React or the screen. */
import { askedOf, isOfJournal, keyOf, labelOf, laneOf, recordOf, spansOf, toneOf } from './entry.js';
import { LANES, type Entry, type Lane, type Span, type Tone } from './entry.js';

/** A moment to come that the order waits for. */
export interface Deadline {
  says: string;
  atMs: number;
  /** A person's decision is due then. */
  isDue?: boolean;
}

export interface Mark {
  key: string;
  /** Absent for a deadline. */
  entry?: Entry;
  lane: Lane;
  tone: Tone;
  label: string;
  x: number;
  /** A call lasts until its answer. */
  endX?: number;
  isAhead: boolean;
}
interface Layout {
  lanes: Lane[];
  marks: Mark[];
  spans: (Span & { x: number; endX: number })[];
  /** Time that passed between two marks, where it is worth a word. */
  gaps: { x: number; ms: number }[];
  nowX: number;
  width: number;
}

const LEFT = 16;
const LEAST = 26;
const MOST = 140;
const PER_LETTER = 6.3;
const LABEL_MOST = 24;
/** Marks this close to each other are one moment. */
const SAME_MS = 30;
const WORTH_A_WORD_MS = 5_000;

/** A gap ten times as long is a step further: seconds and days stand in one picture. */
const stepOf = (gapMs: number): number =>
  gapMs < SAME_MS ? 0 : Math.min(MOST, LEAST + 22 * Math.log10(1 + gapMs / 1_000));

/** @param underWay calls that no record has ended, as `COMMAND ATTEMPT` */
export function layoutOf(
  entries: readonly Entry[],
  deadlines: readonly Deadline[],
  underWay: ReadonlySet<string>,
  nowMs: number,
): Layout {
  const past = entries.flatMap(marksOf).map((mark) => ({ ...mark, isAhead: false }));
  const ahead = deadlines
    .filter(({ atMs }) => atMs > nowMs)
    .map(({ says, atMs, isDue }) => ({
      ...{ key: `${says} ${atMs}`, lane: 'time' as const, tone: isDue ? ('grave' as const) : ('wait' as const) },
      ...{ label: says, atMs, isAhead: true },
    }));
  const now = { key: 'now', lane: undefined, atMs: nowMs };
  const sorted = [...past, now, ...ahead].sort((one, other) => one.atMs - other.atMs);

  const freeFrom = new Map<Lane, number>();
  const places = new Map<string, number>();
  const times: { atMs: number; x: number }[] = [];
  const gaps: Layout['gaps'] = [];
  const marks: Mark[] = [];
  let x = LEFT;
  let beforeMs = sorted[0]?.atMs ?? nowMs;
  for (const one of sorted) {
    const gapMs = one.atMs - beforeMs;
    const from = x;
    x += stepOf(gapMs);
    if (one.lane !== undefined) x = Math.max(x, freeFrom.get(one.lane) ?? 0);
    if (gapMs >= WORTH_A_WORD_MS) gaps.push({ x: (from + x) / 2, ms: gapMs });
    beforeMs = one.atMs;
    times.push({ atMs: one.atMs, x });
    places.set(one.key, x);
    if (one.lane === undefined) continue;
    const { atMs: _atMs, ...mark } = one;
    marks.push({ ...mark, x });
    freeFrom.set(one.lane, x + 22 + Math.min(one.label.length, LABEL_MOST) * PER_LETTER);
  }
  const nowX = places.get('now') ?? x;
  const xAt = (ms: number) => times.findLast(({ atMs }) => atMs <= ms)?.x ?? LEFT;
  const ends = endsOfCalls(entries);
  const width = Math.max(
    ...marks.map((mark) => mark.x + 30 + Math.min(mark.label.length, LABEL_MOST) * PER_LETTER),
    nowX + 60,
  );
  return {
    lanes: (Object.keys(LANES) as Lane[]).filter((lane) => marks.some((mark) => mark.lane === lane)),
    marks: marks.map((mark) => {
      if (mark.lane !== 'sent' || mark.entry === undefined) return mark;
      const end = ends.get(callOf(mark.entry));
      if (end !== undefined) return { ...mark, endX: places.get(keyOf(end)) ?? mark.x };
      return underWay.has(callOf(mark.entry)) ? { ...mark, endX: nowX } : mark;
    }),
    spans: spansOf(entries).map((span) => ({
      ...span,
      x: xAt(span.fromMs),
      endX: span.toMs === undefined ? nowX : xAt(span.toMs),
    })),
    ...{ gaps, nowX, width },
  };
}

export const clipped = (label: string): string =>
  label.length > LABEL_MOST ? `${label.slice(0, LABEL_MOST - 1)}…` : label;

/** A first call shows twice: what the shop asked, and that it was sent. */
function marksOf(entry: Entry): (Omit<Mark, 'x' | 'isAhead'> & { atMs: number })[] {
  const lane = laneOf(entry);
  const mark = {
    key: keyOf(entry),
    entry,
    lane,
    tone: toneOf(entry),
    label: labelOf(entry),
    atMs: Date.parse(entry.at),
  };
  const record = isOfJournal(entry) ? recordOf(entry) : undefined;
  if (record?.record !== 'INTENT' || record.attempt !== 1) return [mark];
  return [{ ...mark, key: `${mark.key} asked`, lane: 'asked', label: askedOf(record) }, mark];
}

const callOf = (entry: Entry): string => {
  const { commandId, attempt } = entry.body as { commandId?: string; attempt?: number };
  return `${commandId} ${attempt}`;
};
const ENDS_A_CALL = ['OUTCOME', 'NOT_EXECUTED', 'IN_DOUBT'];

/** The record that ended each call. */
function endsOfCalls(entries: readonly Entry[]): Map<string, Entry> {
  const ends = new Map<string, Entry>();
  for (const entry of entries)
    if (isOfJournal(entry) && ENDS_A_CALL.includes(entry.kind) && !ends.has(callOf(entry)))
      ends.set(callOf(entry), entry);
  return ends;
}

import { SHAPES, type Canary } from './canaries.js';
import type { Entry, Place } from './places.js';

interface Hit {
  readonly canary: string;
  readonly form: string;
  readonly place: string;
  readonly entry: string;
  /** The text around the hit, with every canary masked. */
  readonly around: string;
}

interface Needle {
  readonly canary: Canary;
  readonly form: string;
  readonly text: string;
}

const AROUND = 40;
const SAME_HITS = 3;

/** `allowed` names the canaries that were found where they may be. */
export function search(
  place: Place,
  canaries: readonly Canary[],
): { hits: Hit[]; count: number; allowed: ReadonlySet<string> } {
  const { entries } = place;
  const hits: Hit[] = [];
  const allowed = new Set<string>();
  let count = 0;
  const add = (canary: string, form: string, entry: Entry, around: () => string) => {
    count++;
    if (hits.filter((hit) => hit.canary === canary && hit.form === form).length >= SAME_HITS) return;
    hits.push({ canary, form, place: place.name, entry: entry.label, around: around() });
  };
  // The entries are searched together: a value may be printed on several lines of a log.
  const text = entries.map((entry) => entry.text).join('\n');
  let length = -1;
  const ends = entries.map((entry) => (length += entry.text.length + 1));
  const entryAt = (at: number) => entries[ends.findIndex((end) => at <= end)]!;
  // Needles are ordered with whole forms first, so a piece within a hit is not counted again.
  const seen = new Map<Canary, number>();
  for (const { at, needle } of matchesIn(text, needlesOf(canaries))) {
    const { canary, form } = needle;
    const end = at + needle.text.length;
    if (end <= (seen.get(canary) ?? 0)) continue;
    seen.set(canary, end);
    const entry = entryAt(at);
    if (isAllowed(canary, form, place, entry)) {
      allowed.add(canary.name);
      continue;
    }
    add(canary.name, form, entry, () => aroundOf(text, at, needle.text.length, canary.name, canaries));
  }
  for (const { name, shape } of SHAPES)
    for (const { index, 0: match } of text.matchAll(shape))
      add(name, 'by its shape', entryAt(index), () => aroundOf(text, index, match.length, name, canaries));
  const cards = canaries.filter(({ digits }) => digits !== undefined);
  for (const entry of entries)
    for (const { name } of separatedIn(entry, cards)) add(name, 'digits apart', entry, () => '');
  return { hits, count, allowed };
}

function isAllowed({ allowedIn }: Canary, form: string, { kind, commandsOf }: Place, { label }: Entry): boolean {
  // A shop stores a command with its token until it is published. Redis then deletes it, but its append-only file keeps it.
  if (kind === 'redis file') return allowedIn === 'its card command';
  if (form !== 'plain' || commandsOf === undefined) return false;
  if (allowedIn === 'its card command') return commandsOf === 'card' && label.endsWith(' value');
  // The publisher put it into the command, which may include key and headers.
  return allowedIn === 'the command that was refused for it';
}

/** Finds card numbers with separators between their digits: the entry does not contain them, but would without the separators. */
function separatedIn({ text }: Entry, cards: readonly Canary[]): Canary[] {
  if (cards.length === 0) return [];
  const bare = text.replace(/(?<=[0-9])(?:[\s,;:|/._+\-"']|%20){1,3}(?=[0-9])/g, '');
  if (bare.length === text.length) return [];
  return cards.filter(({ digits, forms }) => bare.includes(digits!) && !forms.some((form) => text.includes(form.text)));
}

const PREFIX = 4;
type Needles = ReadonlyMap<number, readonly Needle[]>;
const known = new WeakMap<readonly Canary[], Needles>();

/** Thousands of needles by their first four characters: most positions of a text are ruled out by one look-up. */
function needlesOf(canaries: readonly Canary[]): Needles {
  const made = known.get(canaries);
  if (made !== undefined) return made;
  const needles = new Map<number, Needle[]>();
  for (const canary of canaries)
    for (const { form, text } of canary.forms) {
      const prefix = Buffer.from(text, 'latin1').readInt32BE();
      needles.set(prefix, [...(needles.get(prefix) ?? []), { canary, form, text }]);
    }
  known.set(canaries, needles);
  return needles;
}

/** Yields all matches in order of their position. */
function* matchesIn(text: string, needles: Needles): Generator<{ at: number; needle: Needle }> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at + PREFIX <= bytes.length; at++)
    for (const needle of needles.get(bytes.readInt32BE(at)) ?? [])
      if (text.startsWith(needle.text, at)) yield { at, needle };
}

/** Other canaries near the hit, and pieces of one at the edge, must not appear in the report in the clear. */
function aroundOf(text: string, at: number, length: number, name: string, canaries: readonly Canary[]): string {
  const masked = (part: string) => {
    let clean = part;
    for (const canary of canaries)
      for (const form of canary.forms) clean = clean.replaceAll(form.text, `<${canary.name}>`);
    return clean.replace(/[0-9]{5,}|[0-9a-f]{12,}|[A-Za-z0-9+_-]{24,}/g, '…');
  };
  const before = masked(text.slice(Math.max(0, at - AROUND), at));
  const after = masked(text.slice(at + length, at + length + AROUND));
  // Control characters and other bytes would break a terminal or a table.
  return `${before}<${name}>${after}`.replace(/[^\x20-\x7e]+/g, '·');
}

/** With fewer entries of a kind, the search has not seen what it is meant for. */
const LEAST_ENTRIES = 20;

/** One line for each leak, as it is shown to people. @throws if too little was searched, or what must be there was not found */
export function leaksIn(places: readonly Place[], canaries: readonly Canary[]): string[] {
  for (const kind of ['log', 'topic', 'redis', 'metrics'] as const) {
    const count = places.filter((place) => place.kind === kind).reduce((sum, { entries }) => sum + entries.length, 0);
    if (count < LEAST_ENTRIES) throw new Error(`only ${count} entries of kind ${kind} were searched`);
  }
  const results = places.map((place) => search(place, canaries));
  for (const { name, allowedIn } of canaries)
    if (allowedIn !== undefined && !results.some(({ allowed }) => allowed.has(name)))
      throw new Error(`no ${name} was found in ${allowedIn}: the search does not work`);
  return results.flatMap(({ hits }) =>
    hits.map(({ canary, form, place, entry, around }) => `${canary} (${form}) in ${place}, ${entry}: ${around}`),
  );
}

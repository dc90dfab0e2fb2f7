import { SHAPES, type Canary } from './canaries.js';
import { NeedleIndex, type Needle } from './needle-index.js';

/** A unit of the search: a process's lines, a record, a Redis key or a page of metrics. */
export interface Entry {
  readonly label: string;
  /** Bytes as latin1, so that no byte is lost. */
  readonly text: string;
}

export interface Place {
  readonly name: string;
  readonly kind: 'log' | 'topic' | 'redis' | 'metrics';
  readonly entries: readonly Entry[];
  /** Set for command topics: a card command may hold its HFTOKEN. */
  readonly commandsOf?: 'card' | 'instalment';
}

export interface Hit {
  readonly canary: string;
  readonly form: string;
  readonly place: string;
  readonly entry: string;
  /** The text around the hit, with every canary masked. */
  readonly around: string;
}

/** A shop stores a command with its token until it is published. Redis then deletes it, but its append-only file keeps it. */
export const REDIS_FILE = 'file of Redis';

export const DEMO = 'the demo';

const AROUND = 40;
const SAME_HITS = 3;

export function search(place: Place, canaries: readonly Canary[]): { hits: Hit[]; count: number } {
  const found: Hit[] = [];
  let count = 0;
  const add = (canary: string, form: string, entry: Entry, at: number, length: number) => {
    count += 1;
    const isAgain = found.filter((hit) => hit.canary === canary && hit.form === form).length >= SAME_HITS;
    if (isAgain) return;
    found.push({
      canary,
      form,
      place: place.name,
      entry: entry.label,
      around: around(entry.text, at, length, canary, canaries),
    });
  };

  const all = joined(place.entries);
  // Needles are ordered with whole forms first, so a piece within a hit is not counted again.
  const seen = new Map<Canary, { from: number; to: number }[]>();
  for (const { at, needle } of indexOf(canaries).matchesIn(all.text)) {
    const { canary, form, text } = needle;
    const spans = seen.get(canary) ?? [];
    if (spans.some(({ from, to }) => at >= from && at + text.length <= to)) continue;
    seen.set(canary, [...spans, { from: at, to: at + text.length }]);
    const { entry, begin } = all.entryAt(at);
    if (!isAllowed(canary, form, place, entry)) add(canary.name, form, entry, at - begin, text.length);
  }
  for (const { name, shape } of SHAPES) {
    for (const { index, 0: match } of all.text.matchAll(shape)) {
      const { entry, begin } = all.entryAt(index);
      add(name, 'by its shape', entry, index - begin, match.length);
    }
  }
  const cards = canaries.filter(({ digits }) => digits !== undefined);
  for (const { canary, entry } of separatedDigits(place, cards)) add(canary.name, 'digits apart', entry, 0, 0);
  return { hits: found, count };
}

function isAllowed({ allowedIn }: Canary, form: string, { name, commandsOf }: Place, { label }: Entry): boolean {
  if (name === DEMO) return allowedIn === 'what the demo says';
  if (name === REDIS_FILE) return allowedIn === 'its card command';
  if (form !== 'plain' || commandsOf === undefined) return false;
  if (allowedIn === 'its card command') return commandsOf === 'card' && label.endsWith(' value');
  // The publisher put it into the command, which may include key and headers.
  return allowedIn === 'the command that was refused for it';
}

/** Finds card numbers with separators between their digits: the entry does not contain them, but would without the separators. */
function* separatedDigits(place: Place, cards: readonly Canary[]): Generator<{ canary: Canary; entry: Entry }> {
  if (cards.length === 0) return;
  for (const entry of place.entries) {
    const bare = entry.text.replace(/(?<=[0-9])(?:[\s,;:|/._+\-"']|%20){1,3}(?=[0-9])/g, '');
    if (bare.length === entry.text.length) continue;
    for (const canary of cards) {
      const digits = canary.digits ?? '';
      const isThere = bare.includes(digits) && !canary.forms.some(({ text }) => entry.text.includes(text));
      if (isThere) yield { canary, entry };
    }
  }
}

const indexes = new WeakMap<readonly Canary[], NeedleIndex<CanaryNeedle>>();

interface CanaryNeedle extends Needle {
  readonly canary: Canary;
  readonly form: string;
}

function indexOf(canaries: readonly Canary[]): NeedleIndex<CanaryNeedle> {
  const needles = canaries.flatMap((canary) => canary.forms.map(({ form, text }) => ({ canary, form, text })));
  const index = indexes.get(canaries) ?? new NeedleIndex(needles);
  indexes.set(canaries, index);
  return index;
}

function joined(entries: readonly Entry[]) {
  const begins: number[] = [];
  let length = 0;
  for (const { text } of entries) {
    begins.push(length);
    length += text.length + 1;
  }
  return {
    text: entries.map(({ text }) => text).join('\n'),
    entryAt(at: number): { entry: Entry; begin: number } {
      let [low, high] = [0, begins.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((begins[middle] ?? 0) <= at) low = middle;
        else high = middle - 1;
      }
      return { entry: entries[low] ?? { label: '', text: '' }, begin: begins[low] ?? 0 };
    },
  };
}

function around(text: string, at: number, length: number, name: string, canaries: readonly Canary[]): string {
  if (length === 0) return '';
  const before = masked(text.slice(Math.max(0, at - AROUND), at), canaries);
  const after = masked(text.slice(at + length, at + length + AROUND), canaries);
  // Control characters and other bytes would break a terminal or a table.
  return `${before}<${name}>${after}`.replace(/[^\x20-\x7e]+/g, '·');
}

/** Other canaries near the hit, and pieces of one at the edge, must not appear in the report in the clear. */
function masked(text: string, canaries: readonly Canary[]): string {
  let clean = text;
  for (const { name, forms } of canaries) for (const form of forms) clean = clean.replaceAll(form.text, `<${name}>`);
  return clean.replace(/[0-9]{5,}|[0-9a-f]{12,}|[A-Za-z0-9+_-]{24,}/g, '…');
}

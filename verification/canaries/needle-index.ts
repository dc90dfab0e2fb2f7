export interface Needle {
  readonly text: string;
}

const PREFIX = 4;
const SLOTS = 2 ** 20;

/** Finds many texts in one pass. Characters are bytes (latin1); a needle has at least 4 of them. */
export class NeedleIndex<N extends Needle> {
  /** 1 if a needle's first four characters have this hash. Most positions in a text are ruled out by it. */
  readonly #begins = new Uint8Array(SLOTS);
  readonly #byPrefix = new Map<string, N[]>();

  constructor(needles: readonly N[]) {
    for (const needle of needles) {
      if (needle.text.length < PREFIX)
        throw new Error(`a needle of ${needle.text.length} characters is found everywhere`);
      const prefix = needle.text.slice(0, PREFIX);
      this.#begins[slotOf(windowAt(prefix, 0))] = 1;
      this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), needle]);
    }
  }

  /** Yields all matches in order of their position. */
  *matchesIn(text: string): Generator<{ at: number; needle: N }> {
    if (text.length < PREFIX) return;
    let window = windowAt(text, 0);
    for (let at = 0; ; at++) {
      if (this.#begins[slotOf(window)] === 1) {
        for (const needle of this.#byPrefix.get(text.slice(at, at + PREFIX)) ?? [])
          if (text.startsWith(needle.text, at)) yield { at, needle };
      }
      if (at + PREFIX >= text.length) return;
      window = (window >>> 8) | (text.charCodeAt(at + PREFIX) << 24);
    }
  }
}

const windowAt = (text: string, at: number): number =>
  text.charCodeAt(at) |
  (text.charCodeAt(at + 1) << 8) |
  (text.charCodeAt(at + 2) << 16) |
  (text.charCodeAt(at + 3) << 24);

/** Multiplicative hashing (Knuth) uses the upper 20 bits. */
const slotOf = (window: number): number => Math.imul(window, 2_654_435_761) >>> 12;

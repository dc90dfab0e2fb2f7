export interface Needle {
  readonly text: string;
}

const PREFIX = 4;
const SLOTS = 2 ** 20;

/** Many texts looked for in one pass. Characters are bytes (latin1); a needle has at least 4 of them. */
export class NeedleIndex<N extends Needle> {
  /** Whether any needle begins with four characters of this hash: nearly every place of a text is ruled out by it. */
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

  /** Every place of every needle, by place. */
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

/** Multiplicative hashing (Knuth): the upper 20 bits. */
const slotOf = (window: number): number => Math.imul(window, 2_654_435_761) >>> 12;

/** Pseudo-random numbers from a seed (sfc32): the same seed gives the same world on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    for (let i = 0; i < 12; i++) this.next();
  }

  /** Returns a separate generator: drawing from it does not change the numbers drawn here. */
  fork(): Random {
    return new Random((this.#a ^ this.#counter) >>> 0);
  }

  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a whole number from 0 up to, but without, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)![0];
  }
}

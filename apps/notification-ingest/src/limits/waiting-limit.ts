/** Bounds the records and bytes kept in memory while Kafka is slow or unreachable. */
export class WaitingLimit {
  #records = 0;
  #bytes = 0;

  constructor(
    private readonly maxRecords: number,
    private readonly maxBytes: number,
  ) {}

  get records(): number {
    return this.#records;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reserves room until `work` ends. Returns undefined, without starting `work`, if there is no room. A record that is alone is accepted
   * at any size: otherwise one larger than the limit would be refused on every repeat.
   */
  enter<T>(bytes: number, work: () => Promise<T>): Promise<T> | undefined {
    const isAlone = this.#records === 0;
    if (this.#records >= this.maxRecords || (!isAlone && this.#bytes + bytes > this.maxBytes)) return undefined;
    this.#records++;
    this.#bytes += bytes;
    return work().finally(() => {
      this.#records--;
      this.#bytes -= bytes;
    });
  }
}

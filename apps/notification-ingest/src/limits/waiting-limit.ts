/** How much waits, and how much may: a bound on what is kept in memory while Kafka is slow or away. */
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
   * Counts it in as long as `work` takes; undefined, and nothing is begun, where there is no room. Where nothing else waits there is room for
   * one of any size: refused, it would come again and be refused for ever.
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

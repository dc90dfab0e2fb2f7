import { TailPosition } from '@tranche/kafka';
import type { Landed, SimulatedJournal } from './journal.js';
import type { SimulatedProcess } from './process.js';

const FETCHED = 8;
/** Milliseconds between two comparisons with the log's ends, as in the service's tail. */
const COMPARE_MS = 5_000;
/** Milliseconds between two joins of the tail's own consumer group. */
const JOIN_MS = 20_000;

interface TailParts {
  journal: SimulatedJournal;
  process: SimulatedProcess;
  partition: number;
  from: bigint;
  known: bigint | undefined;
  onPlaced: (from: bigint) => void;
  onRecords: (records: readonly Landed[]) => void;
  onFault: (fault: string) => void;
  onUnverified: (isUnverified: boolean) => void;
}

/** Does what `TailConsumer` does with the real `TailPosition`, for one partition of a log that may lose its end. */
export class JournalTail {
  readonly #position: TailPosition<Landed>;
  /** Answers from another offset than requested. */
  strays = 0;
  #isComing = false;
  #isComparing = false;

  /** @throws if the real tail would refuse to begin */
  constructor(private readonly parts: TailParts) {
    const { journal, process, partition, from, known, onFault } = parts;
    const ends = { low: journal.low(partition), high: journal.high(partition) };
    this.#position = TailPosition.placed(`journal/${partition}`, ends, { from, known }, process.monotonicMs());
    parts.onPlaced(this.#position.next);
    if (this.#position.fault !== undefined) onFault(this.#position.fault);
    journal.onLanded((landed) => landed.partition === partition && this.#fetch());
    journal.onLost((lost) => lost === partition && this.#fetch());
    process.every(COMPARE_MS, `tail of ${partition} compares`, () => this.#compare());
    process.every(JOIN_MS, `tail of ${partition} joins`, () => this.#join());
    this.#fetch();
  }

  get next(): bigint {
    return this.#position.next;
  }

  #join(): void {
    this.#position.checkAnew();
    this.#fetch();
  }

  /**
   * Fetches one batch at a time. The answer holds the records at its arrival; an offset out of range is answered from the log's beginning.
   */
  #fetch(): void {
    const { journal, process, partition, onUnverified } = this.parts;
    if (process.isAlive && this.#position.fault === undefined) onUnverified(!this.#position.isVerified);
    const { fetchFrom: from, fault, isBehind } = this.#position;
    if (this.#isComing || !process.isAlive || fault !== undefined || isBehind || journal.high(partition) === from)
      return;
    this.#isComing = true;
    process.after(process.latencyMs(), `tail of ${partition}`, () => {
      this.#isComing = false;
      const low = journal.low(partition);
      const fetched = low <= from && from <= journal.high(partition) ? from : low;
      this.#take(journal.read(partition, fetched).slice(0, FETCHED), fetched);
    });
  }

  #take(landed: readonly Landed[], from: bigint): void {
    const position = this.#position;
    if (position.fault !== undefined) return;
    const next = (landed.at(-1)?.offset ?? from - 1n) + 1n;
    const fresh = position.take(landed, { from, next }, next);
    if (position.fault !== undefined) return this.parts.onFault(position.fault);
    if (fresh === undefined) {
      this.strays++;
      return this.#compare();
    }
    if (fresh.length > 0) this.parts.onRecords(fresh);
    this.#fetch();
  }

  #compare(): void {
    const { journal, process, partition, onFault } = this.parts;
    const position = this.#position;
    if (this.#isComparing || position.fault !== undefined) return;
    this.#isComparing = true;
    const { asked } = position;
    const ends = () => ({ low: journal.low(partition), high: journal.high(partition) });
    void process.request(`journal ends of ${partition}`, ends).then((bounds) => {
      this.#isComparing = false;
      position.compare(bounds, process.monotonicMs(), asked);
      if (position.fault !== undefined) onFault(position.fault);
      else this.#fetch();
    });
  }
}

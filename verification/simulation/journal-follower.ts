import { LogPosition } from '@tranche/kafka';
import type { JournalFollower } from '@tranche/order-journal';
import type { Landed, SimulatedJournal } from './journal.js';
import type { SimulatedProcess } from './process.js';

const FETCHED = 8;
/** Milliseconds until the log's bounds are asked for again while it ends before what was read, as in the service's reader. */
const LOOK_AGAIN_MS = 1_000;
/** Milliseconds between two joins of the reader's own consumer group. */
const JOIN_MS = 20_000;

interface Followed {
  position: LogPosition;
  onRecords: (records: readonly Landed[], next: bigint) => void;
  onFault: (fault: string, isCut: boolean) => void;
  isHeld: boolean;
  isComing: boolean;
}

/** Does what `LogFollower` does with the real `LogPosition`, for the partitions that one process follows. */
export class SimulatedFollower implements JournalFollower {
  readonly #followed = new Map<number, Followed>();
  /** Answers from another offset than requested, and beginnings, by partition: both compare the log. */
  readonly #unexpectedAnswers = new Map<number, number>();
  #isComparing = false;
  #isDue = false;

  constructor(
    private readonly journal: SimulatedJournal,
    private readonly process: SimulatedProcess,
  ) {
    journal.onChanged((partition) => this.#fetch(partition));
    process.every(JOIN_MS, 'reader joins', () => this.#join());
  }

  /** The first offset of a followed partition that was not read; undefined for another partition. */
  nextOffset(partition: number): bigint | undefined {
    return this.#followed.get(partition)?.position.next;
  }

  unexpectedAnswers(partition: number): number {
    return this.#unexpectedAnswers.get(partition) ?? 0;
  }

  readonly follow: JournalFollower['follow'] = (partition, { from, known, onRecords, onFault }, bounds) => {
    const nowMs = this.process.monotonicMs();
    const position = new LogPosition(`journal/${partition}`, from, known);
    position.compare(bounds, nowMs);
    this.#followed.set(partition, { position, onRecords, onFault, isHeld: false, isComing: false });
    this.#noteUnexpected(partition);
    if (position.fault !== undefined) return this.#fail(partition, position);
    if (position.isBehind) this.#compare();
    this.#fetch(partition);
  };

  readonly unfollow = (partition: number): void => void this.#followed.delete(partition);

  readonly hold = (partition: number): void => {
    const one = this.#followed.get(partition);
    if (one) one.isHeld = true;
  };

  readonly goOn = (partition: number): void => {
    const one = this.#followed.get(partition);
    if (one) one.isHeld = false;
    this.#fetch(partition);
  };

  #noteUnexpected(partition: number): void {
    this.#unexpectedAnswers.set(partition, this.unexpectedAnswers(partition) + 1);
  }

  #join(): void {
    for (const [partition, { position }] of this.#followed) {
      position.doubt();
      this.#fetch(partition);
    }
    this.#compare();
  }

  /** Fetches one batch at a time. The answer holds the records at its arrival; an offset out of range is answered from the log's beginning. */
  #fetch(partition: number): void {
    const one = this.#followed.get(partition);
    const { journal, process } = this;
    if (!one || one.isComing || one.isHeld || one.position.isBehind || !process.isAlive) return;
    const { fetchFrom: from } = one.position;
    if (journal.high(partition) === from) return;
    one.isComing = true;
    process.after(process.latencyMs(), `reads journal ${partition}`, () => {
      one.isComing = false;
      if (this.#followed.get(partition) !== one) return;
      const low = journal.low(partition);
      const fetched = low <= from && from <= journal.high(partition) ? from : low;
      this.#take(partition, one, journal.read(partition, fetched).slice(0, FETCHED), fetched);
    });
  }

  #take(partition: number, one: Followed, landed: readonly Landed[], from: bigint): void {
    const { position } = one;
    const next = (landed.at(-1)?.offset ?? from - 1n) + 1n;
    const fresh = position.take(landed, from, next);
    if (position.fault !== undefined) return this.#fail(partition, position);
    if (fresh === undefined) {
      this.#noteUnexpected(partition);
      return this.#compare();
    }
    if (fresh.length > 0) one.onRecords(fresh, position.next);
    this.#fetch(partition);
  }

  #fail(partition: number, { fault, isCut }: LogPosition): void {
    const one = this.#followed.get(partition);
    this.#followed.delete(partition);
    one?.onFault(fault!, isCut);
  }

  #compare(): void {
    const { journal, process } = this;
    this.#isDue = this.#followed.size > 0;
    if (this.#isComparing || !this.#isDue) return;
    this.#isComparing = true;
    this.#isDue = false;
    const asked = [...this.#followed].map(([partition, one]) => ({ partition, one, known: one.position.asked }));
    void process
      .request('journal ends', () => journal.offsets())
      .then((offsets) => {
        this.#isComparing = false;
        for (const { partition, one, known } of asked) {
          const bounds = offsets.get(partition);
          if (!bounds || this.#followed.get(partition) !== one) continue;
          const { position } = one;
          position.compare(bounds, process.monotonicMs(), known);
          if (position.fault !== undefined) this.#fail(partition, position);
          else this.#fetch(partition);
        }
        if (this.#isDue) this.#compare();
        else if ([...this.#followed.values()].some(({ position }) => position.isBehind))
          process.after(LOOK_AGAIN_MS, 'reader looks again', () => this.#compare());
      });
  }
}

import { orderKey } from '@tranche/contracts';
import {
  decodeRecord,
  encodeRecord,
  journalPartition,
  type JournalEntry,
  type JournalLog,
  type JournalReader,
  type JournalRecord,
} from '@tranche/order-journal';
import type { SimulatedProcess, Environment } from './process.js';

export interface Landed extends JournalEntry {
  key: string;
  value: Buffer;
  partition: number;
  record: JournalRecord;
  atMs: number;
}

class LeaderlessError extends Error {
  override name = 'LeaderlessError';
}

/** Plays `payments.journal.v1`: each partition is totally ordered, with gaps in its offsets like those of control records. */
export class SimulatedJournal {
  readonly partitions = new Map<number, Landed[]>();
  /** Number of moves to another cluster, and of resumes. */
  epoch = 0;
  readonly #next = new Map<number, bigint>();
  readonly #low = new Map<number, bigint>();
  readonly #listeners = new Set<(landed: Landed) => void>();
  readonly #readers = new Set<(partition: number) => void>();
  readonly #losses = new Map<number, number>();
  /** The bytes of lost records, by partition and offset. */
  readonly #lost = new Map<string, Buffer>();
  readonly #leaderless = new Set<number>();

  constructor(private readonly env: Environment) {}

  open(partition: number): void {
    if (!this.partitions.has(partition)) this.partitions.set(partition, []);
  }

  high(partition: number): bigint {
    return this.#next.get(partition) ?? 0n;
  }

  offsets(): Map<number, { low: bigint; high: bigint }> {
    const boundsOf = (partition: number) => ({ low: this.low(partition), high: this.high(partition) });
    return new Map([...this.partitions.keys()].map((partition) => [partition, boundsOf(partition)]));
  }

  low(partition: number): bigint {
    return this.#low.get(partition) ?? 0n;
  }

  cut(partition: number, low: bigint): void {
    if (low > this.low(partition)) this.#low.set(partition, low);
  }

  /** Appends to the partition fail until `lead`. */
  loseLeader(partition: number): void {
    this.#leaderless.add(partition);
  }

  lead(partition: number): void {
    this.#leaderless.delete(partition);
  }

  /** A new leader lacks the records from `from` on: they are lost, and their offsets are used again. */
  lose(partition: number, from: bigint): void {
    const landed = this.partitions.get(partition)!;
    const kept = landed.filter(({ offset }) => offset < from);
    for (const { offset, value } of landed.slice(kept.length)) this.#lost.set(`${partition}/${offset}`, value);
    this.partitions.set(partition, kept);
    this.#next.set(partition, (kept.at(-1)?.offset ?? -1n) + 1n);
    this.#losses.set(partition, (this.#losses.get(partition) ?? 0) + 1);
    for (const reader of this.#readers) reader(partition);
  }

  /** The reader is called at once for every record, also for one that can not be read, and for a loss. */
  onChanged(reader: (partition: number) => void): void {
    this.#readers.add(reader);
  }

  /**
   * Mirrors the records to another cluster: the same order, without gaps, from `first` on. Returns a function from old offsets to new ones.
   */
  move(first: bigint): (partition: number, offset: bigint) => bigint {
    this.epoch++;
    const renamed = new Map<number, Map<bigint, bigint>>();
    for (const [partition, landed] of this.partitions) {
      const offsets = new Map(landed.map(({ offset }, at) => [offset, first + BigInt(at)]));
      const end = first + BigInt(landed.length);
      for (const low of [this.low(partition), this.high(partition)])
        if (!offsets.has(low))
          offsets.set(low, offsets.get(landed.find(({ offset }) => offset >= low)?.offset ?? -1n) ?? end);
      renamed.set(partition, offsets);
      this.#low.set(partition, offsets.get(this.low(partition))!);
      this.#next.set(partition, end);
      for (const entry of landed) entry.offset = offsets.get(entry.offset)!;
    }
    // An offset in a gap maps to the next record.
    return (partition, offset) => {
      const offsets = [...(renamed.get(partition) ?? [])].filter(([old]) => old >= offset);
      return offsets.reduce((least, [, now]) => (now < least ? now : least), this.high(partition));
    };
  }

  /** The listener is called at once for every appended record. */
  onLanded(listener: (landed: Landed) => void): void {
    this.#listeners.add(listener);
  }

  read(partition: number, from: bigint): Landed[] {
    const landed = this.partitions.get(partition) ?? [];
    let first = landed.length;
    while (first > 0 && landed[first - 1]!.offset >= from) first--;
    return landed.slice(first);
  }

  land(record: JournalRecord): bigint {
    const key = orderKey(record.merchant, record.orderId);
    const partition = journalPartition(key);
    if (this.#leaderless.has(partition)) throw new LeaderlessError(`nobody leads journal partition ${partition}`);
    const value = encodeRecord(record);
    const next = this.high(partition) + (this.env.random.chance(0.1) ? 1n : 0n);
    // A record with the same bytes at the same offset would make this log indistinguishable from the lost one (docs/decisions/0121).
    const isSame = this.#lost.get(`${partition}/${next}`)?.equals(value) === true;
    const offset = isSame ? next + 1n : next;
    const landed = this.#put({ key, offset, value, partition, record });
    for (const listener of this.#listeners) listener(landed);
    for (const reader of this.#readers) reader(partition);
    return offset;
  }

  #put(entry: Omit<Landed, 'atMs'>): Landed {
    const landed = { ...entry, atMs: this.env.scheduler.nowMs };
    this.#next.set(entry.partition, entry.offset + 1n);
    this.partitions.get(entry.partition)!.push(landed);
    return landed;
  }

  /** A record that no release can read is in the log, by a fault of a writer. */
  landBroken(key: string, value: Buffer): { partition: number; offset: bigint } {
    const partition = journalPartition(key);
    const offset = this.high(partition);
    this.#put({ key, offset, value, partition, record: undefined as never });
    for (const reader of this.#readers) reader(partition);
    return { partition, offset };
  }

  /** Every reader has the substitute of the record from now on, as `tranche journal skip` does. */
  skip(partition: number, offset: bigint, substituted: <T extends Landed>(landed: T) => T): Landed {
    const all = this.partitions.get(partition)!;
    const at = all.findIndex((landed) => landed.offset === offset);
    const landed = substituted(all[at]!);
    all[at] = { ...landed, record: decodeRecord(landed.value) };
    return all[at];
  }

  /** The appends of one process may be delayed, reordered, unanswered or duplicated. */
  appendsOf(process: SimulatedProcess): JournalLog {
    const { random, profile, isTroubled, scheduler } = this.env;
    return {
      append: (record) => {
        const partition = journalPartition(orderKey(record.merchant, record.orderId));
        const losses = this.#losses.get(partition);
        return process.uncertain(`append ${record.record}`, () => {
          // An append that was sent before a loss and would arrive after it is not simulated (docs/guide/4-when-things-fail.md, "what remains").
          if (this.#losses.get(partition) !== losses)
            throw new LeaderlessError(`partition ${partition} was lost meanwhile`);
          if (isTroubled() && random.chance(profile.appendTwice)) {
            scheduler.after(
              process.latencyMs() * random.pick([1, 20]),
              `${process.name} append ${record.record}: lands again`,
              () => this.#losses.get(partition) === losses && this.landIfLed(record),
            );
          }
          return this.land(record);
        });
      },
      end: (partition) => process.request('journal end', () => this.high(partition)),
    };
  }

  /** Does nothing if the partition has no leader. */
  landIfLed(record: JournalRecord): void {
    try {
      this.land(record);
    } catch (error) {
      if (!(error instanceof LeaderlessError)) throw error;
    }
  }

  readerOf(process: SimulatedProcess): JournalReader {
    const fetch = (partition: number, from: bigint, until: bigint) =>
      process.request('journal stretch', () => {
        if (from < until && from < this.low(partition))
          throw new Error(`records of partition ${partition} from ${from} on were deleted`);
        return this.read(partition, from)
          .slice(0, 6)
          .filter(({ offset }) => offset < until);
      });
    const high = (partition: number) => this.high(partition);
    const { readMs } = this.env.profile.joins ?? {};
    return {
      firstKept: (partition) => process.request('journal first kept', () => this.low(partition)),
      async *read(partition, from, until) {
        if (high(partition) < until) throw new Error(`partition ${partition} ends before ${until}`);
        for (let next = from; ;) {
          const fetched = await fetch(partition, next, until);
          if (readMs !== undefined) await process.sleep(readMs);
          const entries = readMs === undefined ? fetched : fetched.slice(0, 1);
          const last = entries.at(-1);
          if (!last && high(partition) < until) throw new Error(`partition ${partition} went back below ${until}`);
          if (!last) return;
          yield entries;
          next = last.offset + 1n;
        }
      },
    };
  }
}

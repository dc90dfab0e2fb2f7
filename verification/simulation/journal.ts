import { orderKey } from '@tranche/contracts';
import {
  encodeRecord,
  journalPartition,
  type JournalEntry,
  type JournalLog,
  type JournalReader,
  type JournalRecord,
} from '@tranche/order-journal';
import type { SimulatedProcess, Surroundings } from './process.js';

/** A record as it lies in the log. */
export interface Landed extends JournalEntry {
  key: string;
  value: Buffer;
  partition: number;
  record: JournalRecord;
  atMs: number;
}

/** `payments.journal.v1`: a total order per partition, with gaps in its offsets as control records leave them. */
export class SimulatedJournal {
  readonly partitions = new Map<number, Landed[]>();
  readonly #next = new Map<number, bigint>();
  readonly #listeners = new Set<(landed: Landed) => void>();

  constructor(private readonly around: Surroundings) {}

  open(partition: number): void {
    if (!this.partitions.has(partition)) this.partitions.set(partition, []);
  }

  high(partition: number): bigint {
    return this.#next.get(partition) ?? 0n;
  }

  offsets(): Map<number, { low: bigint; high: bigint }> {
    return new Map(
      [...this.partitions.keys()].map((partition) => [partition, { low: 0n, high: this.high(partition) }]),
    );
  }

  /** Told of every record that lands, at once. */
  onLanded(listener: (landed: Landed) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records of a partition from `from` on. */
  read(partition: number, from: bigint): Landed[] {
    const landed = this.partitions.get(partition) ?? [];
    let first = landed.length;
    while (first > 0 && landed[first - 1]!.offset >= from) first--;
    return landed.slice(first);
  }

  land(record: JournalRecord): bigint {
    const key = orderKey(record.merchant, record.orderId);
    const partition = journalPartition(key);
    const { random, scheduler } = this.around;
    const offset = this.high(partition) + (random.chance(0.1) ? 1n : 0n);
    this.#next.set(partition, offset + 1n);
    const landed = { key, offset, value: encodeRecord(record), partition, record, atMs: scheduler.nowMs };
    this.partitions.get(partition)!.push(landed);
    for (const listener of this.#listeners) listener(landed);
    return offset;
  }

  /** Appends as one process makes them: delayed, reordered, landing without an answer, landing twice. */
  appendsOf(process: SimulatedProcess): JournalLog {
    const { random, profile, isTroubled, scheduler } = this.around;
    return {
      append: (record) =>
        process.uncertain(`append ${record.record}`, () => {
          if (isTroubled() && random.chance(profile.appendTwice)) {
            scheduler.after(
              process.latencyMs() * random.pick([1, 20]),
              `${process.name} append ${record.record}: lands again`,
              () => this.land(record),
            );
          }
          return this.land(record);
        }),
    };
  }

  /** Stretches of the journal read anew, a few records at a time. */
  readerOf(process: SimulatedProcess): JournalReader {
    const fetch = (partition: number, from: bigint) =>
      process.request('journal stretch', () => this.read(partition, from).slice(0, 6));
    const high = (partition: number) => this.high(partition);
    return {
      firstKept: () => process.request('journal first kept', () => 0n),
      end: (partition) => process.request('journal end', () => this.high(partition)),
      async *read(partition, from, until) {
        if (high(partition) < until) throw new Error(`partition ${partition} ends before ${until}`);
        for (let next = from; ;) {
          const entries = (await fetch(partition, next)).filter(({ offset }) => offset < until);
          const last = entries.at(-1);
          if (!last) return;
          yield entries;
          next = last.offset + 1n;
        }
      },
    };
  }
}

import type { Timing } from '@tranche/runtime';
import { foldStored, readEntry } from '../journal/record-fold.js';
import type { SnapshotMismatch } from '../state/snapshot.js';
import type { OrderState } from '../state/order-state.js';
import { recordHash } from '../state/records.js';
import type { JournalEntry, JournalReader, Mark, OrderIndex, Rebuild, RedirectPage } from '../journal/ports.js';

/** Retention of REDIRECTHTML, for republished events. Milliseconds. */
export const REDIRECT_HTML_LIFETIME_MS = 86_400_000;

/** A rebuild holds about twice as many states of one partition in memory. */
const STATES_IN_USE = 500;

export interface RebuildProgress {
  partition: number;
  /** Journal records folded by this step, and records left. */
  records: number;
  remaining: number;
}

interface RebuildParts {
  index: Pick<OrderIndex, 'beginRebuild'>;
  journal: JournalReader;
  timing: Pick<Timing, 'nowMs'>;
  onRebuild?: (progress: RebuildProgress) => void;
  onSnapshotMismatch?: (mismatch: SnapshotMismatch) => void;
}

/**
 * Rebuilds a partition's index from the journal's beginning up to `until` (exclusive). Publishes nothing, because the events of these records were
 * acknowledged before. The marker is written last, so that an interrupted rebuild leaves no valid index (R7).
 * @returns the marker that it wrote; undefined where another process rebuilds the index, or the index is not at `marker` any more
 */
export async function rebuildIndex(
  { index, journal, timing, onRebuild, onSnapshotMismatch }: RebuildParts,
  { partition, marker, until }: { partition: number; marker: bigint | undefined; until: bigint },
  mayWrite: () => Promise<unknown>,
): Promise<Mark | undefined> {
  const from = await journal.firstKept(partition);
  await mayWrite();
  const rebuild = await index.beginRebuild(partition, marker);
  if (!rebuild) return undefined;
  const states = new StatesOfRebuild(rebuild, onSnapshotMismatch);
  let position = from;
  let last: JournalEntry | undefined;
  for await (const entries of from < until ? journal.read(partition, from, until) : []) {
    await states.load(entries);
    const pages: RedirectPage[] = [];
    for (const entry of entries) pages.push(...states.fold(entry, timing.nowMs()));
    await mayWrite();
    await rebuild.write(states.overflow(), pages);
    last = entries.at(-1) ?? last;
    const next = (last?.offset ?? position) + 1n;
    onRebuild?.({ partition, records: entries.length, remaining: Number(until - next) });
    position = next;
  }
  await mayWrite();
  await states.flush();
  // Retention may have deleted records beyond `until` meanwhile: the log then begins behind this marker, and its reader stops.
  const finished = until - 1n;
  const hash = last?.offset === finished ? recordHash(last.value) : undefined;
  await mayWrite();
  await rebuild.finish(finished, hash);
  return { marker: finished, ...(hash === undefined ? {} : { hash }) };
}

/** Newest states while a partition's journal is read: those used since the last overflow, and those that were used before it. */
class StatesOfRebuild {
  #used = new Map<string, OrderState>();
  #before = new Map<string, OrderState>();
  #hasWritten = false;

  constructor(
    private readonly rebuild: Rebuild,
    private readonly onSnapshotMismatch: ((mismatch: SnapshotMismatch) => void) | undefined,
  ) {}

  /** Loads orders that were written to the index before and occur again. */
  async load(entries: readonly JournalEntry[]): Promise<void> {
    if (!this.#hasWritten) return;
    const missing = [...new Set(entries.map(({ key }) => key ?? ''))].filter((key) => !this.#find(key));
    if (missing.length === 0) return;
    const stored = await this.rebuild.readAll(missing);
    for (const [index, key] of missing.entries()) if (stored[index]) this.#before.set(key, stored[index]);
  }

  #find(key: string): OrderState | undefined {
    return this.#used.get(key) ?? this.#before.get(key);
  }

  /** Returns pages whose retention has not ended. */
  fold(entry: JournalEntry, nowMs: number): RedirectPage[] {
    const stored = readEntry(entry);
    const { key, record } = stored;
    const { order, effects, mismatch } = foldStored(this.#find(key), stored);
    if (mismatch) this.onSnapshotMismatch?.(mismatch);
    this.#used.set(key, order);
    return effects.flatMap(({ event: { body } }) => {
      if (body.redirectHtml === undefined) return [];
      const lifetimeMs = Date.parse(record.at) + REDIRECT_HTML_LIFETIME_MS - nowMs;
      return lifetimeMs <= 0
        ? []
        : [{ orderKey: key, commandId: body.commandId ?? '', html: body.redirectHtml, lifetimeMs }];
    });
  }

  /** Removes and returns the states that are too many for memory. */
  overflow(): OrderState[] {
    if (this.#used.size <= STATES_IN_USE) return [];
    const left = [...this.#before].flatMap(([key, order]) => (this.#used.has(key) ? [] : [order]));
    this.#before = this.#used;
    this.#used = new Map();
    this.#hasWritten ||= left.length > 0;
    return left;
  }

  async flush(): Promise<void> {
    const left = new Map([...this.#before, ...this.#used]);
    await this.rebuild.write([...left.values()], []);
  }
}

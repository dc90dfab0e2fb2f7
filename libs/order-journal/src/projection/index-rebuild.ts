import type { Timing } from '@tranche/runtime';
import { foldStored, keyOf, readEntry } from '../journal/record-fold.js';
import type { SnapshotMismatch } from '../state/snapshot.js';
import { isEmptyOrder, type OrderState } from '../state/order-state.js';
import { recordHash } from '../state/records.js';
import type { JournalEntry, JournalReader, Mark, OrderIndex, Rebuild, RedirectPage } from '../journal/ports.js';

/** Retention of REDIRECTHTML, for republished events. Milliseconds. */
export const REDIRECT_HTML_LIFETIME_MS = 86_400_000;

/** Maximum of one partition's states that a rebuild holds in memory. Beyond it, the least recently used half is written to the index. */
const STATES_IN_MEMORY = 1_000;

export interface RebuildProgress {
  partition: number;
  /** Journal records folded by this step, and records left. */
  records: number;
  remaining: number;
}

export interface RebuildParts {
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

/** Newest states while a partition's journal is read, the most recently used last. */
class StatesOfRebuild {
  readonly #states = new Map<string, OrderState>();
  #hasWritten = false;

  constructor(
    private readonly rebuild: Rebuild,
    private readonly onSnapshotMismatch: ((mismatch: SnapshotMismatch) => void) | undefined,
  ) {}

  /** Loads orders that were written to the index before and occur again. */
  async load(entries: readonly JournalEntry[]): Promise<void> {
    if (!this.#hasWritten) return;
    const missing = [...new Set(entries.map(({ key }) => key ?? ''))].filter((key) => !this.#states.has(key));
    if (missing.length === 0) return;
    const stored = await this.rebuild.readAll(missing);
    for (const [index, key] of missing.entries()) if (stored[index]) this.#states.set(key, stored[index]);
  }

  /** Returns pages whose retention has not ended. */
  fold(entry: JournalEntry, nowMs: number): RedirectPage[] {
    const stored = readEntry(entry);
    const { record } = stored;
    const key = keyOf(record);
    const { order, effects, mismatch } = foldStored(this.#states.get(key), stored);
    if (mismatch) this.onSnapshotMismatch?.(mismatch);
    this.#states.delete(key);
    if (this.#hasWritten || !isEmptyOrder(order)) this.#states.set(key, order);
    const lifetimeMs = Date.parse(record.at) + REDIRECT_HTML_LIFETIME_MS - nowMs;
    return effects.flatMap(({ event: { body } }) =>
      body.redirectHtml === undefined || lifetimeMs <= 0
        ? []
        : [{ orderKey: key, commandId: body.commandId ?? '', html: body.redirectHtml, lifetimeMs }],
    );
  }

  /** Removes and returns the states that are too many for memory. */
  overflow(): OrderState[] {
    if (this.#states.size <= STATES_IN_MEMORY) return [];
    this.#hasWritten = true;
    const oldest = [...this.#states].slice(0, this.#states.size - STATES_IN_MEMORY / 2);
    for (const [key] of oldest) this.#states.delete(key);
    return oldest.map(([, order]) => order);
  }

  async flush(): Promise<void> {
    await this.rebuild.write([...this.#states.values()], []);
  }
}

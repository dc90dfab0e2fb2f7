import { rebuildIndex, type RebuildProgress } from './index-rebuild.js';
import { MarkerMovedError } from '../journal/ports.js';
import { projectBatch } from './project-batch.js';
import { assertSameJournal } from './same-journal.js';
import type { ProjectorParts } from './projector.js';

/** Interval between checks if another process's rebuild has finished. Milliseconds. */
const LOOK_AGAIN_MS = 200;

/**
 * Restores indexes from the journal, and publishes nothing. It belongs to the process, because the same journal gives every assignment the same
 * index.
 */
export class IndexRestorer {
  readonly #running = new Map<number, Promise<void>>();

  constructor(
    private readonly parts: ProjectorParts,
    private readonly closing: AbortSignal,
  ) {}

  /** Partitions whose index is being restored. */
  get partitions(): number[] {
    return [...this.#running.keys()];
  }

  get isClosing(): boolean {
    return this.closing.aborted;
  }

  isRunning(partition: number): boolean {
    return this.#running.has(partition);
  }

  /** Resolves when no restoration of this partition runs here. Rejects where it failed. */
  async settled(partition: number): Promise<void> {
    for (let running = this.#running.get(partition); running; running = this.#running.get(partition)) await running;
  }

  /** Resolves with the marker once the index holds every record below `next`. Only one restoration of a partition runs at a time. */
  async restore(partition: number, next: bigint): Promise<bigint> {
    for (;;) {
      await this.settled(partition);
      const marker = (await this.parts.index.markers()).get(partition);
      if (marker !== undefined && marker >= next - 1n) return marker;
      await this.#runAlone(partition, () => this.#bringTo(partition, next));
    }
  }

  /** Rebuilds the index although it has a marker, because its content is wrong. Resolves with the new marker, at least `next - 1`. */
  async rebuild(partition: number, next: bigint): Promise<bigint> {
    await this.#runAlone(partition, async () => {
      for (;;) {
        this.closing.throwIfAborted();
        const mark = (await this.parts.index.marks()).get(partition);
        // The index was lost, or another process rebuilds it.
        if (mark === undefined) return;
        const { marker } = mark;
        await assertSameJournal(this.parts.journal, partition, mark);
        if (await this.#rebuild(partition, marker, marker >= next ? marker + 1n : next)) return;
        await this.parts.timing.sleep(LOOK_AGAIN_MS, this.closing);
      }
    });
    return this.restore(partition, next);
  }

  /** Nothing may be awaited between the last check for a running restoration and the start of `act`. */
  async #runAlone(partition: number, act: () => Promise<void>): Promise<void> {
    while (this.isRunning(partition)) await this.settled(partition);
    const running = act().finally(() => this.#running.delete(partition));
    this.#running.set(partition, running);
    await running;
  }

  async #bringTo(partition: number, next: bigint): Promise<void> {
    const { index, journal, timing } = this.parts;
    const warn = this.#warnOnce(partition);
    for (;;) {
      this.closing.throwIfAborted();
      const mark = (await index.marks()).get(partition);
      const marker = mark?.marker;
      if (marker !== undefined && marker >= next - 1n) return;
      await assertSameJournal(journal, partition, mark);
      const firstKept = await journal.firstKept(partition);
      if (marker !== undefined && marker + 1n >= firstKept) {
        warn('The index is older than it was and catches up', next - marker - 1n);
        await this.#catchUp(partition, marker + 1n, next);
        continue;
      }
      if (marker === undefined && (await index.isUnverified(partition)))
        throw new Error(`The index of journal partition ${partition} has a marker that this process can't verify`);
      if (firstKept < next) warn('The index is lost and is rebuilt from the journal', next - firstKept);
      if (!(await this.#rebuild(partition, marker, next))) await timing.sleep(LOOK_AGAIN_MS, this.closing);
    }
  }

  /** Logs each sentence once per restoration, and not at each check. */
  #warnOnce(partition: number): (what: string, records: bigint) => void {
    const said = new Set<string>();
    return (what, records) => {
      if (said.has(what)) return;
      said.add(what);
      this.parts.logger.warn({ partition, records: Number(records) }, what);
    };
  }

  /** Redis came back with an older but consistent index. Only the missing records are projected again, and not published. */
  async #catchUp(partition: number, from: bigint, until: bigint): Promise<void> {
    const assertCurrent = () => this.closing.throwIfAborted();
    const settled = () => new Promise<void>((resolve) => resolve(assertCurrent()));
    const progress = { next: from, publishFrom: until, assertCurrent, settled };
    try {
      for await (const entries of this.parts.journal.read(partition, from, until))
        await projectBatch(this.parts, partition, entries, progress);
    } catch (error) {
      if (!(error instanceof MarkerMovedError)) throw error;
    }
  }

  async #rebuild(partition: number, marker: bigint | undefined, until: bigint): Promise<boolean> {
    try {
      return await rebuildIndex(
        { ...this.parts, onRebuild: (progress) => this.#afterStep(progress) },
        { partition, marker, until },
      );
    } catch (error) {
      // Another process took over, or the index was lost again.
      if (error instanceof MarkerMovedError) return false;
      throw error;
    }
  }

  #afterStep(progress: RebuildProgress): void {
    this.parts.onRebuild?.(progress);
    this.closing.throwIfAborted();
  }
}

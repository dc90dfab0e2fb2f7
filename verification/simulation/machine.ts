import type { LedgerDisk, LedgerFolder, LedgerIdentity, Moment } from '@tranche/order-journal';
import type { LedgerEdges } from './ledger-profile.js';
import type { SimulatedProcess, Surroundings } from './process.js';

const EPOCH_MS = Date.UTC(2026, 2, 1, 10);
const LOCK = '.lock';

interface SimulatedFile {
  text: string;
}

/** The files of a folder, which several machines may share. */
export class SimulatedFolder {
  readonly files = new Map<string, SimulatedFile>();
}

type DiskTrouble = 'full' | 'unchangeable';

/** One machine with its clocks, its disk and the locks of its file system. Files outlive processes. */
export class SimulatedMachine {
  asleepUntilMs = 0;
  wallOffsetMs = 0;
  readonly processes = new Set<SimulatedProcess>();
  #boots = 0;
  #monotonicFromMs = 0;
  #trouble: { is: DiskTrouble; untilMs: number } | undefined;
  #lockedBy = new Map<string, SimulatedProcess>();

  constructor(
    readonly name: string,
    private readonly around: Surroundings,
    private readonly edges: LedgerEdges,
    private folder: SimulatedFolder,
  ) {
    this.#boot();
  }

  get identity(): LedgerIdentity {
    return { topicPrefix: '', clusterId: 'cluster', bootId: `${this.name}/${this.#boots}` };
  }

  readClocks(): Moment {
    const { nowMs } = this.around.scheduler;
    return { monotonicMs: nowMs - this.#monotonicFromMs, wallMs: EPOCH_MS + nowMs + this.wallOffsetMs };
  }

  suspend(ms: number): void {
    this.asleepUntilMs = this.around.scheduler.nowMs + ms;
    this.#monotonicFromMs += ms;
    for (const process of this.processes) process.sleepWithMachine(this.asleepUntilMs);
  }

  setDate(byMs: number): void {
    this.wallOffsetMs += byMs;
    for (const process of this.processes) process.wallOffsetMs += byMs;
  }

  spoilDisk(is: DiskTrouble, ms: number): void {
    this.#trouble = { is, untilMs: this.around.scheduler.nowMs + ms };
  }

  /** The caller must kill its processes. Text not yet written to the disk is lost, or the whole disk. */
  restart(keepsDisk: boolean): void {
    const { random } = this.around;
    if (!this.edges.sharesFolder) {
      if (!keepsDisk) this.folder = new SimulatedFolder();
      for (const file of this.folder.files.values()) file.text = file.text.slice(0, random.below(file.text.length + 1));
    }
    this.#lockedBy.clear();
    this.#boot();
  }

  /** The end of a file reads as zeros from the middle of a line on. */
  loseBlock(path: string): void {
    const file = this.folder.files.get(path);
    if (file === undefined || file.text.length < 2) return;
    const from = 1 + this.around.random.below(file.text.length - 1);
    if (file.text[from - 1] === '\n') return;
    file.text = file.text.slice(0, from) + '\0'.repeat(file.text.length - from);
  }

  makeLock(id: string, process: SimulatedProcess): void {
    this.#mayChange('both');
    this.folder.files.set(id + LOCK, { text: '' });
    this.#lockedBy.set(id, process);
  }

  disk(): LedgerDisk {
    const open = new Map<number, SimulatedFile>();
    const { files } = this.folder;
    return {
      make: (path) => {
        this.#mayChange('both');
        if (files.has(path)) throw new DiskError('EEXIST');
        const file = { text: '' };
        files.set(path, file);
        open.set(open.size + 1, file);
        return open.size;
      },
      write: (fd, text) => this.#write(open.get(fd)!, text),
      close: () => undefined,
      rename: (from, to) => {
        this.#mayChange('unchangeable');
        files.set(to, files.get(from)!);
        files.delete(from);
      },
      remove: (path) => {
        this.#mayChange('unchangeable');
        files.delete(path);
      },
    };
  }

  folderOf(process: SimulatedProcess, pathOf: (id: string) => string): LedgerFolder {
    const { files } = this.folder;
    return {
      ids: () => [...files.keys()].flatMap((path) => (path.endsWith(LOCK) ? [path.slice(0, -LOCK.length)] : [])),
      lock: (id) => process.request('flock', () => this.#lock(id, process)),
      read: (id) => {
        const file = files.get(pathOf(id));
        return file && Buffer.from(file.text);
      },
      remove: (id) => {
        this.#mayChange('unchangeable');
        for (const path of [pathOf(id), `${pathOf(id)}.new`, id + LOCK]) files.delete(path);
      },
    };
  }

  /** A paused process keeps its lock; a killed one loses it. */
  #lock(id: string, process: SimulatedProcess): { release(): void } | undefined {
    if (!this.folder.files.has(id + LOCK)) return undefined;
    const holder = this.#lockedBy.get(id);
    if (holder?.isAlive === true && !this.edges.locksLie) return undefined;
    this.#lockedBy.set(id, process);
    return {
      release: () => {
        if (this.#lockedBy.get(id) === process) this.#lockedBy.delete(id);
      },
    };
  }

  #write(file: SimulatedFile, text: string): number {
    const { random, isTroubled } = this.around;
    this.#mayChange('both');
    const length = isTroubled() && random.chance(this.edges.shortWrite) ? random.below(text.length) : text.length;
    file.text += text.slice(0, length);
    return length;
  }

  #mayChange(stoppedBy: 'unchangeable' | 'both'): void {
    const trouble = this.#trouble;
    if (trouble === undefined || trouble.untilMs < this.around.scheduler.nowMs) return;
    if (stoppedBy === 'both' || trouble.is === stoppedBy) throw new DiskError(trouble.is);
  }

  #boot(): void {
    this.#boots++;
    this.#monotonicFromMs = this.around.scheduler.nowMs - this.around.random.between(1_000, 100_000_000);
  }
}

export class DiskError extends Error {
  override name = 'DiskError';
}

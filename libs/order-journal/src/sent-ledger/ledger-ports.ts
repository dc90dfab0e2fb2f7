/** Where a process writes its ledger. Everything may throw. */
export interface LedgerDisk {
  /** Makes a file to append to. @throws where it is there already */
  readonly make: (path: string) => number;
  /** Writes all or less. */
  readonly write: (fd: number, text: string) => number;
  readonly close: (fd: number) => void;
  readonly rename: (from: string, to: string) => void;
  /** It need not be there. */
  readonly remove: (path: string) => void;
}

/** The lock of an open file: the kernel lets go of it when this process ends, however it ends. */
export interface LedgerLock {
  release(): void;
}

/** The ledgers of a machine, each under its id. */
export interface LedgerFolder {
  /** Also those of processes that run. */
  ids(): string[];
  /** Undefined while another process has it, even one that stands still. */
  lock(id: string): Promise<LedgerLock | undefined>;
  /** Undefined where there is no ledger: its process ended before it wrote a line, or after it had removed it. */
  read(id: string): Uint8Array | undefined;
  /** The ledger and its lock. */
  remove(id: string): void;
}

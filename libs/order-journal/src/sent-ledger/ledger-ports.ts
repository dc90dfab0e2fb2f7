/** The disk of a ledger file. Every call may throw. */
export interface LedgerDisk {
  /** Creates a file to append to. @throws where it exists */
  readonly make: (path: string) => number;
  /** Writes the text or a part of it. Returns the number of bytes written. */
  readonly write: (fd: number, text: string) => number;
  readonly close: (fd: number) => void;
  readonly rename: (from: string, to: string) => void;
  /** Removes a file; a missing one is no error. */
  readonly remove: (path: string) => void;
}

/** The lock of an open file. The kernel releases it when this process ends for any reason. */
export interface LedgerLock {
  release(): void;
}

/** The ledgers of a machine, each under its id. */
export interface LedgerFolder {
  /** Ids of all ledgers, also those of running processes. */
  ids(): string[];
  /** Resolves with undefined while another process holds the lock, even a suspended one. */
  lock(id: string): Promise<LedgerLock | undefined>;
  /** Returns undefined where there is no ledger: its process ended before it wrote a line, or after it had removed the file. */
  read(id: string): Uint8Array | undefined;
  /** Removes the ledger and its lock file. */
  remove(id: string): void;
}

import type { MadeToken, SentLedger } from '../execution/executor-ports.js';
import { type ClockReading, SEND_DEADLINE_MS } from '../state/time.js';
import { identityLine, linesOf, madeLine, sentLine, type LedgerEntry, type LedgerIdentity } from './ledger-lines.js';
import type { LedgerDisk } from './ledger-ports.js';

/** Size at which the file is rewritten without the lines of ended tokens. Bytes. */
const COMPACT_AT = 256 * 1024;
/** Age at which a token leaves the ledger although its end was not noted; its attempt then becomes in_doubt after a kill. Milliseconds. */
const KEPT_MS = 3_600_000;
/** A token that was not sent within this time after it was made will never be sent. Milliseconds. */
const SURELY_NOT_SENT_MS = 10 * SEND_DEADLINE_MS;

export interface LedgerFileOptions {
  path: string;
  identity: LedgerIdentity;
  readClocks: () => ClockReading;
  disk: LedgerDisk;
  compactAtBytes?: number;
  onTrouble?: (error: unknown, isRemoved: boolean) => void;
}

/** `removed`: later calls are sent without a ledger. `kept`: closed with tokens in it, and nothing more is sent. `broken`: nothing may be sent. */
export type LedgerState = 'open' | 'removed' | 'kept' | 'broken';

/**
 * The ledger file of this process. Each line is one synchronous write, so that a kill leaves it whole or absent. A file that can't be written is
 * removed, and later calls are sent without it: a successor concludes nothing then. Where the removal fails too, nothing is sent.
 */
export class LedgerFile implements SentLedger {
  readonly #entries = new Map<string, LedgerEntry>();
  #fd: number;
  #bytes = 0;
  #compactAt: number;
  #state: LedgerState = 'open';

  /** @throws where the file can't be created */
  constructor(private readonly options: LedgerFileOptions) {
    const { path, identity, disk, compactAtBytes = COMPACT_AT } = options;
    this.#compactAt = compactAtBytes;
    this.#fd = disk.make(path);
    this.#writeWhole(this.#fd, identityLine(identity));
  }

  get state(): LedgerState {
    return this.#state;
  }

  made(token: MadeToken): void {
    if (this.#state !== 'open') return;
    // Compacted here and not after each write: when the file is rewritten, every line must already be among the entries.
    if (this.#bytes > this.#compactAt) this.#compact();
    const made = this.options.readClocks();
    if (this.#append(madeLine(token, made))) this.#entries.set(token.token, { token, made });
  }

  /** True where the line was written, or the ledger was removed, so that no successor concludes from it. */
  sent(token: string): boolean {
    if (this.#state !== 'open') return this.#state === 'removed';
    const entry = this.#entries.get(token);
    if (entry === undefined) return false;
    const sent = this.options.readClocks();
    if (!this.#append(sentLine(token, sent))) return false;
    entry.sent = sent;
    return true;
  }

  /** Both lines of a token are removed when the file is next rewritten. */
  ended(token: string): void {
    this.#entries.delete(token);
  }

  /** Tokens of this process that were not sent and are too old to be sent: their INTENT or its verdict failed. */
  get neverSent(): MadeToken[] {
    const nowMs = this.options.readClocks().monotonicMs;
    return [...this.#entries.values()]
      .filter(({ made, sent }) => sent === undefined && nowMs - made.monotonicMs > SURELY_NOT_SENT_MS)
      .map(({ token }) => token);
  }

  /** Closes the ledger, and removes it where it holds no token. */
  close(): void {
    if (this.#state !== 'open') return;
    const { disk, path } = this.options;
    disk.close(this.#fd);
    this.#state = 'kept';
    if (this.#entries.size > 0) return;
    disk.remove(path);
    this.#state = 'removed';
  }

  #append(text: string): boolean {
    try {
      this.#writeWhole(this.#fd, text);
    } catch (error) {
      this.#giveUp(error);
      return false;
    }
    return true;
  }

  #writeWhole(fd: number, text: string): void {
    const bytes = Buffer.byteLength(text);
    const written = this.options.disk.write(fd, text);
    if (written !== bytes) throw new Error(`${written} of ${bytes} bytes were written`);
    this.#bytes += bytes;
  }

  #giveUp(error: unknown): void {
    try {
      this.options.disk.remove(this.options.path);
      this.#state = 'removed';
    } catch {
      this.#state = 'broken';
    }
    this.options.disk.close(this.#fd);
    this.#entries.clear();
    this.options.onTrouble?.(error, this.#state === 'removed');
  }

  /** Replaces the file atomically. Where the new file can't be written, the old one stays in use and may grow to twice its size. */
  #compact(): void {
    const { path, identity, readClocks: now, disk } = this.options;
    const oldestMs = now().monotonicMs - KEPT_MS;
    for (const [token, { made }] of this.#entries) if (made.monotonicMs < oldestMs) this.#entries.delete(token);
    const next = `${path}.new`;
    const before = this.#bytes;
    let fd: number | undefined;
    try {
      disk.remove(next);
      fd = disk.make(next);
      this.#bytes = 0;
      this.#writeWhole(fd, identityLine(identity) + [...this.#entries.values()].map(linesOf).join(''));
      disk.rename(next, path);
    } catch {
      if (fd !== undefined) disk.close(fd);
      this.#bytes = before;
      this.#compactAt = before * 2;
      return;
    }
    disk.close(this.#fd);
    this.#fd = fd;
    this.#compactAt = Math.max(this.options.compactAtBytes ?? COMPACT_AT, this.#bytes * 2);
  }
}

import type { MadeToken, SentLedger } from '../execution/executor-ports.js';
import { type Moment, SEND_DEADLINE_MS } from '../state/time.js';
import { identityLine, linesOf, madeLine, sentLine, type LedgerEntry, type LedgerIdentity } from './ledger-lines.js';
import type { LedgerDisk } from './ledger-ports.js';

/** Where the lines of ended tokens are left out. Bytes. */
const COMPACT_AT = 256 * 1024;
/** A token that nobody told the end of leaves the ledger: one fewer conclusion is always allowed. Milliseconds. */
const KEPT_MS = 3_600_000;
/** A token that was not sent so long after it was made never will be. Milliseconds. */
const SURELY_NOT_SENT_MS = 10 * SEND_DEADLINE_MS;

export interface LedgerFileOptions {
  path: string;
  identity: LedgerIdentity;
  now: () => Moment;
  disk: LedgerDisk;
  compactAtBytes?: number;
  onTrouble?: (error: unknown, isRemoved: boolean) => void;
}

/** `removed`: what follows is sent without a ledger. `kept`: closed with tokens in it, and nothing follows. `broken`: nothing may be sent. */
export type LedgerState = 'open' | 'removed' | 'kept' | 'broken';

/**
 * The lines of this process. Each is one synchronous write, so that a kill leaves it whole or not at all. A file that can't be written is
 * removed, and what follows is sent without it: no successor can then conclude anything. Where even that fails nothing is sent.
 */
export class LedgerFile implements SentLedger {
  readonly #entries = new Map<string, LedgerEntry>();
  #fd: number;
  #bytes = 0;
  #compactAt: number;
  #state: LedgerState = 'open';

  /** @throws where the file can't be made */
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
    // Here, and not where the file grows: a line that is written last must be among the entries when the file is written anew.
    if (this.#bytes > this.#compactAt) this.#compact();
    const made = this.options.now();
    if (this.#append(madeLine(token, made))) this.#entries.set(token.token, { token, made });
  }

  /** Whether the line stands, or there is no ledger that could tell otherwise. */
  sent(token: string): boolean {
    if (this.#state !== 'open') return this.#state === 'removed';
    const entry = this.#entries.get(token);
    if (entry === undefined) return false;
    const sent = this.options.now();
    if (!this.#append(sentLine(token, sent))) return false;
    entry.sent = sent;
    return true;
  }

  /** Both lines of a token go together, the next time the file is written anew. */
  ended(token: string): void {
    this.#entries.delete(token);
  }

  /** Tokens of this process that were not sent, and are too old to be: their INTENT failed, or its verdict did. */
  get neverSent(): MadeToken[] {
    const nowMs = this.options.now().monotonicMs;
    return [...this.#entries.values()]
      .filter(({ made, sent }) => sent === undefined && nowMs - made.monotonicMs > SURELY_NOT_SENT_MS)
      .map(({ token }) => token);
  }

  /** A ledger that holds nothing any more is removed. */
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

  /** The new file takes the old one's place at once. Where it can't be written the old one goes on, twice as long. */
  #compact(): void {
    const { path, identity, now, disk } = this.options;
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

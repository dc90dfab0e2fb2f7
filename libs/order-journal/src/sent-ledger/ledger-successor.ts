import type { Log } from '@tranche/runtime';
import type { MadeToken } from '../execution/executor-ports.js';
import type { JournalView } from '../journal/journal-view.js';
import { findOperation } from '../state/order-state.js';
import type { ClockReading } from '../state/time.js';
import { RULES_VERSION } from '../state/versions.js';
import { conclusionOf } from './conclude.js';
import type { LedgerIdentity } from './ledger-lines.js';
import type { LedgerFolder, LedgerLock } from './ledger-ports.js';

export interface SuccessorParts {
  folder: LedgerFolder;
  /** Id of this process's own ledger, which is skipped. */
  ownId: string;
  identity: LedgerIdentity;
  /** CLOCK_MONOTONIC and wall clock, without `CLOCK_OFFSET_MS`. */
  readClocks: () => ClockReading;
  journal: Pick<JournalView, 'read' | 'appendWithRetry'>;
  /** Wall clock of journal records. Milliseconds. */
  nowMs: () => number;
  log: Log;
  onConcluded?: () => void;
}

/** Takes over the ledgers of processes that have ended, and appends NOT_EXECUTED for attempts that they never sent. */
export class LedgerSuccessor {
  /** Locks of ended processes' ledgers; each is held from the first poll that finds it free. */
  readonly #locks = new Map<string, LedgerLock>();

  constructor(private readonly parts: SuccessorParts) {}

  /** Must be called about every second, one call after the other. */
  async poll(): Promise<void> {
    const { folder, ownId } = this.parts;
    for (const id of folder.ids()) if (id !== ownId) await this.#lookAt(id);
  }

  async #lookAt(id: string): Promise<void> {
    const { folder, identity, readClocks: now, log } = this.parts;
    const lock = this.#locks.get(id) ?? (await folder.lock(id));
    if (lock === undefined) return;
    this.#locks.set(id, lock);
    const bytes = folder.read(id);
    if (bytes === undefined) return this.#leave(id, true);
    const conclusion = conclusionOf(bytes, identity, now());
    switch (conclusion.of) {
      case 'wait':
        return;
      case 'foreign':
        return this.#leave(id, false);
      case 'nothing':
        log.warn(
          { ledger: id },
          `Nothing is concluded from the sent ledger of an earlier process: ${conclusion.because}`,
        );
        return this.#leave(id, true);
      case 'never_sent':
        for (const token of conclusion.tokens) await this.conclude(token);
        return this.#leave(id, true);
    }
  }

  /** Resolves once the journal shows that the token's attempt was not executed, or does not need that record. */
  async conclude({ merchant, orderId, commandId, attempt, token }: MadeToken): Promise<void> {
    const { journal, nowMs, log, onConcluded } = this.parts;
    const operation = findOperation(await journal.read(merchant, orderId), commandId);
    const isOpen = operation?.phase === 'open' || operation?.phase === 'in_doubt';
    if (!isOpen || operation.token !== token || operation.attempt !== attempt) return;
    const at = new Date(nowMs()).toISOString();
    const identity = { rulesVersion: RULES_VERSION, merchant, orderId, at, commandId, attempt, token };
    const message = 'The process that had this attempt ended before it sent anything';
    await journal.appendWithRetry({ record: 'NOT_EXECUTED', ...identity, reason: 'send_deadline', message });
    log.info({ merchant, orderId, commandId, attempt }, 'An attempt was made and never sent, says the sent ledger');
    onConcluded?.();
  }

  #leave(id: string, isRead: boolean): void {
    if (isRead) this.parts.folder.remove(id);
    this.#locks.get(id)?.release();
    this.#locks.delete(id);
  }
}

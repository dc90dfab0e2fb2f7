import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findOperation, RULES_VERSION, type JournalView, type MadeToken, type Moment } from '@tranche/order-journal';
import type { Log } from '@tranche/runtime';
import { conclusionOf } from './conclude.js';
import type { LedgerIdentity } from './ledger-lines.js';
import { lockFile, type LedgerLock } from './ledger-lock.js';

export const lockPath = (folder: string, id: string): string => join(folder, `${id}.lock`);
export const ledgerPath = (folder: string, id: string): string => join(folder, `${id}.ledger`);

export interface SuccessorParts {
  folder: string;
  /** Of this process's own ledger, which is no predecessor's. */
  ownId: string;
  identity: LedgerIdentity;
  /** CLOCK_MONOTONIC and wall clock, neither of them moved. */
  now: () => Moment;
  journal: Pick<JournalView, 'read' | 'appendWithRetry'>;
  /** Wall clock of journal records. */
  nowMs: () => number;
  log: Log;
  onConcluded?: () => void;
}

/** Takes over the ledgers of processes that have ended, and writes NOT_EXECUTED for what they never sent. */
export class LedgerSuccessor {
  /** Of processes that have ended: their lock is ours from the first look on. */
  readonly #locks = new Map<string, LedgerLock>();

  constructor(private readonly parts: SuccessorParts) {}

  /** To be called every second or so, one call after the other. */
  async poll(): Promise<void> {
    const { folder, ownId } = this.parts;
    const ids = readdirSync(folder).flatMap((name) => (name.endsWith('.lock') ? [name.slice(0, -'.lock'.length)] : []));
    for (const id of ids) if (id !== ownId) await this.#lookAt(id);
  }

  async #lookAt(id: string): Promise<void> {
    const { folder, identity, now, log } = this.parts;
    const lock = this.#locks.get(id) ?? (await lockFile(lockPath(folder, id)));
    if (lock === undefined) return;
    this.#locks.set(id, lock);
    const bytes = bytesOf(ledgerPath(folder, id));
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

  /** Resolves once the journal holds, read back, that the token's attempt was not executed, or has no need to hear it. */
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
    const { folder } = this.parts;
    if (isRead)
      for (const path of [ledgerPath(folder, id), `${ledgerPath(folder, id)}.new`, lockPath(folder, id)])
        rmSync(path, { force: true });
    this.#locks.get(id)?.release();
    this.#locks.delete(id);
  }
}

/** Undefined where there is none: its process ended before it wrote a line, or after it had removed it. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // What can't be read is no ledger; neither is an empty one.
    return Buffer.alloc(0);
  }
}

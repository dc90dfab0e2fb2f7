import { commandIdTimeMs } from '@tranche/contracts';
import { hash } from 'node:crypto';
import { journalPartition } from '../journal/journal-partition.js';
import type { Resumed } from './recovery-record.js';

/** The resumes of journal partitions whose records were lost, and their effect on commands (R11, docs/decisions/0121). */
export class ResumeList {
  /** Time of each partition's latest resume. Milliseconds since the epoch. */
  readonly #resumedMs = new Map<number, number>();
  readonly #ids = new Set<string>();
  readonly #runs = new Set<string>();

  /** Number of resumes. Each one starts sequences of events anew, so it raises their epoch by one. */
  get count(): number {
    return this.#runs.size;
  }

  add({ id, at, partitions, commands }: Omit<Resumed, 'record' | 'requestedBy' | 'approvedBy' | 'reason'>): void {
    this.#runs.add(id);
    for (const partition of partitions)
      this.#resumedMs.set(partition, Math.max(Date.parse(at), this.#resumedMs.get(partition) ?? 0));
    for (const command of commands) this.#ids.add(command);
  }

  /** True where the order's journal partition was resumed. */
  hasResumed(orderKey: string): boolean {
    return this.#resumedMs.has(journalPartition(orderKey));
  }

  /** True where the command was made before a resume of its partition. If the journal does not know it, it may have been executed. */
  isBefore(orderKey: string, { commandId = '', timeMs = Infinity }: MadeCommand): boolean {
    const resumedMs = this.#resumedMs.get(journalPartition(orderKey));
    if (resumedMs === undefined) return false;
    return (commandIdTimeMs(commandId) ?? timeMs) < resumedMs || this.#ids.has(commandHash(orderKey, commandId));
  }
}

export interface MadeCommand {
  commandId?: string;
  /** `ce_time`, milliseconds since the epoch. A repeat may have a new one, but an id of version 7 keeps its time. */
  timeMs?: number;
}

/** Name of a command in `Resumed.commands`: 96 bits in base64url. */
export function commandHash(orderKey: string, commandId: string): string {
  return hash('sha256', `${orderKey}\n${commandId}`, 'base64url').slice(0, 16);
}

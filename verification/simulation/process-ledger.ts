import { LedgerFile, LedgerSuccessor, type JournalView, type MadeToken, type SentLedger } from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { DiskError, type SimulatedMachine } from './machine.js';
import type { SimulatedProcess } from './process.js';

const POLL_MS = 1_000;
/** Small, so that the file is rewritten often. */
const COMPACT_AT_BYTES = 1_200;

export const ledgerPath = (id: string): string => `${id}.ledger`;

/** The sent ledger of one process, and its work on the ledgers of its predecessors, wired as the service wires them. */
export class ProcessLedger implements SentLedger {
  readonly #file: LedgerFile | undefined;
  readonly #successor: LedgerSuccessor;
  #polling = Promise.resolve();

  constructor(
    private readonly process: SimulatedProcess,
    machine: SimulatedMachine,
    view: JournalView,
    private readonly threw: (error: unknown) => void,
  ) {
    const { name: ownId, around } = process;
    const now = () => machine.readClocks();
    const { identity } = machine;
    this.#file = this.#open(machine, ownId);
    const journal: Pick<JournalView, 'read' | 'appendWithRetry'> = {
      read: (...order) => view.read(...order),
      appendWithRetry: (record, trace) => {
        if (record.record === 'NOT_EXECUTED') around.calls.concluded(record);
        return view.appendWithRetry(record, trace);
      },
    };
    this.#successor = new LedgerSuccessor({
      ...{ folder: machine.folderOf(process, ledgerPath), ownId, identity, readClocks: now, journal, log: silentLog },
      nowMs: () => process.nowMs(),
    });
  }

  /** Set if the process can send nothing until it is restarted. */
  get brokenBecause(): string | undefined {
    return this.#file?.state === 'broken' ? 'the sent ledger can neither be written nor removed' : undefined;
  }

  start(): void {
    const look = () => {
      this.#polling = this.#polling.then(() => this.#poll());
    };
    look();
    this.process.every(POLL_MS, 'looks at ledgers', look);
  }

  made(token: MadeToken): void {
    this.#file?.made(token);
  }

  sent(token: string): boolean {
    return this.#file?.sent(token) ?? true;
  }

  ended(token: string): void {
    this.#file?.ended(token);
  }

  #open(machine: SimulatedMachine, id: string): LedgerFile | undefined {
    try {
      machine.makeLock(id, this.process);
      return new LedgerFile({
        ...{
          path: ledgerPath(id),
          identity: machine.identity,
          readClocks: () => machine.readClocks(),
          disk: machine.disk(),
        },
        compactAtBytes: COMPACT_AT_BYTES,
      });
    } catch (error) {
      this.#isExpected(error);
      return undefined;
    }
  }

  async #poll(): Promise<void> {
    try {
      await this.#successor.poll();
      for (const token of this.#file?.neverSent ?? []) {
        await this.#successor.conclude(token);
        this.#file?.ended(token.token);
      }
    } catch (error) {
      this.#isExpected(error);
    }
  }

  #isExpected(error: unknown): void {
    const isOurs = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
    if (isOurs && !(error instanceof DiskError)) this.threw(error);
  }
}

import { setMaxListeners } from 'node:events';
import type { TraceHeaders } from '@tranche/runtime';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { journalPartition } from '../journal/ports.js';
import type { OpenIntent } from '../journal/open-intents.js';
import type { JournalLog } from '../journal/ports.js';
import { keyOf, type OrderName } from '../journal/record-fold.js';
import { unlessAborted } from '../journal/waits.js';
import { type IntentVerdict, type OrderState, type RulesVersion, verdictOf } from '../state/order-state.js';
import type { Intent, JournalRecord } from '../state/records.js';
import { recordWriter } from '../state/versions.js';
import { Outage } from './outage.js';
import type { OwnerParts } from './owner-ports.js';
import { PartitionOwner, type OwnerState } from './partition-owner.js';

const LOOK_AGAIN_MS = 200;
const ENDED: readonly (OwnerState | undefined)[] = ['stopped', 'closed', undefined];

const partitionOf = (name: OrderName): number => journalPartition(keyOf(name));

export interface OwnedJournalParts extends OwnerParts {
  log: JournalLog;
  /** Rules version under which this installation writes records (R9). */
  rulesVersion: RulesVersion;
}

/** The journal as one process sees it: it appends to every partition, and reads orders of the partitions that it owns. */
export class OwnedJournal {
  readonly #owners = new Map<number, PartitionOwner>();
  readonly #closing = new AbortController();
  readonly #written: ReturnType<typeof recordWriter>;
  /** Tokens of this process's INTENTs that no owner has read yet. */
  readonly #unread = new Set<string>();
  readonly #ownerParts: OwnerParts;
  /** Appends that have not succeeded yet. */
  readonly #outages = new Set<Outage>();

  constructor(private readonly parts: OwnedJournalParts) {
    setMaxListeners(0, this.#closing.signal);
    this.#written = recordWriter(parts.rulesVersion);
    const onRecord = (record: JournalRecord) => {
      if (record.record === 'INTENT') this.#unread.delete(record.token);
    };
    this.#ownerParts = { ...parts, onRecord };
  }

  /** A partition that stays with this process keeps its owner, and so what a rebuild and its open INTENTs have come to; a stopped one is tried again. */
  own(partition: number): PartitionOwner {
    const known = this.#owners.get(partition);
    if (known !== undefined && !ENDED.includes(known.state)) return known;
    known?.close();
    const owner = new PartitionOwner(partition, this.#ownerParts);
    this.#owners.set(partition, owner);
    return owner;
  }

  /** Ends what this process does with the partition. */
  disown(owner: PartitionOwner): void {
    owner.close();
    if (this.#owners.get(owner.partition) === owner) this.#owners.delete(owner.partition);
  }

  get owners(): readonly PartitionOwner[] {
    return [...this.#owners.values()];
  }

  ownerOf(partition: number): PartitionOwner | undefined {
    return this.#owners.get(partition);
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get stopped(): ReadonlyMap<number, string> {
    return new Map(
      this.owners.flatMap(({ partition, stoppedBecause: why }) =>
        why === undefined ? [] : [[partition, why] as const],
      ),
    );
  }

  /** Says what has been repeated in vain for more than a minute. */
  get troubled(): string[] {
    return [...this.owners, ...this.#outages].flatMap(({ troubledBecause: why }) => why ?? []);
  }

  stoppedFor(merchant: string, orderId: string): string | undefined {
    return this.#owners.get(partitionOf({ merchant, orderId }))?.stoppedBecause;
  }

  /** Open INTENTs of the partitions that are served here. */
  readonly openIntents = {
    takeSeenBefore: (seenMs: number): OpenIntent[] =>
      this.owners.flatMap(({ isServing, openIntents }) => (isServing ? openIntents.takeSeenBefore(seenMs) : [])),
    add: (intent: OpenIntent): void => this.#owners.get(partitionOf(intent))?.openIntents.add(intent),
  };

  /** Must be called last: every wait for a record rejects. */
  close(): void {
    this.#closing.abort(new Error('the journal is closing'));
    for (const owner of this.owners) this.disown(owner);
  }

  /** The newest state of an order that this process knows. It may lag behind the log; therefore only the fold grants attempts (R3). */
  async read(merchant: string, orderId: string): Promise<OrderState> {
    const name = { merchant, orderId };
    return this.#owner(name).read(name);
  }

  /** Returns the order folded up to the log's end as of the call. An operation missing then had no acknowledged record before the call. */
  async readToEnd(merchant: string, orderId: string, signal: AbortSignal): Promise<OrderState> {
    signal.throwIfAborted();
    const end = await unlessAborted(this.parts.log.end(partitionOf({ merchant, orderId })), signal);
    await this.#owner({ merchant, orderId }).readTo(end, signal);
    return this.read(merchant, orderId);
  }

  /** Resolves when the order may be readable again. */
  async whenReadable(merchant: string, orderId: string, signal: AbortSignal): Promise<void> {
    await this.parts.timing.sleep(LOOK_AGAIN_MS, signal);
    const owner = this.#owners.get(partitionOf({ merchant, orderId }));
    if (owner) await unlessAborted(owner.whenServing(signal), signal);
  }

  /** A log never assigns an offset twice. An offset below what was read means another log, so the partition is stopped (R11). */
  async append(record: JournalRecord, trace?: TraceHeaders): Promise<bigint> {
    const owner = this.#owners.get(partitionOf(record));
    const { position: readTo = 0n, placed } = owner ?? {};
    const offset = await this.parts.log.append(this.#written(record), trace);
    if (owner && offset < readTo && placed === owner.placed)
      owner.stop(`a record was appended at offset ${offset}, and the log had been read to ${readTo} before`);
    return offset;
  }

  async appendAndRead(record: JournalRecord, trace?: TraceHeaders): Promise<OrderState> {
    const offset = await this.append(record, trace);
    return this.waitForRecordAfter(record.merchant, record.orderId, offset - 1n);
  }

  /**
   * Appends an INTENT and reads the fold's verdict on it. Returns `lost` where the fold shows none: nothing may be sent then.
   *
   * @throws OrderUnreadableError where a record beyond the INTENT was read but the INTENT is not in that log: it was appended to another log than the
   * one folded before. The partition is stopped, because retries would append one INTENT after the other until one is granted wrongly (R11).
   */
  async appendIntent(intent: Intent, trace?: TraceHeaders): Promise<{ after: OrderState; verdict: IntentVerdict }> {
    const { token } = intent;
    const owner = this.#owner(intent);
    const { placed } = owner;
    this.#unread.add(token);
    try {
      const after = await this.appendAndRead(intent, trace);
      const verdict = verdictOf(after, token);
      if (verdict !== undefined) return { after, verdict };
      // A snapshot drops old verdicts; an owner that placed anew may have skipped the record, because the index holds it.
      if (!this.#unread.has(token) || placed !== owner.placed) return { after, verdict: 'lost' };
    } finally {
      this.#unread.delete(token);
    }
    const why = 'an INTENT of this process was appended and is not in the log that is read: the journal was replaced';
    owner.stop(why);
    throw new OrderUnreadableError(owner.stoppedBecause ?? why);
  }

  /** Retries until the journal has the record or is closed, then reads it back while its partition is owned here. Duplicates have no effect. */
  async appendWithRetry(record: JournalRecord, trace?: TraceHeaders): Promise<OrderState> {
    const offset = await this.#untilDone(record, () => this.append(record, trace));
    return this.#untilDone(
      record,
      () => this.waitForRecordAfter(record.merchant, record.orderId, offset - 1n),
      () => ENDED.includes(this.#owners.get(partitionOf(record))?.state),
    );
  }

  async #untilDone<T>(of: JournalRecord, ask: () => Promise<T>, isInVain = () => false): Promise<T> {
    const outage = new Outage(partitionOf(of), this.parts);
    this.#outages.add(outage);
    const what = `Journaling and reading back ${of.record} of order ${of.orderId}`;
    return outage.repeat(what, ask, this.#closing.signal, isInVain).finally(() => this.#outages.delete(outage));
  }

  /** Resolves once a record beyond `offset` was folded. Rejects when the signal aborts, or the partition is stopped or not owned here any more. */
  async waitForRecordAfter(
    merchant: string,
    orderId: string,
    offset: bigint,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<OrderState> {
    const name = { merchant, orderId };
    return this.#owner(name).waitForRecordAfter(name, offset, signal);
  }

  #owner(name: OrderName): PartitionOwner {
    const partition = partitionOf(name);
    const owner = this.#owners.get(partition);
    if (owner) return owner;
    throw new OrderUnreadableError(`Journal partition ${partition} is not owned by this instance`);
  }
}

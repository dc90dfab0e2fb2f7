import type { Log, Timing } from '@tranche/runtime';
import { isDeepStrictEqual } from 'node:util';
import { JournalReplacedError } from '../journal/journal-faults.js';
import { OrderSample } from './order-sample.js';
import type { OrderState } from '../state/order-state.js';
import { recordHash } from '../state/records.js';
import type { JournalReader, OrderIndex } from '../journal/ports.js';
import type { Projector } from './projector.js';

/** Maximum of order keys in the log line. */
const NAMED_ORDERS = 10;

export interface AuditorParts {
  projector: Pick<Projector, 'assigned'>;
  index: Pick<OrderIndex, 'readTogether'>;
  journal: JournalReader;
  timing: Pick<Timing, 'sleep'>;
  logger: Log;
  /** Random number in [0, 1): chooses partition and orders. */
  random: () => number;
  /** Rate at which the journal is read, in records per second, so that an audit does not slow down the service. */
  recordsPerSecond: number;
  /** Called before differing orders are repaired. */
  onAudited?: (result: AuditResult) => void | Promise<void>;
}

export interface AuditResult {
  partition: number;
  /** Number of orders that were compared. */
  orders: number;
  /** Keys of orders whose state in the index differs from the journal's. */
  differing: string[];
}

/**
 * Folds sampled orders of a partition from the journal and compares them with the index. A differing order is repaired; during a rebuild the process
 * is not ready.
 */
export class IndexAuditor {
  constructor(private readonly parts: AuditorParts) {}

  /**
   * Audits one of the partitions that are assigned to this process. Returns undefined where there was none, or its index was lost or moved meanwhile.
   * @throws JournalReplacedError where the journal is not the one that the index was made from; a person must decide then
   */
  async auditNext(signal: AbortSignal): Promise<AuditResult | undefined> {
    const { projector, random, onAudited, logger } = this.parts;
    const { assigned } = projector;
    const chosen = assigned[Math.floor(random() * assigned.length)];
    if (!chosen) return undefined;
    const { partition, projection } = chosen;
    const audit = new PartitionAudit(this.parts, partition, signal);
    const compared = await audit.compare();
    if (!compared || projection.isEnded) return undefined;
    const { orders, differing } = compared;
    const result = { partition, orders, differing };
    if (differing.length > 0) {
      const orderKeys = differing.slice(0, NAMED_ORDERS);
      logger.error(
        { partition, orders, differing: differing.length, orderKeys },
        'The index holds another state than the journal: it is repaired',
      );
    }
    await onAudited?.(result);
    if (differing.length > 0) await projection.repair((until) => audit.states(differing, until));
    return result;
  }
}

/** One audit of one partition. */
class PartitionAudit {
  #sample!: OrderSample;
  #next = 0n;

  constructor(
    private readonly parts: AuditorParts,
    private readonly partition: number,
    private readonly signal: AbortSignal,
  ) {}

  async compare(): Promise<Omit<AuditResult, 'partition'> | undefined> {
    const { index, journal, random } = this.parts;
    const { marker: before } = await index.readTogether(this.partition, []);
    const firstKept = await journal.firstKept(this.partition);
    if (before === undefined || before < firstKept) return undefined;
    const sample = (this.#sample = new OrderSample(Number(before + 1n - firstKept), random()));
    this.#next = firstKept;
    await this.#foldUntil(before + 1n);
    const { keys } = sample;
    const { marker, hash, orders } = await index.readTogether(this.partition, keys);
    // The index was lost, or was restored from an older copy.
    if (marker === undefined || marker < before) return undefined;
    await this.#foldUntil(marker + 1n);
    const { last } = sample;
    // The hash belongs to the record at the marker. A log that was truncated meanwhile may lack that record.
    if (hash !== undefined && (last?.offset !== marker || recordHash(last.value) !== hash))
      throw new JournalReplacedError(marker);
    const compared = keys.flatMap((key, index) =>
      sample.isWhole(key, orders[index], firstKept) ? [{ key, indexed: orders[index] }] : [],
    );
    const differing = compared.filter(({ key, indexed }) => !isSame(sample.state(key), indexed)).map(({ key }) => key);
    return { orders: compared.length, differing };
  }

  /** Returns the orders folded from the journal below `until`; undefined where more was folded already. */
  async states(keys: readonly string[], until: bigint): Promise<OrderState[] | undefined> {
    if (until < this.#next) return undefined;
    await this.#foldUntil(until);
    return this.#sample.states(keys);
  }

  async #foldUntil(until: bigint): Promise<void> {
    const { journal, timing, recordsPerSecond } = this.parts;
    if (this.#next >= until) return;
    for await (const entries of journal.read(this.partition, this.#next, until)) {
      for (const entry of entries) this.#sample.take(entry);
      await timing.sleep((entries.length * 1000) / recordsPerSecond, this.signal);
    }
    this.#next = until;
  }
}

/** Compares as JSON: stored states lack undefined fields, and may have their fields in another order. */
function isSame(folded: OrderState | undefined, indexed: OrderState | undefined): boolean {
  if (!folded || !indexed) return folded === indexed;
  const [one, other] = [JSON.stringify(folded), JSON.stringify(indexed)];
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}

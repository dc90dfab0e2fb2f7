import { encodeRecord, journalPartition, type JournalRecord } from '@tranche/order-journal';
import { MERCHANT } from './commands.js';
import { SESSION_MS } from './consumer-group.js';
import { evidenceOf } from './evidence.js';
import type { SimulatedGateway } from './gateway.js';
import { EPOCH_MS, type SimulatedProcess, type Surroundings } from './process.js';
import type { World } from './world.js';

/** An owner reads a record within a second; one that has just lost its index reads it when that is built. */
const STOPS_WITHIN_MS = 60_000;
/** An owner that repeats the record, or has left it out, is seen by then. */
const LOOKS_ON_MS = 15_000;

/** A world whose gateways run. */
export interface RunningWorld {
  world: World;
  around: Surroundings;
  living: ReadonlyMap<SimulatedProcess, SimulatedGateway>;
  kill: (process: SimulatedProcess) => void;
  trace: (line: string) => void;
}

/** A record that can not be read is in a partition: every owner must stop there and name it, until two people skip it (R2). */
export class BrokenRecord {
  /** True while people keep every gateway stopped for the skip. */
  isStopped = false;
  #at: { partition: number; offset: bigint } | undefined;

  constructor(private readonly parts: RunningWorld & { atMs: number }) {}

  start(): void {
    this.parts.around.scheduler.after(this.parts.atMs, 'a record that can not be read is written', () => this.#land());
  }

  #land(): void {
    const { world, around, trace } = this.parts;
    const partition = around.random.pick([...world.journal.partitions.keys()]);
    let number = 0;
    while (journalPartition(`${MERCHANT}/x${number}`) !== partition) number++;
    const orderKey = `${MERCHANT}/x${number}`;
    const now = new Date(EPOCH_MS).toISOString();
    const { result: _, ...record } = evidenceOf({ orderKey, operation: 'capture', execCode: '0000' }, now);
    this.#at = world.journal.landBroken(orderKey, encodeRecord(record as unknown as JournalRecord));
    world.stopsAt(partition);
    trace(`the record at ${this.#at.offset} of partition ${partition} can not be read`);
  }

  async heal(run: (isDone: () => boolean) => Promise<void>): Promise<void> {
    const { around, world, living, kill } = this.parts;
    const { scheduler } = around;
    await run(() => this.#at !== undefined);
    const { partition, offset } = this.#at!;
    const says = () => [...living.values()].map(({ journal }) => journal.stopped.get(partition) ?? '');
    const isNamed = () => says().some((why) => why.includes(`stopped at offset ${offset}: `));
    const untilNamed = () => {
      const giveUpMs = scheduler.nowMs + STOPS_WITHIN_MS;
      return run(() => isNamed() || scheduler.nowMs > giveUpMs);
    };
    await untilNamed();
    const untilMs = scheduler.nowMs + LOOKS_ON_MS;
    await run(() => scheduler.nowMs > untilMs);
    // At this moment the partition may be changing hands: its next owner names the record too.
    await untilNamed();
    const at = `the record at ${offset} of partition ${partition}, which can not be read`;
    if (!isNamed()) world.referee.report('wentOn', `no gateway has stopped at ${at}`);
    for (const [{ name }, { journal }] of living)
      if ((journal.ownerOf(partition)?.position ?? 0n) > offset)
        world.referee.report('wentOn', `${name} has passed ${at}`);
    this.isStopped = true;
    for (const process of [...living.keys()]) kill(process);
    const leftMs = scheduler.nowMs + SESSION_MS;
    await run(() => scheduler.nowMs >= leftMs);
    world.skip(partition, offset);
    this.isStopped = false;
  }
}

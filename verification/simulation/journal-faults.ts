import { encodeRecord, journalPartition, type JournalRecord } from '@tranche/order-journal';
import { MERCHANT } from './commands.js';
import { evidenceOf } from './evidence.js';
import type { Fleet, Run } from './fleet.js';
import type { SimulatedGateway } from './gateway.js';
import { EPOCH_MS } from './process.js';
import type { JournalLossEdges } from './profile.js';
import type { Random } from './random.js';
import { RESUME_STEPS } from './world.js';

const LOOK_MS = 20;
/** A gateway that has not read all of the lost leader's records within this time is killed, as if its broker were unreachable. */
const READ_WITHIN_MS = 3_000;
const AGAIN_MS = 500;
/** Longer than a tail waits for a log that became shorter; it compares the log every 5 s. */
const STOPS_AFTER_LOSS_WITHIN_MS = 90_000;

/** Share of resumes that are interrupted, and of those that two people repeat though one was run to its end. */
const INTERRUPTED = 0.3;
const TWICE = 0.2;
/** Gateways that start after an interrupted resume run for at most this time. Milliseconds. */
const STARTED_BETWEEN_MS = 20_000;

/** An owner reads a record within a second; one that has just lost its index reads it when that is built. */
const STOPS_AT_RECORD_WITHIN_MS = 60_000;
/** An owner that repeats the record, or has left it out, is seen by then. */
const LOOKS_ON_MS = 15_000;

/**
 * Loses the leader of a journal partition; the next leader lacks its last records, or all. So the log lacks records that every gateway, or the index,
 * has seen. Then the partition is resumed with the records that are kept (R11).
 */
export class JournalLoss {
  /** The partition that has lost records; undefined before. */
  #partition: number | undefined;
  #isLosing = false;

  constructor(
    private readonly fleet: Fleet,
    private readonly edges: JournalLossEdges,
  ) {
    this.#after(edges.atMs, () => this.#loseLeader());
  }

  #after(ms: number, act: () => void): void {
    this.fleet.world.env.scheduler.after(ms, 'a journal partition loses records', act);
  }

  #loseLeader(): void {
    const { edges } = this;
    const { env, journal, index } = this.fleet.world;
    if (!env.isTroubled()) return;
    // Only records that the index knows are lost: otherwise a process that starts then could not detect the loss.
    const fewest = edges.exactly ? edges.records : 1;
    const indexed = [...index.markers].flatMap(([partition, marker]) => {
      const all = journal.read(partition, 0n);
      const offsets = all.flatMap(({ offset }) => (offset <= marker ? [offset] : []));
      const isWhole = !edges.exactly || offsets.length === all.length;
      return offsets.length >= fewest && isWhole ? [{ partition, offsets }] : [];
    });
    if (indexed.length === 0) return this.#after(AGAIN_MS, () => this.#loseLeader());
    const { partition, offsets } = env.random.pick(indexed);
    const most = Math.min(offsets.length, edges.records);
    const lost = edges.exactly ? most : env.random.below(most) + 1;
    journal.loseLeader(partition);
    this.#isLosing = true;
    const hasRead = (gateway: SimulatedGateway) =>
      (gateway.nextOffset(partition) ?? Infinity) >= journal.high(partition);
    this.#whenAll(hasRead, READ_WITHIN_MS, () => this.#lose(partition, edges.isRecreated ? 0n : offsets.at(-lost)!));
  }

  /**
   * The gateways that follow the partition have read it; another owner places anew, and compares the log with the index. Readers request the shorter log
   * within milliseconds, writers within some hundreds. A gateway that is suspended until the log has grown again is not simulated.
   */
  #lose(partition: number, from: bigint): void {
    const { world, running } = this.fleet;
    world.env.note(`journal partition ${partition} loses its records from ${from} on`);
    const readers = [...running.values()].filter((gateway) => gateway.nextOffset(partition) !== undefined);
    const before = new Map(readers.map((gateway) => [gateway, gateway.unexpectedAnswers(partition)]));
    world.lose(partition, from);
    this.#partition = partition;
    const hasAsked = (gateway: SimulatedGateway) => gateway.unexpectedAnswers(partition) > (before.get(gateway) ?? -1);
    this.#whenAll(hasAsked, READ_WITHIN_MS, () => {
      world.journal.lead(partition);
      this.#isLosing = false;
    });
  }

  /** Waits until the condition holds for all gateways, and kills those for which it does not in time. */
  #whenAll(isReady: (gateway: SimulatedGateway) => boolean, waitMs: number, act: () => void): void {
    const late = [...this.fleet.running].filter(([, gateway]) => !isReady(gateway));
    if (late.length > 0 && waitMs > 0) return this.#after(LOOK_MS, () => this.#whenAll(isReady, waitMs - LOOK_MS, act));
    for (const [process] of late) this.fleet.kill(process);
    act();
  }

  /**
   * Waits until the partition's owner has stopped it; then kills all gateways, and starts them again with the approved resume. `tranche journal resume`
   * refuses while the group has a member, so requests that a killed gateway had sent arrive before it.
   */
  async repair(run: Run): Promise<void> {
    const { world, running } = this.fleet;
    const { scheduler, random, note } = world.env;
    await run(() => !this.#isLosing);
    const partition = this.#partition;
    if (partition === undefined) return;
    const until = (atMs: number) => run(() => scheduler.nowMs >= atMs);
    const resume = (steps: number) => this.fleet.whileStopped(run, () => world.resume(partition, steps));
    const serving = () => [...running].filter(([, { journal }]) => journal.ownerOf(partition)?.isServing === true);
    const reportServing = (why: string) => {
      for (const [{ name }] of serving())
        world.referee.report('continuedAfterLoss', `${name} goes on with partition ${partition}, ${why}`);
    };
    const hasStopped = () => [...running.values()].some(({ journal }) => journal.stopped.has(partition));
    const giveUpMs = scheduler.nowMs + STOPS_AFTER_LOSS_WITHIN_MS;
    await run(() => (hasStopped() && serving().length === 0) || scheduler.nowMs > giveUpMs);
    if (!hasStopped())
      world.referee.report(
        'continuedAfterLoss',
        `no gateway has stopped partition ${partition}, which has lost records`,
      );
    reportServing('which has lost records');
    note(`two people decide that journal partition ${partition} goes on`);
    // Drawn apart, so that older seeds still give the same worlds up to here.
    const apart = random.fork();
    for (const steps of this.#interruptions(apart)) {
      await resume(steps);
      await until(scheduler.nowMs + apart.between(1_000, STARTED_BETWEEN_MS));
      reportServing('whose resume was interrupted');
    }
    await resume(RESUME_STEPS);
    if (!(this.edges.exactly?.isTwice ?? apart.chance(TWICE))) return;
    await until(scheduler.nowMs + apart.between(0, STARTED_BETWEEN_MS));
    await resume(RESUME_STEPS);
  }

  /** After how many steps each run is interrupted that comes before the whole one. */
  *#interruptions(apart: Random): Generator<number> {
    const { exactly } = this.edges;
    if (exactly) return yield* exactly.interruptedAfter;
    while (apart.chance(INTERRUPTED)) yield apart.below(RESUME_STEPS);
  }
}

/** A record that can not be read is in a partition: every owner must stop there and name it, until two people skip it (R2). */
export class BrokenRecord {
  #at: { partition: number; offset: bigint } | undefined;

  constructor(
    private readonly fleet: Fleet,
    atMs: number,
  ) {
    const { scheduler } = fleet.world.env;
    scheduler.after(atMs, 'a record that can not be read is written', () => this.#land());
  }

  #land(): void {
    const { world } = this.fleet;
    const partition = world.env.random.pick([...world.journal.partitions.keys()]);
    let number = 0;
    while (journalPartition(`${MERCHANT}/x${number}`) !== partition) number++;
    const orderKey = `${MERCHANT}/x${number}`;
    const now = new Date(EPOCH_MS).toISOString();
    const { result: _, ...record } = evidenceOf({ orderKey, operation: 'capture', execCode: '0000' }, now);
    this.#at = world.journal.landBroken(orderKey, encodeRecord(record as unknown as JournalRecord));
    world.stopsAt(partition);
    world.env.note(`the record at ${this.#at.offset} of partition ${partition} can not be read`);
  }

  async repair(run: Run): Promise<void> {
    const { world, running } = this.fleet;
    const { scheduler } = world.env;
    await run(() => this.#at !== undefined);
    const { partition, offset } = this.#at!;
    const isNamed = () =>
      [...running.values()].some(({ journal }) =>
        journal.stopped.get(partition)?.includes(`stopped at offset ${offset}: `),
      );
    const untilNamed = () => {
      const giveUpMs = scheduler.nowMs + STOPS_AT_RECORD_WITHIN_MS;
      return run(() => isNamed() || scheduler.nowMs > giveUpMs);
    };
    await untilNamed();
    const untilMs = scheduler.nowMs + LOOKS_ON_MS;
    await run(() => scheduler.nowMs > untilMs);
    // At this moment the partition may be changing hands: its next owner names the record too.
    await untilNamed();
    const at = `the record at ${offset} of partition ${partition}, which can not be read`;
    if (!isNamed()) world.referee.report('continuedAfterLoss', `no gateway has stopped at ${at}`);
    for (const [{ name }, { journal }] of running)
      if ((journal.ownerOf(partition)?.position ?? 0n) > offset)
        world.referee.report('continuedAfterLoss', `${name} has passed ${at}`);
    await this.fleet.whileStopped(run, () => world.skip(partition, offset));
  }
}

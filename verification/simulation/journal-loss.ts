import type { RunningWorld } from './broken-record.js';
import type { SimulatedGateway } from './gateway.js';
import { SESSION_MS } from './consumer-group.js';
import type { JournalLossEdges } from './profile.js';
import type { Random } from './random.js';
import { RESUME_STEPS } from './world.js';

const LOOK_MS = 20;
/** A gateway that has not read all of the lost leader's records within this time is killed, as if its broker were unreachable. */
const READ_WITHIN_MS = 3_000;
const AGAIN_MS = 500;
/** Longer than a tail waits for a log that became shorter; it compares the log every 5 s. */
const STOPS_WITHIN_MS = 90_000;

/** Share of resumes that are interrupted, and of those that two people repeat though one was run to its end. */
const INTERRUPTED = 0.3;
const TWICE = 0.2;
/** Gateways that start after an interrupted resume run for at most this time. Milliseconds. */
const STARTED_BETWEEN_MS = 20_000;

type Run = (isDone: () => boolean) => Promise<void>;

interface LossParts extends RunningWorld {
  edges: JournalLossEdges;
}

/**
 * Loses the leader of a journal partition; the next leader lacks its last records, or all. So the log lacks records that every gateway, or the index,
 * has seen. Then the partition is resumed with the records that are kept (R11).
 */
export class JournalLoss {
  /** The partition that has lost records; undefined before. */
  partition: number | undefined;
  /** True while people keep every gateway stopped for the resume. */
  isStopped = false;
  #isLosing = false;

  constructor(private readonly parts: LossParts) {}

  start(): void {
    this.#after(this.parts.edges.atMs, () => this.#loseLeader());
  }

  #after(ms: number, act: () => void): void {
    this.parts.around.scheduler.after(ms, 'a journal partition loses records', act);
  }

  #loseLeader(): void {
    const { around, world, edges } = this.parts;
    const { journal, index } = world;
    if (!around.isTroubled()) return;
    // Only records that the index knows are lost: otherwise a process that starts then could not detect the loss.
    const fewest = edges.exactly ? edges.records : 1;
    const indexed = [...index.markers].flatMap(([partition, marker]) => {
      const all = journal.read(partition, 0n);
      const offsets = all.flatMap(({ offset }) => (offset <= marker ? [offset] : []));
      const isWhole = !edges.exactly || offsets.length === all.length;
      return offsets.length >= fewest && isWhole ? [{ partition, offsets }] : [];
    });
    if (indexed.length === 0) return this.#after(AGAIN_MS, () => this.#loseLeader());
    const { partition, offsets } = around.random.pick(indexed);
    const most = Math.min(offsets.length, edges.records);
    const lost = edges.exactly ? most : around.random.below(most) + 1;
    journal.loseLeader(partition);
    this.#isLosing = true;
    this.#whenRead(partition, edges.isRecreated ? 0n : offsets.at(-lost)!, READ_WITHIN_MS);
  }

  /** Waits until the gateways that follow the partition have read it. Another owner places anew, and compares the log with the index. */
  #whenRead(partition: number, from: bigint, waitMs: number): void {
    const { world, living, kill, trace } = this.parts;
    const { journal } = world;
    const late = [...living].filter(
      ([, gateway]) => (gateway.hasReadTo(partition) ?? Infinity) < journal.high(partition),
    );
    if (late.length > 0 && waitMs > 0)
      return this.#after(LOOK_MS, () => this.#whenRead(partition, from, waitMs - LOOK_MS));
    for (const [process] of late) kill(process);
    trace(`journal partition ${partition} loses its records from ${from} on`);
    const readers = [...living.values()].filter((gateway) => gateway.hasReadTo(partition) !== undefined);
    const before = new Map(readers.map((gateway) => [gateway, gateway.strays(partition)]));
    world.lose(partition, from);
    this.partition = partition;
    this.#whenAsked(partition, before, READ_WITHIN_MS);
  }

  /**
   * Waits until every gateway that follows the partition has requested the shorter log: readers do so within milliseconds, writers within some hundreds. A gateway that
   * is suspended until the log has grown again is not simulated.
   */
  #whenAsked(partition: number, before: ReadonlyMap<SimulatedGateway, number>, waitMs: number): void {
    const { world, living, kill } = this.parts;
    const late = [...living].filter(([, gateway]) => gateway.strays(partition) <= (before.get(gateway) ?? -1));
    if (late.length > 0 && waitMs > 0)
      return this.#after(LOOK_MS, () => this.#whenAsked(partition, before, waitMs - LOOK_MS));
    for (const [process] of late) kill(process);
    world.journal.lead(partition);
    this.#isLosing = false;
  }

  /**
   * Waits until the partition's owner has stopped it; then kills all gateways, and starts them again with the approved resume. `tranche journal resume`
   * refuses while the group has a member, so requests that a killed gateway had sent arrive before it.
   */
  async resume(run: Run): Promise<void> {
    const { around, world, living, trace } = this.parts;
    await run(() => !this.#isLosing);
    const { partition } = this;
    if (partition === undefined) return;
    const giveUpMs = around.scheduler.nowMs + STOPS_WITHIN_MS;
    const goOn = () => [...living].filter(([, gateway]) => gateway.journal.ownerOf(partition)?.isServing === true);
    const hasStopped = () => [...living.values()].some(({ journal }) => journal.stopped.has(partition));
    await run(() => (hasStopped() && goOn().length === 0) || around.scheduler.nowMs > giveUpMs);
    if (!hasStopped())
      world.referee.report('wentOn', `no gateway has stopped partition ${partition}, which has lost records`);
    for (const [{ name }] of goOn())
      world.referee.report('wentOn', `${name} goes on with partition ${partition}, which has lost records`);
    trace(`two people decide that journal partition ${partition} goes on`);
    // Drawn apart, so that older seeds still give the same worlds up to here.
    const apart = around.random.apart();
    for (const steps of this.#interruptions(apart)) {
      await this.#resumeAlone(partition, run, steps);
      const seenMs = around.scheduler.nowMs + apart.between(1_000, STARTED_BETWEEN_MS);
      await run(() => around.scheduler.nowMs >= seenMs);
      for (const [{ name }] of goOn())
        world.referee.report('wentOn', `${name} goes on with partition ${partition}, whose resume was interrupted`);
    }
    await this.#resumeAlone(partition, run, RESUME_STEPS);
    if (!(this.parts.edges.exactly?.isTwice ?? apart.chance(TWICE))) return;
    const againMs = around.scheduler.nowMs + apart.between(0, STARTED_BETWEEN_MS);
    await run(() => around.scheduler.nowMs >= againMs);
    await this.#resumeAlone(partition, run, RESUME_STEPS);
  }

  /** After how many steps each run is interrupted that comes before the whole one. */
  *#interruptions(apart: Random): Generator<number> {
    const { exactly } = this.parts.edges;
    if (exactly) return yield* exactly.interruptedAfter;
    while (apart.chance(INTERRUPTED)) yield apart.below(RESUME_STEPS);
  }

  /** No gateway runs meanwhile, and all start afterwards. */
  async #resumeAlone(partition: number, run: Run, steps: number): Promise<void> {
    const { around, world, living, kill } = this.parts;
    this.isStopped = true;
    for (const process of [...living.keys()]) kill(process);
    const leftMs = around.scheduler.nowMs + SESSION_MS;
    await run(() => around.scheduler.nowMs >= leftMs);
    await world.resume(partition, steps);
    this.isStopped = false;
  }
}

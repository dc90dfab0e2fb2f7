import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import {
  InOrderWork,
  KeyOrderedPool,
  TailBuffer,
  type Assignment,
  type ConsumedRecord,
  type Slot,
  type Task,
  TailPosition,
} from '@tranche/kafka';
import {
  AgreedClock,
  answerKnownCommand,
  CommandExecutor,
  DoubtWatch,
  JournalView,
  Projector,
  SEND_DEADLINE_MS,
  type CommandLease,
  type OrderIndex,
  type RulesVersion,
} from '@tranche/order-journal';
import { silentLog, type Log } from '@tranche/runtime';
import { keepOne } from './keeping.js';
import { callsOf, executed, journalOf, NotNowError, PLATFORM_TIMEOUT_MS, type ExecutedCommand } from './call.js';
import { ClockWatch } from './clock-watch.js';
import { evidenceOf } from './evidence.js';
import { asConsumed, journalSource, topicSource } from './fetch-sources.js';
import { GroupClient, timersOf } from './group-client.js';
import type { Landed } from './journal.js';
import { JournalTail } from './journal-tail.js';
import type { PlatformRequest } from './platform.js';
import type { SimulatedProcess } from './process.js';
import { SimulatedGate } from './rail-gate.js';
import type { SharedWorld } from './shared-world.js';
import type { SimulatedCommand } from './commands.js';
import type { TopicRecord } from './topics.js';

const DOUBT_LOOK_MS = 1_000;
const FORGET_MS = 2_500;
const PROJECTOR_POLL_MS = 2_000;
const CATCH_UP_LOOK_MS = 50;
/** Small, so that it overflows often. */
const TAIL_BUFFER = { records: 6, bytes: 1024 * 1024 };
const CLOSED = { path: 'merchant', code: 'unknown_merchant', message: 'is not configured' } as const;
/** Send deadline + platform time-out + grace. */
export const DOUBT_WAIT_MS = SEND_DEADLINE_MS + PLATFORM_TIMEOUT_MS + 1_000;

/** One life of a gateway: the real code under test, wired as the service wires it. */
export class SimulatedGateway {
  readonly view: JournalView;
  readonly #projector: Projector;
  readonly #executor: CommandExecutor<ExecutedCommand, PlatformRequest, never>;
  readonly #index: OrderIndex;
  readonly #tail = new TailBuffer(TAIL_BUFFER);
  readonly #doubts: DoubtWatch;
  readonly #clock: AgreedClock;
  readonly #clocks: ClockWatch | undefined;
  readonly #tails = new Map<number, JournalTail>();
  readonly #newToken = () => `${this.process.name}#${++this.#tokens}`;
  readonly #projectorRuns = new Map<number, Promise<void>>();
  #published = Promise.resolve();
  #tokens = 0;
  #lookingForDoubts = false;

  constructor(
    readonly process: SimulatedProcess,
    private readonly world: SharedWorld,
    private readonly rulesVersion: RulesVersion,
  ) {
    const logger: Log = { ...silentLog, error: (_fields, message) => world.alarmed(message) };
    const log = world.journal.appendsOf(process);
    const clock = (this.#clock = new AgreedClock(process));
    this.#index = world.index.of(process);
    const onLogChanged = (partition: number, why: string) => this.#projector.stop(partition, why);
    this.view = new JournalView({ log, index: this.#index, timing: process, logger, rulesVersion, onLogChanged });
    const gate = new SimulatedGate(process);
    const calls = callsOf(process, world.platform);
    this.#executor = new CommandExecutor({
      journal: journalOf(this.view),
      gate,
      timing: clock,
      readClocks: () => clock.readClocks(),
      newToken: this.#newToken,
      ...calls,
    });
    const journal = world.journal.readerOf(process);
    const events = { publish: (batch: CloudEvent<PaymentEvent>[]) => this.#publish(batch) };
    this.#projector = new Projector({
      index: this.#index,
      events,
      journal,
      timing: process,
      logger,
      epoch: world.journal.epoch,
    });
    const { index, orderKeys } = world;
    if (process.around.profile.clocks !== undefined)
      this.#clocks = new ClockWatch({
        process,
        clock,
        view: this.view,
        index,
        orderKeys,
        threw: (error) => world.threw(error),
      });
    this.#doubts = new DoubtWatch(this.view, clock, DOUBT_WAIT_MS, logger);
  }

  /** Reason for which the liveness check would restart this process. */
  get brokenBecause(): string | undefined {
    // A partition that lost records stops for good, while the process continues with the others.
    return this.process.around.profile.anew === undefined ? this.view.stoppedBecause : undefined;
  }

  /** The first offset of a journal partition that its tail has not read; -1 before it has begun. */
  hasReadTo(partition: number): bigint {
    return this.#tails.get(partition)?.next ?? -1n;
  }

  /** Counts the fetches that were answered from another offset than requested. */
  strays(partition: number): number {
    return this.#tails.get(partition)?.strays ?? -1;
  }

  /** Starts the parts in the order of the service (`GatewayLifecycle`): the projector works while the view catches up. */
  async start(): Promise<void> {
    this.#startProjector();
    await this.#clocks?.untilAgreed();
    await this.#startJournal();
    this.#clocks?.start();
    this.#startTimers();
    this.#startConsumer();
  }

  #startProjector(): void {
    const { process, world } = this;
    new GroupClient(process, world.projectorGroup, journalSource(world), {
      assigned: (assignment) => this.#project(assignment),
      tail: this.#tail,
      onTaken: (way, records) => void (world.taken[way] += records),
    }).start();
    process.every(PROJECTOR_POLL_MS, 'looks at the index', () => void this.#projector.poll());
  }

  async #startJournal(): Promise<void> {
    const { process, world } = this;
    const { journal } = world;
    // The markers are read first: an end that is read later can only be higher.
    const marks = await this.#index.marks();
    const markers = new Map([...marks].map(([partition, { marker }]) => [partition, marker]));
    const hashes = new Map([...marks].flatMap(([partition, { hash }]) => (hash ? [[partition, hash] as const] : [])));
    const offsets = await process.request('journal offsets', () => journal.offsets());
    const from = await this.view.begin(offsets, markers, hashes);
    for (const [partition, offset] of from) this.#tail.begin(partition, offset);
    for (const [partition, offset] of from) this.#follow(partition, offset);
    while (this.view.behind > 0) await process.sleep(CATCH_UP_LOOK_MS);
    process.every(FORGET_MS, 'forgets', () => void this.#index.markers().then((markers) => this.view.forget(markers)));
  }

  #startTimers(): void {
    const { process, view, world, rulesVersion } = this;
    process.every(DOUBT_LOOK_MS, 'looks for doubts', () => void this.#lookForDoubts());
    const { keepsEveryMs } = process.around.profile.edges ?? {};
    if (keepsEveryMs === undefined) return;
    const keep = () => keepOne(process, view, world.orderKeys, rulesVersion);
    process.every(
      keepsEveryMs,
      'keeps an order',
      () => void keep().catch((error: unknown) => isBug(error) && world.threw(error)),
    );
  }

  #startConsumer(): void {
    const { process, world } = this;
    const pool = new KeyOrderedPool({ inFlight: 4, timers: timersOf(process) }, (task, slot) => this.#take(task, slot));
    new GroupClient(process, world.gatewayGroup, topicSource(world), {
      assigned: (assignment) => pool.workOn(assignment),
    }).start();
  }

  async #lookForDoubts(): Promise<void> {
    if (this.#lookingForDoubts) return;
    this.#lookingForDoubts = true;
    await this.#doubts.poll();
    this.#lookingForDoubts = false;
  }

  async #take(task: Task, slot: Slot): Promise<'done' | { hold: 'key'; ms: number }> {
    task.attempts++;
    try {
      if (task.record.topic === this.world.notifications.name) await this.#takeNotification(task.record);
      else await this.#takeCommand(task, slot);
      return 'done';
    } catch (error) {
      if (isBug(error)) this.world.threw(error);
      return { hold: 'key', ms: Math.min(200 * 2 ** task.attempts, 3_000) };
    }
  }

  async #takeNotification({ partition, offset }: ConsumedRecord): Promise<void> {
    const record = this.world.notifications.find(partition, offset)!;
    const at = new Date(this.#clock.nowMs()).toISOString();
    await this.view.append({ ...evidenceOf(record.carries, at), externalReference: record.carries.id });
  }

  async #takeCommand({ record: { topic, partition, offset }, assignment }: Task, slot: Slot): Promise<void> {
    const record = this.world.commands.get(topic)!.find(partition, offset)!;
    if (this.#clocks?.isApart === true) throw new NotNowError('the clocks are apart');
    this.#clocks?.taken(record.carries.commandId);
    const lease = {
      signal: assignment.signal,
      releaseSlotWhile: <T>(wait: () => Promise<T>) => slot.withoutSlot(wait),
    };
    if (await this.#isHeldBack(record, lease)) return;
    if (this.process.refusesCommands) return this.#refuse(record, lease);
    const end = await this.#executor.execute(executed(record.carries), lease);
    if (end === 'reused')
      await this.process.uncertain('publish payment.command.rejected', () => this.world.rejected(record));
  }

  /** Handles a command from before a resume as the service does. */
  async #isHeldBack(record: TopicRecord<SimulatedCommand>, lease: CommandLease): Promise<boolean> {
    const { carries } = record;
    const { resumes } = this.world;
    const made = { commandId: carries.commandId, timeMs: this.world.timeMs(record) };
    if (!resumes.isBefore(carries.orderKey, made)) return false;
    const ports = { journal: this.view, timing: this.#clock, newToken: this.#newToken };
    const answer = await answerKnownCommand(ports, carries, 'in_doubt', lease);
    if (answer === 'unknown') await this.process.uncertain('dead letter', () => this.world.heldBack(record));
    return answer !== 'reused';
  }

  /** Handles a command that its configuration refuses as the service does. */
  async #refuse(record: TopicRecord<SimulatedCommand>, lease: CommandLease): Promise<void> {
    const { process, view, world } = this;
    const wasKnown = world.isKnown(record.carries);
    const ports = { journal: view, timing: this.#clock, newToken: this.#newToken };
    const answer = await answerKnownCommand(ports, record.carries, CLOSED, lease);
    if (answer === 'answered') return;
    await process.uncertain('publish payment.command.rejected', () =>
      answer === 'reused' ? world.rejected(record) : world.refused(record, wasKnown),
    );
  }

  #project(assignment: Assignment): InOrderWork {
    const { partition, signal } = assignment;
    const projection = this.#projector.assign(partition, signal);
    const onBatch = (records: ConsumedRecord[]) => {
      const entries = records.map(({ key, offset, value }) => ({ key, offset, value }));
      return projection.project(entries).catch((error: unknown) => {
        if (isBug(error)) this.world.threw(error);
        throw error;
      });
    };
    const work = new InOrderWork(assignment, {
      maxBatchRecords: 4,
      onBatch,
      startOffset: (committed, low) => projection.startOffset(committed, low),
      timers: timersOf(this.process),
    });
    const before = this.#projectorRuns.get(partition) ?? Promise.resolve();
    this.#projectorRuns.set(
      partition,
      before.then(() => work.run()),
    );
    return work;
  }

  /** The process has one idempotent producer: batches that arrive, arrive in order. */
  #publish(events: CloudEvent<PaymentEvent>[]): Promise<void> {
    const { process, world } = this;
    const publishing = this.#published.then(() => process.uncertain('publish events', () => world.publish(events)));
    this.#published = publishing.catch(() => process.sleep(process.around.profile.slowMs + 1_600));
    return publishing;
  }

  /** A tail that refuses to begin ends the whole service, with all other partitions, so this must never happen (R11). */
  #begun<T>(begin: () => T): T {
    try {
      return begin();
    } catch (error) {
      this.world.threw(error);
      throw error;
    }
  }

  /** Reads every record of the journal in order, some time after it was appended. */
  #follow(partition: number, from: bigint): void {
    const { journal } = this.world;
    const onRecords = (landed: readonly Landed[]) => {
      this.view.take(partition, landed);
      this.#tail.add(partition, landed.map(asConsumed));
    };
    if (this.process.around.profile.anew !== undefined) {
      const onPlaced = (next: bigint) => this.view.placed(partition, next);
      const onFault = (fault: string) => this.view.stop(partition, fault);
      const onUnverified = (isUnverified: boolean) => {
        this.#projector.setUnverified(partition, isUnverified);
        if (!isUnverified) this.view.reached(partition);
      };
      const known = this.view.known.get(partition);
      const parts = {
        journal,
        process: this.process,
        partition,
        from,
        known,
        onPlaced,
        onRecords,
        onFault,
        onUnverified,
      };
      this.#tails.set(
        partition,
        this.#begun(() => new JournalTail(parts)),
      );
      return;
    }
    const known = this.view.known.get(partition);
    // Retention may have deleted records that the index covers since the ends were read; reading then begins after them.
    const { next: first } = this.#begun(() => {
      const ends = { low: journal.low(partition), high: journal.high(partition) };
      const position = TailPosition.placed(`journal/${partition}`, ends, { from, known }, 0);
      if (position.fault !== undefined || position.isBehind)
        throw new Error(`the tail can not begin at ${from}: ${position.fault ?? 'the log ends before it'}`);
      return position;
    });
    this.view.placed(partition, first);
    let next = first;
    let isComing = false;
    const fetch = () => {
      if (isComing || !this.process.isAlive || journal.high(partition) <= next) return;
      isComing = true;
      this.process.after(this.process.latencyMs(), `tail of ${partition}`, () => {
        isComing = false;
        const landed = journal.read(partition, next).slice(0, 8);
        const last = landed.at(-1);
        if (last) next = last.offset + 1n;
        onRecords(landed);
        if (last) fetch();
      });
    };
    journal.onLanded((landed) => landed.partition === partition && fetch());
    fetch();
  }
}

/** True for errors in the code, and not of the simulated environment. */
export const isBug = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;

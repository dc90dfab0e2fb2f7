import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import {
  KeyOrderedPool,
  WorkStanding,
  type Assignment,
  type ConsumedRecord,
  type PartitionWork,
  type Slot,
  type Task,
} from '@tranche/kafka';
import {
  AgreedClock,
  CommandExecutor,
  DoubtWatch,
  giveUpWith,
  journalPartition,
  OwnedJournal,
  PUT_IN_DOUBT,
  SEND_DEADLINE_MS,
  type CommandLease,
  type OrderIndex,
  type RulesVersion,
} from '@tranche/order-journal';
import { silentLog, type Log } from '@tranche/runtime';
import { runRetentionTimer } from './retention.js';
import { callsOf, executed, NotNowError, PLATFORM_TIMEOUT_MS, railGateOf, type ExecutedCommand } from './call.js';
import { ClockWatch, oneAtATime } from './clock-watch.js';
import { evidenceOf } from './evidence.js';
import { fetchSourceOf, JOURNAL } from './topics.js';
import { GroupClient, timersOf } from './group-client.js';
import { SimulatedFollower } from './journal-follower.js';
import type { PlatformRequest } from './platform.js';
import type { SimulatedProcess } from './process.js';
import type { CommandRecord } from './referee.js';
import { isBug } from './violations.js';
import type { World } from './world.js';

const DOUBT_LOOK_MS = 1_000;
const FORGET_MS = 2_500;
const INDEX_LOOK_MS = 2_000;
const OBSTACLES_LOOK_MS = 5_000;
const CLOSED = { path: 'merchant', code: 'unknown_merchant', message: 'is not configured' } as const;
/** Send deadline + platform time-out + grace. */
const DOUBT_WAIT_MS = SEND_DEADLINE_MS + PLATFORM_TIMEOUT_MS + 1_000;

/** One life of a gateway: the real code under test, wired as the service wires it. */
export class SimulatedGateway {
  readonly journal: OwnedJournal;
  readonly #follower: SimulatedFollower;
  readonly #executor: CommandExecutor<ExecutedCommand, PlatformRequest, never>;
  readonly #index: OrderIndex;
  readonly #doubts: DoubtWatch;
  readonly #clock: AgreedClock;
  readonly #clocks: ClockWatch | undefined;
  #published = Promise.resolve();
  #tokens = 0;
  readonly #standing = new WorkStanding();

  constructor(
    readonly process: SimulatedProcess,
    private readonly world: World,
    private readonly rulesVersion: RulesVersion,
  ) {
    // An attempt that is repeated for more than a minute is an outage of this world, or a pause; one without end leaves no rest.
    const error: Log['error'] = (fields, message) => void ('attempt' in fields || world.alarmed(message));
    const logger: Log = { ...silentLog, error };
    const clock = (this.#clock = new AgreedClock(process));
    this.#index = world.index.of(process);
    this.#follower = new SimulatedFollower(world.journal, process);
    this.journal = new SimulatedView({
      ...{ log: world.journal.appendsOf(process), index: this.#index, journal: world.journal.readerOf(process) },
      ...{ timing: process, logger, rulesVersion, epoch: () => world.journal.epoch, follower: this.#follower },
      events: { publish: (batch) => this.#publish(batch) },
      random: () => process.env.random.next(),
      bounds: (partition) => process.request('journal bounds', () => world.journal.offsets().get(partition)!),
    });
    const platform = callsOf(process, world.platform, () => `${process.name}#${++this.#tokens}`);
    const repeats = { republish: async (_: unknown, __: unknown, append: () => unknown) => void (await append()) };
    this.#executor = new CommandExecutor(this.journal, platform, { clock, rails: railGateOf(process), repeats });
    const { profile } = process.env;
    if (profile.clocks !== undefined || profile.days !== undefined)
      this.#clocks = new ClockWatch(process, clock, this.journal, world);
    this.#doubts = new DoubtWatch(this.journal, clock, DOUBT_WAIT_MS, logger);
  }

  /** The first offset of a journal partition that it follows and has not read; undefined for another partition. */
  nextOffset(partition: number): bigint | undefined {
    return this.#follower.nextOffset(partition);
  }

  /** Counts the fetches that were answered from another offset than requested. */
  unexpectedAnswers(partition: number): number {
    return this.#follower.unexpectedAnswers(partition);
  }

  /** Starts the parts in the order of the service (`GatewayLifecycle`): the journal, what runs on an interval, the groups. */
  async start(): Promise<void> {
    await this.#clocks?.untilAgreed();
    while (!(await this.#reachesIndex())) await this.process.sleep(OBSTACLES_LOOK_MS);
    this.#clocks?.start();
    const { process } = this;
    process.every(FORGET_MS, 'forgets', () => this.journal.owners.forEach((owner) => owner.forget()));
    process.every(INDEX_LOOK_MS, 'looks at the index', () => void this.#lookAtIndex().catch(() => undefined));
    this.#startTimers();
    this.#startConsumers();
  }

  /** Does what the service's gauges do. */
  async #lookAtIndex(): Promise<void> {
    for (const owner of this.journal.owners) {
      const { marker } = await this.#index.readTogether(owner.partition, []);
      owner.doubtIndex(marker);
    }
  }

  /** Does what `WorkObstacles` of the service does. */
  async #lookForObstacles(): Promise<void> {
    this.#standing.look(!(await this.#reachesIndex()), this.process.monotonicMs());
  }

  async #reachesIndex(): Promise<boolean> {
    if (this.process.env.profile.cut === undefined) return true;
    return this.#index.readTogether(0, []).then(
      () => true,
      () => false,
    );
  }

  #startTimers(): void {
    const { process, journal, world } = this;
    if (process.env.profile.cut !== undefined)
      process.every(OBSTACLES_LOOK_MS, 'looks for obstacles', () => void this.#lookForObstacles());
    process.every(
      DOUBT_LOOK_MS,
      'looks for doubts',
      oneAtATime(() => this.#doubts.poll()),
    );
    const { keepsEveryMs } = process.env.profile.edges ?? {};
    if (keepsEveryMs === undefined) return;
    const keep = () => runRetentionTimer(process, journal, world.plan.orderKeys);
    process.every(
      keepsEveryMs,
      'keeps an order',
      () => void keep().catch((error: unknown) => isBug(error) && world.threw(error)),
    );
  }

  #startConsumers(): void {
    const { process, world } = this;
    const newPool = () =>
      new KeyOrderedPool({ inFlight: 4, timers: timersOf(process) }, (task, slot) => this.#take(task, slot));
    const pool = newPool();
    new GroupClient(process, world.gatewayGroup, fetchSourceOf([...world.commands.values()], world.journal), {
      ownedTopic: JOURNAL,
      assigned: (assignment) => (assignment.topic === JOURNAL ? this.#own(assignment) : pool.workOn(assignment)),
      canWork: () => this.#standing.canWork,
    }).start();
    const noted = newPool();
    new GroupClient(process, world.notificationGroup, fetchSourceOf([world.notifications]), {
      assigned: (assignment) => noted.workOn(assignment),
    }).start();
  }

  /** Does what `PartitionOwners` of the service does. */
  #own(assignment: Assignment): PartitionWork {
    let progress = 0;
    const owner = this.journal.own(assignment.partition);
    const onProgress = () => {
      progress++;
      assignment.progress();
    };
    return {
      startOffset: (committed) => {
        owner.run(committed, onProgress).catch((error: unknown) => this.world.threw(error));
        return Promise.resolve(undefined);
      },
      begin: () => undefined,
      add: () => undefined,
      get changes() {
        return progress;
      },
      commitPoint: () => (owner.published === undefined ? undefined : { offset: owner.published, metadata: '' }),
      backlog: () => ({ records: 0, bytes: 0, span: 0 }),
      oldestSinceMs: undefined,
      settled: () => owner.settled(),
      end: () => owner.end(),
      left: () => this.journal.disown(owner),
    };
  }

  /** Does what `PartitionOwners` of the service does. */
  async #whenServing({ partition, signal }: Assignment): Promise<void> {
    const owner = this.journal.ownerOf(partition);
    await owner?.whenServing(signal);
    if (owner?.isServing !== true && !signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    signal.throwIfAborted();
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
    const { profile, random } = this.process.env;
    if (profile.days !== undefined) await this.process.sleep(random.between(0, profile.days.slowMs));
    const record = this.world.notifications.find(partition, offset)!;
    const at = new Date(this.#clock.nowMs()).toISOString();
    await this.journal.append({ ...evidenceOf(record.value, at), externalReference: record.value.id });
  }

  async #takeCommand({ record: { topic, partition, offset }, assignment }: Task, slot: Slot): Promise<void> {
    const record: CommandRecord = this.world.commands.get(topic)!.find(partition, offset)!;
    if (journalPartition(record.key) !== partition)
      return this.process.uncertain('forward', () => this.world.forwarded(record));
    if (this.journal.ownerOf(partition)?.isServing !== true)
      await slot.withoutSlot(() => this.#whenServing(assignment));
    if (this.#clocks?.isApart === true) throw new NotNowError('the clocks are apart');
    this.#clocks?.taken(record.value.commandId);
    const lease = {
      signal: assignment.signal,
      releaseSlotWhile: <T>(wait: () => Promise<T>) => slot.withoutSlot(wait),
    };
    if (await this.#isHeldBack(record, lease)) return;
    if (this.process.refusesCommands) return this.#refuse(record, lease);
    const end = await this.#executor.execute(executed(record.value), lease);
    if (end === 'reused')
      await this.process.uncertain('publish payment.command.rejected', () => void (record.isRejected = true));
  }

  /** Handles a command from before a resume as the service does. */
  async #isHeldBack(record: CommandRecord, lease: CommandLease): Promise<boolean> {
    const { value } = record;
    const made = { commandId: value.commandId, timeMs: this.world.timeMs(record) };
    if (!this.world.resumes.isBefore(value.orderKey, made)) return false;
    const answer = await this.#executor.answerKnown(value, PUT_IN_DOUBT, lease);
    if (answer === 'not_taken') await this.process.uncertain('dead letter', () => void (record.isHeldBack = true));
    return answer !== 'reused';
  }

  /** Handles a command that its configuration refuses as the service does. */
  async #refuse(record: CommandRecord, lease: CommandLease): Promise<void> {
    const { process, world } = this;
    const wasKnown = world.isKnown(record.value);
    const answer = await this.#executor.answerKnown(record.value, giveUpWith(CLOSED), lease);
    if (answer === 'done') return;
    await process.uncertain('publish payment.command.rejected', () => {
      if (answer === 'reused') record.isRejected = true;
      else world.refused(record, wasKnown);
    });
  }

  /** The process has one idempotent producer: batches that arrive, arrive in order. */
  #publish(events: CloudEvent<PaymentEvent>[]): Promise<void> {
    const { process, world } = this;
    const publishing = this.#published.then(() =>
      process.uncertain('publish events', () => world.referee.publishedEvents(events)),
    );
    this.#published = publishing.catch(() => process.sleep(process.env.profile.slowMs + 1_600));
    return publishing;
  }
}

/** A command whose order cannot be read is retried after a pause. Another pause would change the worlds of all known seeds. */
class SimulatedView extends OwnedJournal {
  override stoppedFor(): string {
    return 'the pool tries again';
  }
}

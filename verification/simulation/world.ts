import { RAILS, type Rail } from '@tranche/contracts';
import { isFollowUp } from './call.js';
import { drawPlan, type Plan, type PlannedCommand, type SimulatedCommand } from './commands.js';
import { SimulatedGroup } from './consumer-group.js';
import { madeElsewhere } from './evidence.js';
import { JOURNAL } from './topics.js';
import { SimulatedJournal, type Landed } from './journal.js';
import { SimulatedIndex } from './order-index.js';
import { SimulatedPlatform, type LedgerEntry, type SimulatedNotification } from './platform.js';
import { EPOCH_MS, type Environment } from './process.js';
import { Retention } from './retention.js';
import { Referee, type CommandRecord } from './referee.js';
import { hashOf, SimulatedTopic } from './topics.js';
import { decodeFinished, type CommitPoint } from '@tranche/kafka';
import {
  commandHash,
  findOperation,
  isOpen,
  journalPartition,
  lostAttempt,
  recordHash,
  recordsAfterLoss,
  recordWriter,
  ResumeList,
  RULES_VERSION,
  SkipList,
  timersOf,
  type OperationState,
  type OrderState,
} from '@tranche/order-journal';

const NOTIFICATION_PARTITIONS = [0, 1];
/** As in `tranche journal resume`: no log reaches it, so the partition stays stopped until the last step. */
const BEYOND_EVERY_LOG = 1n << 62n;
export const RESUME_STEPS = 6;
/** Share of worlds in which the shop publishes with another partitioner. */
const OTHER_PARTITIONER = 0.25;
const topicOf = (rail: Rail): string => `commands.${rail}`;

/** Everything but the gateways: logs, index, platform, groups, the shop that publishes commands, and the referee. */
export class World {
  readonly plan: Plan;
  readonly referee: Referee;
  readonly retention = new Retention();
  readonly journal: SimulatedJournal;
  readonly index: SimulatedIndex;
  readonly platform: SimulatedPlatform;
  readonly commands: ReadonlyMap<string, SimulatedTopic<SimulatedCommand>>;
  readonly notifications: SimulatedTopic<SimulatedNotification & { id: string }>;
  readonly gatewayGroup: SimulatedGroup;
  readonly notificationGroup: SimulatedGroup;
  /** Resumes of partitions that lost records. */
  readonly resumes = new ResumeList();
  /** `ORDER COMMAND/ATTEMPT` of operations between two attempts that the resume of their partition could not put in doubt. */
  readonly #leftIdle = new Set<string>();
  #unpublished: number;
  readonly #isOtherPartitioner: boolean;
  #notifications = 0;
  /** Time by which every gateway's clock has passed the acknowledgement of a notification, by its id. */
  readonly #notifiedMs = new Map<string, number>();
  #resumes = 0;
  #stopsAt: number | undefined;

  constructor(readonly env: Environment) {
    const { random, profile, scheduler } = env;
    this.plan = drawPlan(random, profile.troubleMs);
    this.#unpublished = this.plan.commands.length;
    const journal = (this.journal = new SimulatedJournal(env));
    for (const key of this.plan.orderKeys) journal.open(journalPartition(key));
    const platform = (this.platform = new SimulatedPlatform(env, (notification, delayMs) =>
      this.#notify(notification, delayMs),
    ));
    platform.onExecuted((entry) => this.referee.executed(entry));
    this.referee = new Referee({
      nowMs: () => scheduler.nowMs,
      platform,
      hasPages: () => env.stoppedMs === 0 && profile.clockJump === 0,
    });
    journal.onLanded((landed) => {
      this.retention.landed(landed, this.referee.order(landed.key));
      const before = this.referee.order(landed.key);
      this.referee.landed(landed);
      if (profile.days !== undefined) this.#judgeTimer(landed, before);
    });
    const numbers = [...journal.partitions.keys()];
    const apart = random.fork();
    this.#isOtherPartitioner = numbers.length > 1 && apart.chance(OTHER_PARTITIONER);
    const topics = RAILS.map(
      (rail) => new SimulatedTopic<SimulatedCommand>(env, topicOf(rail), numbers, journalPartition),
    );
    this.commands = new Map(topics.map((topic) => [topic.name, topic]));
    this.notifications = new SimulatedTopic(
      env,
      'notifications',
      NOTIFICATION_PARTITIONS,
      (key) => hashOf(key) % NOTIFICATION_PARTITIONS.length,
    );
    const owned = [...this.commands.keys(), JOURNAL].flatMap((topic) =>
      numbers.map((partition) => ({ topic, partition })),
    );
    const noted = NOTIFICATION_PARTITIONS.map((partition) => ({ topic: this.notifications.name, partition }));
    this.index = new SimulatedIndex(env);
    const onCommit = (point: CommitPoint, isOwn: boolean) => this.#committed(point, isOwn);
    this.gatewayGroup = new SimulatedGroup(env, 'gateway', owned, onCommit);
    this.notificationGroup = new SimulatedGroup(env, 'notifications', noted, onCommit);
  }

  /** Schedules the shop's commands, and sometimes an external capture before them. */
  start(): void {
    const { random, profile } = this.env;
    const { externalsFirst = 0 } = profile.edges ?? {};
    const apart = random.fork();
    const at = new Date(EPOCH_MS).toISOString();
    for (const key of externalsFirst > 0 ? this.plan.orderKeys : [])
      if (apart.chance(externalsFirst)) this.journal.land(madeElsewhere(key, at));
    for (const planned of this.plan.commands) {
      this.env.scheduler.after(planned.atMs, `the shop publishes ${planned.command.commandId}`, () =>
        this.#publish(planned),
      );
    }
  }

  /** Retention deletes the journal's beginning; the index is lost, or an older copy of it is put back, so it is rebuilt from the rest. */
  cut(): void {
    const { journal, gatewayGroup, index } = this;
    // No order needs the deleted records, and their events are published.
    for (const partition of journal.partitions.keys()) {
      const published = gatewayGroup.lowestCommitted({ topic: JOURNAL, partition });
      journal.cut(partition, this.retention.firstNeeded(partition, published));
    }
    if (this.env.random.chance(0.5)) index.restoreOlder();
    else index.flush();
  }

  /** Moves the journal to another cluster, which has no index yet. All processes must be stopped. */
  move(first: bigint): void {
    const { journal, gatewayGroup, index } = this;
    const renamed = journal.move(first);
    gatewayGroup.moveTo(JOURNAL, renamed);
    this.retention.moved(renamed);
    this.referee.moved([...journal.partitions.values()].flat(), renamed);
    index.flush();
  }

  /** Owners must stop this partition. */
  stopsAt(partition: number): void {
    this.#stopsAt = partition;
  }

  /** Does what `tranche journal skip` does. All processes must be stopped. */
  skip(partition: number, offset: bigint): void {
    const { journal } = this;
    const [{ value }] = journal.read(partition, offset) as [Landed];
    const skipped = new SkipList();
    skipped.add(recordHash(value));
    this.referee.landed(journal.skip(partition, offset, (landed) => skipped.substitute(landed)));
  }

  lose(partition: number, from: bigint): void {
    const { journal } = this;
    this.referee.losing(partition, from, journal.read(partition, 0n));
    journal.lose(partition, from);
  }

  /**
   * Does what `tranche journal resume` does. All processes must be stopped.
   * @param steps after how many steps it is interrupted
   */
  async resume(partition: number, steps = RESUME_STEPS): Promise<void> {
    const { journal, gatewayGroup, index, resumes } = this;
    const at = new Date(Math.ceil(this.env.scheduler.nowMs)).toISOString();
    const id = `resume ${++this.#resumes}`;
    // Copies whose age is known without them are left out: retention may have deleted any of them.
    const copies = [...this.commands.values()].flatMap(({ records }) => [...records.values()].flat());
    const noted = copies.map(({ value }) => value).filter((command) => !keepsTime(command));
    const commands = noted.map(({ orderKey, commandId }) => commandHash(orderKey, commandId));
    const all: (() => void | Promise<void>)[] = [
      () => gatewayGroup.resetTo({ topic: JOURNAL, partition }, BEYOND_EVERY_LOG),
      () => {
        resumes.add({ id, at, partitions: [partition], commands });
        journal.epoch++;
      },
      () => this.#doubtLostAttempts(partition, id, at),
      () => index.drop(partition),
      () => this.#readNotificationsAgain(),
      () => gatewayGroup.resetTo({ topic: JOURNAL, partition }, 0n),
    ];
    for (const step of all.slice(0, steps)) await step();
    if (steps < RESUME_STEPS) return;
    this.referee.resumed();
    for (const [key, order] of this.referee.orders)
      for (const one of order.operations)
        if (one.phase === 'idle' && this.#isBeyondDoubt(key, order, one))
          this.#leftIdle.add(`${key} ${one.commandId}/${one.attempt}`);
  }

  #readNotificationsAgain(): void {
    const { notificationGroup, notifications } = this;
    for (const partition of NOTIFICATION_PARTITIONS)
      notificationGroup.resetTo({ topic: notifications.name, partition }, 0n);
    this.referee.lost.isReadAgain = true;
  }

  async #doubtLostAttempts(partition: number, id: string, at: string): Promise<void> {
    const { journal } = this;
    const range = { partition, from: 0n, until: journal.high(partition) };
    let tokens = 0;
    const written = { at, newToken: () => `${id}#${++tokens}` };
    const reader = { read: (_partition: number, from: bigint) => oneByOne(journal.read(partition, from)) };
    for (const record of await recordsAfterLoss(reader, range, written))
      journal.land(recordWriter(RULES_VERSION)(record));
  }

  get isAtRest(): boolean {
    return this.unfinished().next().done === true;
  }

  /** Everything that must happen yet. */
  *unfinished(): Generator<string> {
    const { journal, index, referee, env } = this;
    if (this.#unpublished > 0) yield `${this.#unpublished} commands are not published`;
    if (env.scheduler.loose > 0) yield 'requests are on their way';
    for (const record of referee.commands)
      if (!referee.isFinished(record)) yield `command ${record.value.commandId} neither ended nor is in doubt`;
    for (const [partition, landed] of journal.partitions) {
      const last = landed.at(-1)?.offset;
      const marker = index.markers.get(partition);
      if (last !== undefined && marker !== last)
        yield `the index is at ${marker} of partition ${partition}, which ends with ${last}`;
    }
    for (const [key, order] of referee.orders)
      for (const one of order.operations)
        if (isOpen(one) || (one.phase === 'idle' && !this.#isLeftIdle(key, order, one)))
          yield `${one.commandId} is ${one.phase}`;
    for (const { value } of [...this.notifications.records.values()].flat())
      if (!referee.evidenced.has(value.id)) yield `notification ${value.id} became no evidence`;
    for (const [key, order] of env.profile.days ? referee.orders : [])
      if (timersOf(order).some(({ atMs }) => atMs < this.#nowMs)) yield `a timer of ${key} is due`;
    yield* this.#uncommitted();
  }

  *#uncommitted(): Generator<string> {
    // A late commit may still move the committed offset back: records would then be redelivered.
    if (this.env.profile.appendLost > 0) return;
    const { gatewayGroup, notificationGroup, notifications, commands } = this;
    for (const { name: topic, records } of [...commands.values(), notifications])
      for (const [partition, all] of records) {
        const group = topic === notifications.name ? notificationGroup : gatewayGroup;
        const last = all.at(-1)?.offset;
        if (last !== undefined && (group.committed({ topic, partition })?.offset ?? -1n) <= last)
          yield `${topic}/${partition} is not committed up to ${last}`;
      }
  }

  /**
   * True if no process will send the next attempt. Either the command was reported as rejected before its INTENT arrived
   * (docs/decisions/0001); or that attempt may be lost and the kept records do not allow IN_DOUBT, now or at the resume. People find the
   * latter by the dead letter of its command.
   */
  #isLeftIdle(key: string, order: OrderState, operation: OperationState): boolean {
    const copies = this.referee.commands.filter(
      ({ value, isForwarded }) => !isForwarded && value.commandId === operation.commandId,
    );
    if (copies.length > 0 && copies.every(({ isRefused }) => isRefused)) return true;
    return (
      this.#leftIdle.has(`${key} ${operation.commandId}/${operation.attempt}`) ||
      this.#isBeyondDoubt(key, order, operation)
    );
  }

  /** True if the next attempt may be lost, but the kept records do not allow IN_DOUBT. */
  #isBeyondDoubt(key: string, order: OrderState, operation: OperationState): boolean {
    const written = { at: new Date(0).toISOString(), newToken: () => 'asked' };
    return this.referee.lost.has(key) && lostAttempt(order, operation, written) === undefined;
  }

  get #nowMs(): number {
    const { scheduler, stoppedMs } = this.env;
    return EPOCH_MS + stoppedMs + scheduler.nowMs;
  }

  intentOf(key: string, token: string | undefined): Landed | undefined {
    return this.journal.partitions
      .get(journalPartition(key))
      ?.find(({ record }) => record.record === 'INTENT' && record.token === token);
  }

  #publish({ command, namesReference }: PlannedCommand): void {
    const topic = this.commands.get(topicOf(command.rail))!;
    const transactionId = namesReference ? this.#reported(command) : undefined;
    const carried = transactionId === undefined ? command : { ...command, transactionId };
    const { partitions } = topic;
    const to = this.#isOtherPartitioner ? partitions[hashOf(command.orderKey) % partitions.length] : undefined;
    this.referee.commands.push(topic.land(command.orderKey, carried, to));
    this.#unpublished--;
  }

  /** The shop sends once more what two people said was not executed. */
  sendAgain(commandId: string): void {
    const sent = this.#published({ commandId })?.value;
    if (sent === undefined) return;
    const ids = { commandId: `${commandId}-again`, contentHash: `${sent.contentHash}-again` };
    this.#publishNow({ ...sent, ...ids });
  }

  /** The shop, which heard nothing of the money that was given back, refunds as much as was left before. */
  refund({ request: { by, operation: paid }, transactionId }: LedgerEntry, amount: number): void {
    const sent = this.#published(by)?.value;
    if (sent === undefined || (paid !== 'capture' && paid !== 'pay')) return;
    const commandId = `${by.commandId}-refund-${this.referee.commands.length}`;
    const terms = { commandId, contentHash: commandId, operation: 'refund', amount, transactionId } as const;
    const { supersedes: _none, ...command } = sent;
    this.#publishNow({ ...command, ...terms });
  }

  #publishNow(command: SimulatedCommand): void {
    this.#unpublished++;
    this.#publish({ atMs: this.env.scheduler.nowMs, command, namesReference: false });
  }

  /** A command that lay on another number than its order's is on its own, once more. */
  forwarded(record: CommandRecord): void {
    record.isForwarded = true;
    this.referee.commands.push(this.commands.get(record.topic)!.land(record.key, record.value));
  }

  /** True if the journal has the command by now, no matter who has read it. */
  isKnown({ orderKey, commandId }: SimulatedCommand): boolean {
    return findOperation(this.referee.order(orderKey), commandId) !== undefined;
  }

  /** Virtual milliseconds of the command's creation. In half of the orders a repeat has a new time. */
  timeMs({ value, atMs }: CommandRecord): number {
    return keepsTime(value) ? this.#published(value)!.atMs : atMs;
  }

  /** The first record of a command. */
  #published({ commandId }: Pick<SimulatedCommand, 'commandId'>): CommandRecord | undefined {
    return this.referee.commands.find(({ value }) => value.commandId === commandId);
  }

  /** Product code logged an error: it has detected a fault. */
  alarmed(message: string): void {
    const stopped = [this.referee.lost.partition, this.#stopsAt];
    if (!stopped.some((partition) => message.startsWith(`Journal partition ${partition} is stopped`)))
      this.referee.report('indexWrong', message);
  }

  threw(error: unknown): void {
    this.referee.report('threw', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }

  /** Returns the TRANSACTIONID that the shop read in an event. */
  #reported({ operation, orderKey }: SimulatedCommand): string | undefined {
    if (!isFollowUp(operation)) return undefined;
    const kinds = operation === 'refund' && !this.#isRefundOfAuthorization() ? ['capture', 'pay'] : ['authorize'];
    const published = this.referee.expected.filter(
      ({ event }) =>
        event.subject === orderKey &&
        this.referee.published.has(event.id) &&
        kinds.includes(event.data.operation ?? '') &&
        (event.type.endsWith('.succeeded') || event.data.outcome === 'succeeded'),
    );
    return published.at(-1)?.event.data.transactionId;
  }

  #isRefundOfAuthorization(): boolean {
    const { profile, random } = this.env;
    return profile.edges !== undefined && random.chance(profile.edges.refundOfAuthorization ?? 0);
  }

  /**
   * The configuration refuses a command and it is reported as unknown. A command that the journal had when it came must not be in the journal any
   * more: its order's state was deleted meanwhile.
   */
  refused(record: CommandRecord, wasKnown: boolean): void {
    if (wasKnown && this.isKnown(record.value))
      this.referee.report(
        'wrongOutcome',
        `${record.value.commandId} is told rejected, and the journal had it when it came`,
      );
    record.isRefused = true;
  }

  /** A timer may end a payment only if all notifications that were acknowledged before that time are in the journal. */
  #judgeTimer({ key, record }: Landed, before: OrderState): void {
    if (record.record !== 'EXPIRED') return;
    const waited = findOperation(before, record.commandId)!;
    const operation = findOperation(this.referee.order(key), record.commandId)!;
    if (operation.phase === waited.phase) return;
    this.platform.endedByTimer(key, operation);
    const { atMs: endMs } = timersOf(before).find(
      ({ timer, commandId }) => timer === 'expiry' && commandId === record.commandId,
    )!;
    const unread = [...this.notifications.records.values()]
      .flat()
      .find(
        ({ value: { id, orderKey } }) =>
          orderKey === key && this.#notifiedMs.get(id)! < endMs && !this.referee.evidenced.has(id),
      );
    if (unread)
      this.referee.report(
        'wrongOutcome',
        `${record.commandId} is ended as expired, and ${unread.value.id} was acknowledged before`,
      );
  }

  #notify(notification: SimulatedNotification, delayMs: number): void {
    const id = `n${++this.#notifications}`;
    this.env.scheduler.after(delayMs, `notification ${id} ${notification.operation} ${notification.execCode}`, () => {
      this.notifications.land(notification.orderKey, { ...notification, id });
      // A gateway's clock may be behind by as much as they differ.
      this.#notifiedMs.set(id, this.#nowMs + this.env.profile.clockSkewMs);
    });
  }

  #committed({ topic, partition, offset, metadata }: CommitPoint, isOwn: boolean): void {
    const { referee } = this;
    if (!isOwn)
      referee.report(
        'foreignCommit',
        `${offset} of ${topic}/${partition} was committed by a member that does not hold it`,
      );
    if (topic === JOURNAL) return referee.projected(partition, offset);
    const finished = decodeFinished(offset, metadata);
    const records =
      topic === this.notifications.name
        ? this.notifications.records.get(partition)!.map(({ offset: at, value }) => ({
            offset: at,
            // Evidence that was lost is read again after the resume, which sets this commit back.
            isFinished: () =>
              referee.evidenced.has(value.id) || (referee.lost.has(value.orderKey) && !referee.lost.isReadAgain),
            name: `notification ${value.id}`,
          }))
        : referee.commands
            .filter((record) => record.topic === topic && record.partition === partition)
            .map((record) => ({
              offset: record.offset,
              isFinished: () => referee.isFinished(record),
              name: record.value.commandId,
            }));
    referee.committed(records, offset, finished);
  }
}

/** In half of the orders, a repeated command keeps its time, or has it in its id. In the others a repeat has a new time. */
const keepsTime = ({ orderId }: SimulatedCommand): boolean => Number(orderId.slice(1)) % 2 === 0;

async function* oneByOne(landed: readonly Landed[]): AsyncGenerator<readonly Landed[]> {
  for (const one of landed) yield [one];
  await Promise.resolve();
}

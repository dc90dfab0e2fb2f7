import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import {
  conflictsOf,
  emptyOrder,
  findOperation,
  fold,
  hasContent,
  isInDoubt,
  journalPartition,
  RULES_VERSION,
  standingOf,
  toCloudEvent,
  type Effect,
  type EvidenceRecord,
  type JournalRecord,
  type OperationState,
  type OrderState,
  type Settled,
} from '@tranche/order-journal';
import { MERCHANT, type SimulatedCommand } from './commands.js';
import { orderIdOf } from './evidence.js';
import type { Landed } from './journal.js';
import { brokenGuard } from './ledger-guards.js';
import type { LedgerEntry, SimulatedPlatform } from './platform.js';
import type { TopicRecord } from './topics.js';
import type { Violation, ViolationKind } from './violations.js';

export interface CommandRecord extends TopicRecord<SimulatedCommand> {
  /** `payment.command.rejected` was published for this record because its id has another content. */
  isRejected?: boolean;
  /** `payment.command.rejected` was published because the configuration refused it. */
  isRefused?: boolean;
  /** The command became a dead letter: it was published before a partition that lost records was resumed, and they may have executed it. */
  isHeldBack?: boolean;
  /** It lay on another number than its order's, and a copy was published to that one. */
  isForwarded?: boolean;
}

/** States to which a record may move an operation; any other move would go back. */
const ONWARD: Readonly<Record<OperationState['phase'], readonly OperationState['phase'][]>> = {
  idle: ['open', 'ended', 'redirect_required', 'pending'],
  open: ['idle', 'ended', 'redirect_required', 'pending', 'in_doubt'],
  in_doubt: ['ended', 'redirect_required', 'pending'],
  redirect_required: ['ended', 'pending'],
  pending: ['ended'],
  ended: [],
};

/** The referee's notes about a journal partition that lost records. Most worlds have none. */
class LostRecords {
  partition: number | undefined;
  /** The loss took so many records. */
  records = 0;
  /** The partition held these orders until then. */
  readonly before = new Map<string, OrderState>();
  /** Virtual time at which two people decided to resume the partition. */
  resumedMs = Infinity;
  /** The notifications of the partition are to be read again from their topic. */
  isReadAgain = false;
  /** Commands with a record in the partition before its resume: their result may be lost. */
  readonly begun = new Set<string>();
  /** Events of lost records; some were published before the loss. */
  readonly events = new Set<string>();

  has(key: string): boolean {
    return this.partition !== undefined && journalPartition(key) === this.partition;
  }

  get isResumed(): boolean {
    return this.resumedMs < Infinity;
  }

  noteBegun(record: JournalRecord): void {
    if ('commandId' in record && record.commandId !== undefined) this.begun.add(record.commandId);
  }
}

interface Published {
  content: string;
  count: number;
}

/** Sees the journal as it grows, the ledger, all events and all commits, and reports violations. */
export class Referee {
  readonly violations: Violation[] = [];
  readonly orders = new Map<string, OrderState>();
  readonly published = new Map<string, Published>();
  readonly evidenced = new Set<string>();
  /** Events that the journal requires, in its order; a repeat raises `times` of the same id. */
  readonly expected: { event: CloudEvent<PaymentEvent>; partition: number; offset: bigint; times: number }[] = [];
  readonly commands: CommandRecord[] = [];
  /** `ORDER COMMAND` of redirect pages that were published. */
  readonly shown = new Set<string>();
  /** `ORDER TRANSACTIONID` of payments whose void ended, with its offset: it was granted when their success was in the journal. */
  readonly cancelled = new Map<string, bigint>();
  /** `ORDER COMMAND` of operations, with the order when the newest attempt was granted. */
  readonly #granted = new Map<string, OrderState>();
  /** Money that people stated as given back, with the offset of their statement. */
  readonly #repairs: { key: string; transactionId: string; amount: number; offset: bigint }[] = [];
  readonly #expectedById = new Map<string, { times: number }>();
  readonly #lastSequence = new Map<string, string>();
  readonly #finals = new Map<string, string>();
  #isMoved = false;
  readonly lost = new LostRecords();

  constructor(
    private readonly seen: {
      nowMs: () => number;
      platform: Pick<SimulatedPlatform, 'ledger' | 'byHand'>;
      /** False where pages of redirects may be older, by the date of a gateway, than the day for which they are kept. */
      hasPages: () => boolean;
    },
  ) {}

  report(kind: ViolationKind, detail: string): void {
    this.violations.push({ kind, detail, atMs: this.seen.nowMs() });
  }

  order(key: string): OrderState {
    return this.orders.get(key) ?? emptyOrder(MERCHANT, orderIdOf(key));
  }

  landed(landed: Landed): void {
    const { key, record, offset } = landed;
    if (this.lost.has(key) && !this.lost.isResumed) this.lost.noteBegun(record);
    const before = this.order(key);
    const effects = this.#fold(landed);
    const order = this.order(key);
    this.#compareVersions(before, record, order);
    this.#noteGranted(key, before, order, offset);
    if (record.record === 'SETTLED') this.#judgeSettled(key, record, before, order, offset);
    else
      for (const operation of order.operations)
        this.#compare(findOperation(before, operation.commandId), operation, key);
    for (const { event } of effects)
      if (event.body.redirectHtml !== undefined) this.#mayBeShown(event.body.commandId, before);
  }

  #fold({ key, record, offset, partition }: Landed): readonly Effect[] {
    const { order, effects } = fold(this.order(key), record, offset);
    this.orders.set(key, order);
    if (isOfNotification(record)) this.evidenced.add(record.externalReference);
    this.#expect(order, effects, partition, offset);
    return effects;
  }

  /** The highest version of an order's records holds; asked of the records, not of the fold (R9). */
  #compareVersions(
    { rulesVersion: before = RULES_VERSION }: OrderState,
    record: JournalRecord,
    order: OrderState,
  ): void {
    const isKept = record.record !== 'SNAPSHOT' && record.record !== 'TOMBSTONE';
    const { rulesVersion: after = RULES_VERSION } = order;
    if (isKept && after < Math.max(before, record.rulesVersion))
      this.report(
        'wentBack',
        `${order.orderId} is judged by version ${after} after ${before} and ${record.rulesVersion}`,
      );
  }

  /** Two people, who saw the order as it is: else nothing may count; asked of the record and the order before it, not of the fold. */
  #judgeSettled(key: string, record: Settled, before: OrderState, after: OrderState, offset: bigint): void {
    const { conflict, actor, approvedBy, seen, outcome, transactionId, amount } = record;
    const isShown = (order: OrderState) => conflictsOf(order).some(({ id }) => id === conflict);
    const isRight = isShown(before) && actor !== approvedBy && standingOf(before) === seen;
    const counts = isShown(before) && !isShown(after);
    if (counts && !isRight) this.report('wrongOutcome', `conflict ${conflict} was settled by ${approvedBy} on ${seen}`);
    if (isRight && !counts) this.report('lost', `conflict ${conflict} was settled by two people, and is shown still`);
    const isPublished = JSON.stringify(after.operations) !== JSON.stringify(before.operations);
    if (!isRight && isPublished) this.report('wrongOutcome', `the order changed by a void settlement of ${conflict}`);
    if (isRight && outcome === 'repaired')
      this.#repairs.push({ key, transactionId: transactionId!, amount: amount!, offset });
  }

  /** Minor units that people stated as given back of a transaction, before this state of its order. */
  givenBack(key: string, transactionId: string, { lastOffset } = this.order(key)): number {
    return this.#repairs
      .filter((one) => one.key === key && one.transactionId === transactionId && one.offset <= BigInt(lastOffset))
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  #expect(order: OrderState, effects: readonly Effect[], partition: number, offset: bigint): void {
    for (const { event } of effects) {
      const cloudEvent = toCloudEvent(order, event);
      const known = this.#expectedById.get(cloudEvent.id);
      if (known) known.times++;
      else {
        const expected = { event: cloudEvent, partition, offset, times: 1 };
        this.expected.push(expected);
        this.#expectedById.set(cloudEvent.id, expected);
      }
    }
  }

  /** Offsets have changed; the same records must give the same orders. */
  moved(all: readonly Landed[], renamed: (partition: number, offset: bigint) => bigint): void {
    this.orders.clear();
    for (const { key, record, offset } of all) this.orders.set(key, fold(this.order(key), record, offset).order);
    for (const expected of this.expected) expected.offset = renamed(expected.partition, expected.offset);
    this.#isMoved = true;
    this.cancelled.clear();
  }

  #noteGranted(key: string, before: OrderState, { operations }: OrderState, offset: bigint): void {
    for (const { operation, commandId, reference, phase, end } of operations) {
      const known = findOperation(before, commandId);
      const name = `${key} ${commandId}`;
      if (phase === known?.phase) continue;
      if (phase === 'open') this.#granted.set(name, before);
      if (operation !== 'void' || reference === undefined || end !== 'succeeded') continue;
      const target = this.#granted.get(name)?.operations.find(({ transactionId }) => transactionId === reference);
      if (target?.end === 'succeeded') this.cancelled.set(`${key} ${reference}`, offset);
    }
  }

  /** A partition loses its end: its orders are folded from the kept records. Published events and finished commands stay so. */
  losing(partition: number, from: bigint, all: readonly Landed[]): void {
    this.lost.partition = partition;
    this.lost.records = all.filter(({ offset }) => offset >= from).length;
    for (const [key, order] of this.orders) if (this.lost.has(key)) this.lost.before.set(key, order);
    for (const { record } of all) this.lost.noteBegun(record);
    for (const { record } of all) if (isOfNotification(record)) this.evidenced.delete(record.externalReference);
    for (const key of [...this.orders.keys()].filter((key) => this.lost.has(key))) this.orders.delete(key);
    for (const { event } of this.expected.filter((one) => one.partition === partition)) {
      this.#expectedById.delete(event.id);
      this.lost.events.add(event.id);
    }
    this.expected.splice(0, this.expected.length, ...this.expected.filter((one) => one.partition !== partition));
    for (const landed of all.filter(({ offset }) => offset < from)) this.#fold(landed);
    for (const operation of [...this.#finals.keys()].filter((name) => this.lost.has(name.split(' ')[0]!)))
      this.#finals.delete(operation);
  }

  /** The partition that lost records is resumed; from now on nothing may be sent that the lost records may have executed. */
  resumed(): void {
    this.lost.resumedMs = this.seen.nowMs();
  }

  executed(entry: LedgerEntry): void {
    const { orderKey, by } = entry.request;
    if (this.lost.has(orderKey) && (by.preparedMs ?? 0) >= this.lost.resumedMs && this.#isOfBefore(by.commandId))
      this.report('continuedAfterLoss', `${by.commandId} was sent after the resume`);
    const { platform } = this.seen;
    const times = platform.ledger.filter(
      ({ request }) => request.orderKey === orderKey && request.by.commandId === by.commandId,
    ).length;
    if (times > 1) this.report('executedTwice', `${by.commandId} was executed ${times} times`);
    const granted = this.#granted.get(`${orderKey} ${by.commandId}`);
    const guard = brokenGuard(entry, platform, this.orders.get(orderKey), granted, (id) =>
      this.givenBack(orderKey, id, granted),
    );
    // After a resume the gateway does not know all operations of these orders, so only the platform's own limits apply (docs/operate/runbook.md).
    const isUnknown = this.lost.has(orderKey) && this.lost.isResumed;
    if (guard !== undefined && !isUnknown) this.report('guardBroken', guard);
  }

  #isOfBefore(commandId: string): boolean {
    return this.commands.some(({ value, atMs }) => value.commandId === commandId && atMs < this.lost.resumedMs);
  }

  publishedEvents(events: readonly CloudEvent<PaymentEvent>[]): void {
    for (const event of events) {
      const { subject: key = '' } = event;
      const isKept = this.#isMoved || this.lost.partition !== undefined || this.order(key).snapshotAt !== undefined;
      if (event.data.redirectHtml !== undefined) this.shown.add(`${event.subject} ${event.data.commandId}`);
      const content = JSON.stringify(event);
      const known = this.published.get(event.id);
      if (known) {
        known.count++;
        const compared = isKept ? essenceOf : this.seen.hasPages() ? (text: string) => fieldsOf(text) : withoutPage;
        if (compared(known.content) !== compared(content))
          this.report('eventsBroken', `event ${event.type} ${event.id} changed: ${known.content} → ${content}`);
        continue;
      }
      this.published.set(event.id, { content, count: 1 });
      if (event.sequence === undefined) continue;
      const { subject = '', sequence } = event;
      if (sequence < (this.#lastSequence.get(subject) ?? ''))
        this.report('eventsBroken', `${event.type} of ${subject} is first seen behind a later event`);
      this.#lastSequence.set(subject, sequence);
      this.#keepFinal(event);
    }
  }

  /** Partitions were moved and nothing else failed: each owner drained before the next one began. */
  judgeOrderlyMoves(): void {
    for (const { event, times } of this.expected) {
      const count = this.published.get(event.id)?.count ?? 0;
      if (count > times)
        this.report('notDrained', `${event.type} ${event.id} was published ${count} times, not ${times}`);
    }
    for (const { operations } of this.orders.values())
      for (const one of operations) if (isInDoubt(one)) this.report('notDrained', `${one.commandId} is in doubt`);
  }

  /** Checks a commit of a command or notification partition; `finished` lists finished offsets above `offset`. */
  committed(
    records: readonly { offset: bigint; isFinished(): boolean; name: string }[],
    offset: bigint,
    finished: ReadonlySet<bigint>,
  ): void {
    for (const record of records) {
      const isSaidFinished = record.offset < offset || finished.has(record.offset);
      if (isSaidFinished && !record.isFinished())
        this.report('frontierPassed', `${record.name} at ${record.offset} is committed and not finished`);
    }
  }

  /** Checks the owner's commit: all events below it must be published. */
  projected(partition: number, offset: bigint): void {
    if (partition === this.lost.partition && !this.lost.isResumed) return;
    const missing = this.expected.find(
      (one) => one.partition === partition && one.offset < offset && !this.published.has(one.event.id),
    );
    if (missing)
      this.report(
        'frontierPassed',
        `the owner committed ${offset} of ${partition} without ${missing.event.type} of ${missing.offset}`,
      );
  }

  isFinished({ value, isRejected, isRefused, isHeldBack, isForwarded }: CommandRecord): boolean {
    if (isForwarded === true || isRefused === true || isHeldBack === true || this.lost.begun.has(value.commandId))
      return true;
    const operation = findOperation(this.order(value.orderKey), value.commandId);
    if (!operation) return false;
    return hasContent(operation, value.contentHash)
      ? operation.phase !== 'idle' && operation.phase !== 'open'
      : isRejected === true;
  }

  /** The form of a superseded doubtful payment must never be published: the cardholder would pay twice. */
  #mayBeShown(commandId: string | undefined, { operations }: OrderState): void {
    const wasDoubtful = operations.find((one) => one.commandId === commandId)?.phase === 'in_doubt';
    const successor = operations.find(
      ({ supersedes, supersedesDoubt, attempts, end }) =>
        supersedes === commandId &&
        supersedesDoubt &&
        attempts.length > 0 &&
        !['rejected', 'given_up', 'not_executed'].includes(end ?? ''),
    );
    if (wasDoubtful && successor)
      this.report('guardBroken', `the form of ${commandId} is published though ${successor.commandId} took its place`);
  }

  #compare(before: OperationState | undefined, after: OperationState, key: string): void {
    const from = before?.phase ?? 'idle';
    if (before && isDoubtedAgain(before, after)) return;
    if (from !== after.phase) {
      if (!ONWARD[from].includes(after.phase))
        this.report('wentBack', `${after.commandId} went from ${from} to ${after.phase}`);
      // In a log that lost records, a granted command may never have been sent.
      if (after.phase === 'open' && !this.lost.has(key)) this.#inOrder(after, key);
    } else if (from === 'ended' && before?.end !== after.end && before?.end !== 'expired') {
      this.report('wentBack', `${after.commandId} had ended as ${before?.end} and is now ${after.end}`);
    }
    if (before && after.attempt < before.attempt)
      this.report('wentBack', `${after.commandId} went from attempt ${before.attempt} to ${after.attempt}`);
  }

  /** All earlier commands of the same key and partition must be finished when a command is granted. */
  #inOrder(operation: OperationState, key: string): void {
    const ofKey = this.commands.filter(({ value }) => value.orderKey === key);
    const own = ofKey.find(
      ({ value }) => value.commandId === operation.commandId && hasContent(operation, value.contentHash),
    );
    // A forwarded command is finished once its copy is.
    const hasEnded = (one: CommandRecord) =>
      one.isForwarded
        ? ofKey.some((copy) => copy.value === one.value && !copy.isForwarded && this.isFinished(copy))
        : this.isFinished(one);
    if (!own) return;
    const overtaken = ofKey.find(
      (other) =>
        other.topic === own.topic &&
        other.partition === own.partition &&
        other.offset < own.offset &&
        other.value.commandId !== operation.commandId &&
        !hasEnded(other),
    );
    if (overtaken) this.report('outOfOrder', `${operation.commandId} overtook ${overtaken.value.commandId}`);
  }

  #keepFinal({ type, data, subject = '' }: CloudEvent<PaymentEvent>): void {
    const final = finalOf(type, data.outcome);
    if (final === undefined || data.commandId === undefined) return;
    const operation = `${subject} ${data.commandId}`;
    const before = this.#finals.get(operation);
    // A result comes once more with what a later report added to it.
    const isMore =
      (final === 'succeeded' || final === 'refused') && data.flags?.some((flag) => /_(added|confirmed)$/.test(flag));
    if (before === final && isMore) return;
    // A lost record's report is unknown, so a different one may follow; the comparison with the ledger judges it.
    if (before !== undefined && before !== 'expired' && !this.lost.has(subject))
      this.report('wentBack', `${operation} was reported ${before}, then ${final}`);
    this.#finals.set(operation, final);
  }
}

const isOfNotification = (record: JournalRecord): record is EvidenceRecord & { externalReference: string } =>
  record.record === 'EVIDENCE' && record.externalReference !== undefined;

/**
 * The only correct step back: the newest sent attempt had no tag, its answer denied the execution, and then a success was reported that may
 * be its own (docs/decisions/0006). An idle operation's attempt number is that of the next attempt, which was never granted; an open attempt
 * may have been closed as unsent by the same record.
 */
function isDoubtedAgain(before: OperationState, after: OperationState): boolean {
  const unsent = after.attempts.filter(({ closed }) => closed === 'unsent').map(({ token }) => token);
  const denied = before.attempts.findLast(({ token }) => !unsent.includes(token));
  const wasUnsent = before.phase === 'idle' || (before.phase === 'open' && unsent.includes(before.token ?? ''));
  if (!wasUnsent || after.phase !== 'in_doubt' || denied?.closed !== 'not_executed') return false;
  return !denied.isTagged && denied.attempt === after.attempt && denied.token === after.token;
}

export function finalOf(type: string, outcome: string | undefined): string | undefined {
  const name = type.split('.').at(-1) ?? '';
  if (name === 'doubt_resolved')
    return outcome === 'succeeded' || outcome === 'refused' || outcome === 'not_executed' ? outcome : undefined;
  return ['succeeded', 'refused', 'rejected', 'expired'].includes(name) && type !== 'payment.command.rejected'
    ? name
    : undefined;
}

/** Reduces an event to what a snapshot or a moved journal preserves: texts and sequence are not. */
function essenceOf(content: string): string {
  const { sequence: _, data, ...event } = JSON.parse(content) as CloudEvent<PaymentEvent>;
  const { faults, ...fields } = data;
  const codes = faults?.map(({ path, code }) => `${path} ${code}`);
  return JSON.stringify(sorted({ ...event, data: sorted({ ...fields, codes }, [...PAGE, ...TEXTS]) }));
}

/** The fields of an event, whose order says nothing. */
function fieldsOf(content: string, leftOut: readonly string[] = []): string {
  const { data, ...event } = JSON.parse(content) as CloudEvent<PaymentEvent>;
  return JSON.stringify({ ...event, data: sorted(data, leftOut) });
}

const PAGE = ['redirectHtml', 'redirectHtmlDropped'];
const TEXTS = ['message', 'descriptor', 'extraData'];
const withoutPage = (content: string): string => fieldsOf(content, PAGE);

function sorted(value: object, leftOut: readonly string[] = []): object {
  const kept = Object.entries(value).filter(([name]) => !leftOut.includes(name));
  return Object.fromEntries(kept.sort(([one], [other]) => (one < other ? -1 : 1)));
}

import { isMadeElsewhereToo, type CloudEvent, type OperationKind, type PaymentEvent } from '@tranche/contracts';
import {
  compact,
  emptyOrder,
  execCodeNotes,
  evidenceResult,
  findOperation,
  fold,
  isInDoubt,
  NOT_EXECUTED_AFTER_MS,
  operationTag,
  RULES_VERSION,
  tagExtraData,
  timerRecord,
  toCloudEvent,
  untagExtraData,
  type EvidenceRecord,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import type { Random } from '../simulation/random.js';
import { Ledger, type Executed, type Request } from './ledger.js';

const START_MS = Date.parse('2026-03-01T10:00:00.000Z');
const DAY_MS = 86_400_000;
const AMOUNT = 30_000;
/** Sometimes no room for our tag is left in EXTRADATA. */
const UNTAGGED = 0.5;

interface Call {
  commandId: string;
  operation: OperationKind;
  amount: number | undefined;
  of: string | undefined;
  isTagged: boolean;
}

/** Order after its play: its events, and the platform's ledger. */
export interface Story {
  order: OrderState;
  ledger: Ledger;
  events: CloudEvent<PaymentEvent>[];
  /** TRANSACTIONIDs of which an answer, a notification or an operator told us. */
  reported: Set<string>;
  records: JournalRecord[];
}

/** Plays one order: our commands through the fold, a ledger by the interface, a back office between, and notifications in any order. */
export class OrderStory implements Story {
  order: OrderState = emptyOrder('shop-fr', 'order');
  readonly ledger = new Ledger();
  readonly events: CloudEvent<PaymentEvent>[] = [];
  readonly reported = new Set<string>();
  readonly records: JournalRecord[] = [];
  #nowMs = START_MS;
  #commands = 0;
  /** Notifications that are under way. */
  #under: EvidenceRecord[] = [];

  constructor(private readonly random: Random) {}

  play(): Story {
    const { random } = this;
    const isCard = random.chance(0.2);
    this.#command({ operation: isCard ? 'pay' : 'authorize', amount: AMOUNT, of: undefined });
    for (let left = 2 + random.below(10); left > 0; left--) {
      this.#arrive(0.4);
      if (random.chance(0.3)) this.#byHand();
      else this.#followUp();
      if (random.chance(0.5)) this.#lookAtDoubts(0.7);
      if (random.chance(0.05)) this.#snapshot();
    }
    this.#arrive(1);
    this.#lookAtDoubts(0.8);
    // An answer to the last doubts may still be missing; a notification that comes twice changes nothing.
    this.#arrive(1);
    return this;
  }

  #followUp(): void {
    const { random, ledger } = this;
    const isCaptured = ledger.executed.some((one) => one.operation === 'capture' || one.operation === 'pay');
    const operation = random.weighted({ capture: isCaptured ? 1 : 6, refund: isCaptured ? 8 : 0, void: 1 });
    const sources = ledger.executed.filter((one) =>
      operation === 'refund' ? one.operation === 'capture' || one.operation === 'pay' : one.operation === 'authorize',
    );
    if (sources.length === 0) return;
    const { transactionId: of } = random.pick(sources);
    this.#command({ operation, of, amount: operation === 'void' || random.chance(0.5) ? undefined : this.#amount() });
  }

  #amount = (): number => this.random.pick([1_000, 1_000, 2_500, 5_000, 10_000, 30_001]);

  /** A capture or refund of the back office: without our EXTRADATA, and notified like any other. */
  #byHand(): void {
    const { random, ledger } = this;
    const operation = random.pick(['capture', 'refund', 'refund'] as const);
    const sources = ledger.executed.filter((one) =>
      operation === 'capture' ? one.operation === 'authorize' : one.operation === 'capture' || one.operation === 'pay',
    );
    if (sources.length === 0) return;
    const amount = random.chance(0.5) ? undefined : this.#amount();
    const made = ledger.take({ operation, of: random.pick(sources).transactionId, ...compact({ amount }) });
    if (typeof made !== 'string') this.#notify(made);
  }

  /** One attempt of a command: judged by the fold, then executed, refused or lost. */
  #command({ operation, amount, of }: Pick<Call, 'operation' | 'amount' | 'of'>): void {
    const { random, ledger } = this;
    const commandId = `${operation}-${++this.#commands}`;
    const isTagged = operation !== 'pay' && !random.chance(UNTAGGED);
    const ofAttempt = { commandId, attempt: 1, token: commandId };
    const method = operation === 'pay' ? ('card' as const) : operation === 'void' ? ('A' as const) : ('B' as const);
    const terms = { operation, method, currency: 'EUR', contentHash: commandId };
    this.#append({
      ...{ record: 'INTENT', ...this.#inOrder(), ...ofAttempt, ...terms },
      ...compact({ amount, transactionId: of, tag: isTagged ? operationTag(commandId) : undefined }),
    });
    if (findOperation(this.order, commandId)?.phase !== 'open') return;
    const extraData = isTagged ? { extraData: tagExtraData(undefined, commandId, 1).extraData } : {};
    const isExecuted = random.chance(of === undefined ? 0.97 : 0.85);
    const part = this.#part(operation, amount, isTagged);
    const made = isExecuted
      ? ledger.take({ operation, commandId, ...compact({ of, amount, part }), ...extraData })
      : '4001';
    // An amount that is neither ours nor called a share comes to light by its notification only.
    if (typeof made !== 'string') this.#notify(made, part !== undefined && !part.isStated);
    if (random.chance(0.3)) this.#byHand();
    this.#arrive(0.3);
    if (random.chance(0.25))
      return this.#append({
        record: 'IN_DOUBT',
        ...this.#inOrder(),
        ...ofAttempt,
        reason: 'timeout',
        message: 'no answer',
      });
    if (typeof made === 'string') {
      const answer = { execCode: made, message: 'refused' };
      return this.#append({ record: 'OUTCOME', ...this.#inOrder(), ...ofAttempt, result: 'refused', answer });
    }
    const { execCode, transactionId } = made;
    this.reported.add(transactionId);
    this.#append({
      ...{ record: 'OUTCOME', ...this.#inOrder(), ...ofAttempt, result: 'succeeded', ...execCodeNotes(execCode) },
      answer: { execCode, transactionId },
    });
  }

  /** The platform accepts a share and says so (0004); or, of an amount that it was told, it seldom moves another one. */
  #part(operation: OperationKind, amount: number | undefined, isTagged: boolean): Request['part'] {
    const { random } = this;
    if (operation === 'void') return undefined;
    if (random.chance(0.08)) return { share: random.pick([0.5, 0.8]), isStated: true };
    // Without our tag, a report of another amount belongs to nobody's operation but the back office's.
    return amount !== undefined && isTagged && random.chance(0.03) ? { share: 0.9, isStated: false } : undefined;
  }

  /** Notified once, twice or never. */
  #notify(made: Executed, isSure = false): void {
    const times = this.random.weighted({ once: 8, twice: 1, never: isSure ? 0 : 1 });
    if (times === 'never') return;
    const notification = this.#notification(made);
    this.#under.push(notification, ...(times === 'twice' ? [notification] : []));
  }

  #notification({ operation, execCode, transactionId, amount, extraData }: Executed): EvidenceRecord {
    return {
      ...{ record: 'EVIDENCE', ...this.#inOrder(), source: 'notification', operation },
      ...{ result: evidenceResult(execCode), ...execCodeNotes(execCode) },
      answer: { execCode, transactionId, amount },
      ...compact({ tag: untagExtraData(extraData).tag }),
    };
  }

  /** Notifications arrive in any order, each with this chance. */
  #arrive(chance: number): void {
    const { random } = this;
    const [arriving, left] = [[] as EvidenceRecord[], [] as EvidenceRecord[]];
    for (const one of this.#under) (random.chance(chance) ? arriving : left).push(one);
    this.#under = left;
    while (arriving.length > 0) {
      const [next] = arriving.splice(random.below(arriving.length), 1);
      this.reported.add(next!.answer.transactionId!);
      this.#append({ ...next!, at: this.#inOrder().at });
    }
  }

  /** An operator says what the platform's books show of an operation in doubt. */
  #lookAtDoubts(chance: number): void {
    for (const { commandId, operation, attempt, attempts } of this.order.operations.filter(isInDoubt)) {
      if (!this.random.chance(chance)) continue;
      this.#nowMs += NOT_EXECUTED_AFTER_MS;
      const made = this.ledger.of(commandId);
      if (made !== undefined) this.reported.add(made.transactionId);
      const isAmountSeen = this.random.chance(0.5) || made?.execCode === '0004';
      const isUnnamed = isMadeElsewhereToo(operation) && attempts.at(-1)?.isTagged === false;
      const answer = made && {
        ...{ execCode: made.execCode, ...(isAmountSeen ? { amount: made.amount } : {}) },
        ...(isUnnamed || this.random.chance(0.5) ? { transactionId: made.transactionId } : {}),
      };
      this.#append({
        ...{ record: 'EVIDENCE', ...this.#inOrder(), source: 'operator', operation, commandId, attempt },
        ...{ result: made ? 'succeeded' : 'not_executed', ...(made ? execCodeNotes(made.execCode) : {}) },
        ...{ answer: answer ?? {}, actor: 'operator', reason: 'seen in the books' },
      });
    }
  }

  #snapshot(): void {
    this.#nowMs += 8 * DAY_MS;
    if (this.order.operations.some(({ phase }) => phase === 'open')) return;
    this.#append(timerRecord(this.order, { timer: 'snapshot', atMs: 0 }, this.#nowMs));
  }

  #inOrder = () => ({
    ...{ rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order' },
    at: new Date((this.#nowMs += 1_000)).toISOString(),
  });

  #append(record: JournalRecord): void {
    this.records.push(record);
    const { order, effects } = fold(this.order, record, BigInt(this.records.length - 1));
    this.order = order;
    for (const { event } of effects) this.events.push(toCloudEvent(order, event));
  }
}

import { isDeepStrictEqual } from 'node:util';
import {
  isMadeElsewhereToo,
  OPERATION_TYPE_OF,
  type CloudEvent,
  type OperationKind,
  type PaymentEvent,
} from '@tranche/contracts';
import {
  compact,
  emptyOrder,
  execCodeNotes,
  evidenceResult,
  findOperation,
  fold,
  isInDoubt,
  NEWEST_RULES_VERSION,
  NOT_EXECUTED_AFTER_MS,
  operationTag,
  tagExtraData,
  timerRecord,
  toCloudEvent,
  untagExtraData,
  type EvidenceRecord,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import { classifyReply } from '@tranche/platform';
import type { Random } from '../simulation/random.js';
import { Ledger, type Executed, type Request } from './ledger.js';

const START_MS = Date.parse('2026-03-01T10:00:00.000Z');
const DAY_MS = 86_400_000;
const AMOUNT = 30_000;

/** Order after its play: its events, and the platform's ledger. */
export interface Story {
  order: OrderState;
  ledger: Pick<Ledger, 'executed'>;
  events: CloudEvent<PaymentEvent>[];
  /** TRANSACTIONIDs that an answer, a notification or an operator has reported. */
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
  readonly #method: 'A' | 'B' | 'card';
  /** A tenth of the orders: no room for our tag, answers without TRANSACTIONID or with numbers, and a busy back office. */
  readonly #isVague: boolean;
  /** A third of the orders have own EXTRADATA of 200 to 255 characters, which leaves room for our tag up to 231. */
  readonly #callersData: string | undefined;
  #nowMs = START_MS;
  #commands = 0;
  /** Notifications that are under way. */
  #under: EvidenceRecord[] = [];

  constructor(private readonly random: Random) {
    this.#method = random.weighted({ card: 2, A: 5, B: 3 });
    this.#isVague = random.chance(0.1);
    this.#callersData = random.chance(1 / 3) ? 'x'.repeat(200 + random.below(56)) : undefined;
  }

  play(): Story {
    const { random } = this;
    this.#command({ operation: this.#method === 'card' ? 'pay' : 'authorize', amount: AMOUNT });
    for (let left = 2 + random.below(10); left > 0; left--) {
      this.#arrive(0.4);
      if (random.chance(this.#isVague ? 0.5 : 0.3)) this.#actByHand();
      else this.#followUp();
      if (random.chance(0.5)) this.#lookAtDoubts(0.7);
      if (random.chance(0.05)) this.#snapshot();
      if (random.chance(0.05)) this.#flushRedis();
    }
    this.#arrive(1);
    this.#lookAtDoubts(0.8);
    return this;
  }

  /** One attempt of a command: judged by the fold, then executed or refused by the platform. Its answer comes later, or is lost. */
  #command({ operation, amount, of }: Request): void {
    const { random } = this;
    const commandId = `${operation}-${++this.#commands}`;
    // Sometimes no room for our tag is left in EXTRADATA.
    const sent = tagExtraData(this.#callersData, commandId, 1);
    const isTagged =
      operation !== 'pay' && sent.isTagged && random.chance(this.#isVague ? 0.1 : this.#callersData ? 1 : 0.5);
    const [isExecuted, isAnswerLost] = [random.chance(of === undefined ? 0.97 : 0.85), random.chance(0.25)];
    const part = this.#part(operation, amount, isTagged);
    const ofAttempt = { commandId, attempt: 1, token: commandId };
    const terms = { operation, method: this.#method, currency: 'EUR', contentHash: commandId };
    this.#append({
      ...{ record: 'INTENT', ...this.#inOrder(), ...ofAttempt, ...terms },
      ...compact({ amount, transactionId: of, tag: isTagged ? operationTag(commandId) : undefined }),
    });
    const isGranted = findOperation(this.order, commandId)?.phase === 'open';
    const extraData = isTagged ? { extraData: sent.extraData } : compact({ extraData: this.#callersData });
    const made =
      isGranted && isExecuted ? this.ledger.take({ operation, commandId, of, amount, part, ...extraData }) : '4001';
    if (typeof made !== 'string') this.#notify(made, part !== undefined && !part.isStated);
    if (random.chance(0.3)) this.#actByHand();
    this.#arrive(0.3);
    if (!isGranted) return;
    const answered = { ...this.#inOrder(), ...ofAttempt };
    if (isAnswerLost) return this.#append({ record: 'IN_DOUBT', ...answered, reason: 'timeout', message: 'no answer' });
    if (typeof made === 'string') {
      const answer = { execCode: made, message: 'refused' };
      return this.#append({ record: 'OUTCOME', ...answered, result: 'refused', answer });
    }
    const outcome = classifyReply({ kind: 'answered', status: 200, body: this.#answerOf(made) }, operation, false);
    if (outcome.record !== 'OUTCOME') throw new Error(`A success was read as ${outcome.record}`);
    const { transactionId } = outcome.answer;
    if (transactionId !== undefined) this.reported.add(transactionId);
    this.#append({ ...outcome, ...answered });
  }

  /** The platform's answer. In a vague order an authorization's has its TRANSACTIONID, which follow-ups name; that of others is left out, or a JSON number. */
  #answerOf({ operation, execCode, transactionId, amount }: Executed): string {
    const { random } = this;
    const fields = { OPERATIONTYPE: OPERATION_TYPE_OF[operation], EXECCODE: execCode };
    const form =
      this.#isVague && isMadeElsewhereToo(operation) ? random.pick(['none', 'number', 'text'] as const) : 'text';
    const id = { none: {}, number: { TRANSACTIONID: Number(transactionId) }, text: { TRANSACTIONID: transactionId } };
    return JSON.stringify({
      ...fields,
      ...id[form],
      ...(form === 'number' && random.chance(0.3) ? { AMOUNT: amount } : {}),
    });
  }

  #followUp(): void {
    const { random } = this;
    const isCaptured = this.ledger.executed.some(isRefundable);
    const operation = random.weighted({
      capture: isCaptured ? 1 : 6,
      refund: isCaptured ? 8 : 0,
      void: this.#method === 'A' ? 1 : 0,
    });
    const request = this.#requestOf(operation);
    if (request !== undefined) this.#command(request);
  }

  /** A capture or refund of the back office: without our EXTRADATA, and notified like any other. */
  #actByHand(): void {
    const request = this.#requestOf(this.random.pick(['capture', 'refund', 'refund'] as const));
    const made = request && this.ledger.take(request);
    if (typeof made === 'object') this.#notify(made);
  }

  /** Follows one of the operations that the platform has executed; undefined if none fits. */
  #requestOf(operation: 'capture' | 'refund' | 'void'): Request | undefined {
    const { random } = this;
    const sources = this.ledger.executed.filter(operation === 'refund' ? isRefundable : isPayment);
    if (sources.length === 0) return undefined;
    const isWhole = operation === 'void' || random.chance(0.5);
    const amount = isWhole ? undefined : random.pick([1_000, 1_000, 2_500, 5_000, 10_000, 30_001]);
    return { operation, of: random.pick(sources).transactionId, amount };
  }

  /** The platform accepts a share and says so (0004); or, seldom, it moves another amount than the one in the request. */
  #part(operation: OperationKind, amount: number | undefined, isTagged: boolean): Request['part'] {
    const { random } = this;
    if (operation === 'void') return undefined;
    if (random.chance(0.08)) return { share: random.pick([0.5, 0.8]), isStated: true };
    // Without our tag, a report of another amount can only be of the back office.
    return amount !== undefined && isTagged && random.chance(0.03) ? { share: 0.9, isStated: false } : undefined;
  }

  /** A notification is sent once, twice or never. An amount that no answer names is reported by it alone, so it `mustCome`. */
  #notify({ operation, execCode, transactionId, amount, extraData }: Executed, mustCome = false): void {
    const times = this.random.weighted({ once: 8, twice: 1, never: mustCome ? 0 : 1 });
    const notification: EvidenceRecord = {
      ...{ record: 'EVIDENCE', ...this.#inOrder(), source: 'notification', operation },
      ...{ result: evidenceResult(execCode), ...execCodeNotes(execCode) },
      answer: { execCode, transactionId, amount },
      ...compact(untagExtraData(extraData)),
    };
    this.#under.push(...{ never: [], once: [notification], twice: [notification, notification] }[times]);
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

  /** An operator reports, with this chance, what the platform's books show of an operation in doubt. */
  #lookAtDoubts(chance: number): void {
    for (const { commandId, operation, attempt, attempts } of this.order.operations.filter(isInDoubt)) {
      if (!this.random.chance(chance)) continue;
      this.#nowMs += NOT_EXECUTED_AFTER_MS;
      const made = this.ledger.executed.find((one) => one.commandId === commandId);
      const isAmountSeen = this.random.chance(0.5) || made?.execCode === '0004';
      const isUnnamed = isMadeElsewhereToo(operation) && attempts.at(-1)?.isTagged === false;
      const answer = made && {
        ...{ execCode: made.execCode, ...(isAmountSeen ? { amount: made.amount } : {}) },
        ...(isUnnamed || this.random.chance(0.5) ? { transactionId: made.transactionId } : {}),
      };
      if (answer?.transactionId !== undefined) this.reported.add(answer.transactionId);
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

  /** The index is lost and built anew from the journal: the order must be the same. */
  #flushRedis(): void {
    const empty = emptyOrder('shop-fr', 'order');
    const rebuilt = this.records.reduce((order, record, at) => fold(order, record, BigInt(at)).order, empty);
    if (!isDeepStrictEqual(rebuilt, this.order)) throw new Error('The journal gives another order than its owner has');
    this.order = rebuilt;
  }

  #inOrder = () => ({
    ...{ rulesVersion: NEWEST_RULES_VERSION, merchant: 'shop-fr', orderId: 'order' },
    at: new Date((this.#nowMs += 1_000)).toISOString(),
  });

  #append(record: JournalRecord): void {
    this.records.push(record);
    const { order, effects } = fold(this.order, record, BigInt(this.records.length - 1));
    this.order = order;
    for (const { event } of effects) this.events.push(toCloudEvent(order, event));
  }
}

const isRefundable = ({ operation }: Executed): boolean => operation === 'capture' || operation === 'pay';
/** A platform may give card payments captures of their own (docs/decisions/0020). */
const isPayment = ({ operation }: Executed): boolean => operation === 'authorize' || operation === 'pay';

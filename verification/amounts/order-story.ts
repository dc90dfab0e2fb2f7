import { isMadeElsewhereToo, type CloudEvent, type PaymentEvent } from '@tranche/contracts';
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
import { Ledger, type Executed } from './ledger.js';
import { stepsOf, timesNotified, type Call, type Step } from './steps.js';

const START_MS = Date.parse('2026-03-01T10:00:00.000Z');
const DAY_MS = 86_400_000;
/** Order after its play: its events, and the platform's ledger. */
export interface Story {
  order: OrderState;
  ledger: Pick<Ledger, 'executed'>;
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
  /** Notifications that are under way. */
  #under: EvidenceRecord[] = [];
  /** Writes the answer of the call that is under way. */
  #answer: (() => void) | undefined;

  constructor(private readonly random: Random) {}

  play(): Story {
    const steps = stepsOf(this.random);
    for (let next = steps.next(); !next.done; next = steps.next(this.ledger.executed)) this.#step(next.value);
    return this;
  }

  #step(step: Step): void {
    switch (step.step) {
      case 'call':
        return this.#call(step.call);
      case 'answer':
        this.#answer?.();
        this.#answer = undefined;
        return;
      case 'byHand': {
        const made = this.ledger.take(step.request);
        return typeof made === 'string' ? undefined : this.#notify(made);
      }
      case 'notifications':
        return this.#arrive(step.chance);
      case 'lookAtDoubts':
        return this.#lookAtDoubts(step.chance);
      case 'snapshot':
        return this.#snapshot();
    }
  }

  /** One attempt of a command: judged by the fold, then executed or refused by the platform. */
  #call({ commandId, operation, method, amount, of, isTagged, isExecuted, isAnswerLost, part }: Call): void {
    const ofAttempt = { commandId, attempt: 1, token: commandId };
    const terms = { operation, method, currency: 'EUR', contentHash: commandId };
    this.#append({
      ...{ record: 'INTENT', ...this.#inOrder(), ...ofAttempt, ...terms },
      ...compact({ amount, transactionId: of, tag: isTagged ? operationTag(commandId) : undefined }),
    });
    if (findOperation(this.order, commandId)?.phase !== 'open') return;
    const extraData = isTagged ? { extraData: tagExtraData(undefined, commandId, 1).extraData } : {};
    const made = isExecuted ? this.ledger.take({ operation, commandId, of, amount, part, ...extraData }) : '4001';
    if (typeof made !== 'string') this.#notify(made, part !== undefined && !part.isStated);
    this.#answer = () => {
      if (isAnswerLost)
        return this.#append({
          ...{ record: 'IN_DOUBT', ...this.#inOrder(), ...ofAttempt },
          ...{ reason: 'timeout', message: 'no answer' },
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
    };
  }

  #notify(made: Executed, mustCome = false): void {
    const times = timesNotified(this.random, mustCome);
    this.#under.push(...Array.from({ length: times }, () => this.#notification(made)));
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

import { OPERATION_TYPE_OF, orderKey, readNotification, type OperationKind } from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  journalPartition,
  NEWEST_RULES_VERSION,
  RULES_VERSION,
  tagExtraData,
  toCloudEvent,
  untagExtraData,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import type { NotificationOfPlatform, OperationOfPlatform, SentCommand, Traces } from '../faults/traces.js';

const MERCHANT = 'shop-fr';
const IDENTIFIER = 'Demo Shop FR';
const AT = '2028-01-31T10:00:00.000Z';
/** A pending approval ends then (interface, Limits). */
const SIX_DAYS_LATER = new Date(Date.parse(AT) + 6 * 86_400_000).toISOString();
const TOPIC = 'payments.commands.partner-a.v1';
type Step = { record: JournalRecord['record']; [field: string]: unknown };

/** Builds traces of an invented run for the referee's own specs, step by step, with the events that the fold returns. */
export class ForgedTraces {
  readonly traces: Traces = {
    commands: [],
    commandTopic: [],
    journal: [],
    events: [],
    notificationTopic: [],
    deadLetters: 0,
    ledger: { calls: [], operations: [] },
    delivered: [],
  };
  readonly #orders = new Map<string, OrderState>();
  #offset = 0n;

  constructor(private readonly rulesVersion = RULES_VERSION) {}

  granted(
    orderId: string,
    id: string,
    operation: OperationKind,
    terms: { amount?: number; transactionId?: string; supersedes?: string; tag?: undefined } = {},
  ): this {
    const key = orderKey(MERCHANT, orderId);
    const type = `payment.${operation}` as const;
    const command: SentCommand = {
      ...{ id, type, merchant: MERCHANT, orderId, topic: TOPIC, sentAtMs: 0, acknowledged: true },
      data: { merchant: MERCHANT, orderId, description: 'x' },
    };
    this.traces.commands.push(command);
    this.traces.commandTopic.push({ topic: TOPIC, key, id, partition: 3, offset: this.#offset++ });
    const { tag } = untagExtraData(tagOf(id));
    return this.journaled(orderId, {
      ...{ record: 'INTENT', commandId: id, attempt: 1, token: `token-${id}`, operation, method: 'A', currency: 'EUR' },
      ...{ contentHash: id, tag: tag?.operation, ...terms },
    });
  }

  journaled(orderId: string, step: Step): this {
    const key = orderKey(MERCHANT, orderId);
    const [partition, offset] = [journalPartition(key), this.#offset++];
    const { rulesVersion } = this;
    const record = { rulesVersion, merchant: MERCHANT, orderId, at: AT, ...step } as unknown as JournalRecord;
    this.traces.journal.push({ partition, offset, key, record });
    const { order, effects } = fold(this.#orders.get(key) ?? emptyOrder(MERCHANT, orderId), record, offset);
    this.#orders.set(key, order);
    for (const { event } of effects)
      this.traces.events.push({ partition, offset: this.#offset++, key, event: toCloudEvent(order, event) });
    return this;
  }

  /** Adds an execution by the platform; without a command it is the back office's. */
  executed(
    orderId: string,
    operation: OperationKind,
    entry: Partial<OperationOfPlatform> & { transactionId: string },
    id?: string,
  ): this {
    const operationType = OPERATION_TYPE_OF[operation];
    const extraData = id === undefined ? undefined : tagOf(id);
    if (id !== undefined) this.traces.ledger.calls.push({ operation: operationType, orderId });
    this.traces.ledger.operations.push({
      ...{ orderId, operationType, amount: 30_000, initialId: entry.transactionId },
      ...{ execCode: '0000', finalExecCode: '0000', origin: id === undefined ? 'back-office' : 'request', ...entry },
      ...(extraData === undefined ? {} : { extraData }),
    });
    return this;
  }

  /** Adds a notification that was answered with OK, unless it was suppressed. */
  sent(
    orderId: string,
    operation: OperationKind,
    transactionId: string,
    state: NotificationOfPlatform['state'] = 'delivered',
  ): this {
    const { amount = 0, extraData } =
      this.traces.ledger.operations.find((one) => one.transactionId === transactionId) ?? {};
    const operationType = OPERATION_TYPE_OF[operation];
    this.traces.delivered.push({
      ...{ merchant: MERCHANT, orderId, operationType, transactionId, execCode: '0000', state },
      parameters: {
        ...{ IDENTIFIER, OPERATIONTYPE: operationType, TRANSACTIONID: transactionId, ORDERID: orderId },
        ...{ EXECCODE: '0000', AMOUNT: String(amount), HASH: 'h' },
        ...(extraData === undefined ? {} : { EXTRADATA: extraData }),
      },
      attempts: state === 'delivered' ? [{ status: 200, isAccepted: true }] : [],
    });
    return this;
  }

  /** Adds a notification that was answered with OK, stored and journaled. */
  notified(orderId: string, operation: OperationKind, transactionId: string, id?: string): this {
    this.sent(orderId, operation, transactionId);
    const { HASH, ...parameters } = this.traces.delivered.at(-1)?.parameters ?? {};
    const { amount = 0 } = this.traces.ledger.operations.find((one) => one.transactionId === transactionId) ?? {};
    const notification = readNotification(MERCHANT, Object.entries(parameters), AT);
    const offset = this.#offset++;
    this.traces.notificationTopic.push({ partition: 3, offset, id: `n-${transactionId}`, notification });
    const answer = { execCode: '0000', transactionId, amount };
    const { tag } = untagExtraData(id === undefined ? undefined : tagOf(id));
    const evidence = { record: 'EVIDENCE', source: 'notification', operation, result: 'succeeded' } as const;
    return this.journaled(orderId, { ...evidence, answer, ...(tag && { tag }) });
  }
}

export const tagOf = (commandId: string): string => tagExtraData(undefined, commandId, 1).extraData;

const closing = (id: string) => ({ commandId: id, attempt: 1, token: `token-${id}` });
const at = (transactionId: string, execCode = '0000') => ({ execCode, transactionId });
const outcome = (id: string, result: string, answer: object): Step => ({
  ...{ record: 'OUTCOME', ...closing(id), result, answer },
});

/** One order is authorized by the form, captured after a doubt, and refunded here and in the back office; another one stays at the form. */
export function cleanTraces(): Traces {
  const forged = new ForgedTraces();
  forged
    .granted('run-1', 'c1', 'authorize', { amount: 30_000 })
    .executed('run-1', 'authorize', { transactionId: 'A1', execCode: '0002' }, 'c1')
    .journaled('run-1', outcome('c1', 'redirect_required', { ...at('A1', '0002'), redirectHtml: 'PGI+' }))
    .notified('run-1', 'authorize', 'A1', 'c1')
    .granted('run-1', 'c2', 'capture', { transactionId: 'A1' })
    .executed('run-1', 'capture', { transactionId: 'C1', initialId: 'A1' }, 'c2')
    .journaled('run-1', { record: 'IN_DOUBT', ...closing('c2'), reason: 'timeout', message: 'no answer' })
    .notified('run-1', 'capture', 'C1', 'c2')
    .granted('run-1', 'c3', 'refund', { amount: 10_000, transactionId: 'C1' })
    .executed('run-1', 'refund', { transactionId: 'R1', initialId: 'A1', amount: 10_000 }, 'c3')
    .journaled('run-1', outcome('c3', 'succeeded', { ...at('R1'), amount: 10_000 }))
    .notified('run-1', 'refund', 'R1', 'c3')
    .executed('run-1', 'refund', { transactionId: 'R2', initialId: 'A1', amount: 5_000 })
    .notified('run-1', 'refund', 'R2')
    .granted('run-2', 'c4', 'authorize', { amount: 30_000 })
    .executed('run-2', 'authorize', { transactionId: 'A2', execCode: '0002', finalExecCode: '0002' }, 'c4')
    .journaled('run-2', outcome('c4', 'redirect_required', at('A2', '0002')));
  return forged.traces;
}

/**
 * A second payment supersedes one at its redirect and succeeds. The cardholder finished the first form too, but no notification of it has
 * arrived yet.
 */
export function supersededTraces(
  secondIsReported: 'by notification' | 'by the answer' = 'by notification',
): ForgedTraces {
  const isAnswered = secondIsReported === 'by the answer';
  const forged = new ForgedTraces()
    .granted('run-3', 'c1', 'authorize', { amount: 30_000 })
    .executed('run-3', 'authorize', { transactionId: 'A1', execCode: '0002' }, 'c1')
    .journaled('run-3', outcome('c1', 'redirect_required', at('A1', '0002')))
    .granted('run-3', 'c2', 'authorize', { amount: 30_000, supersedes: 'c1' })
    .executed('run-3', 'authorize', { transactionId: 'A2', execCode: isAnswered ? '0000' : '0002' }, 'c2');
  if (isAnswered) return forged.journaled('run-3', outcome('c2', 'succeeded', at('A2')));
  return forged
    .journaled('run-3', outcome('c2', 'redirect_required', at('A2', '0002')))
    .notified('run-3', 'authorize', 'A2', 'c2');
}

/** A payment waited too long for its approval and expired. */
export function expiredTraces(): ForgedTraces {
  return new ForgedTraces()
    .granted('run-4', 'c1', 'authorize', { amount: 30_000 })
    .executed('run-4', 'authorize', { transactionId: 'B1', execCode: '0003' }, 'c1')
    .journaled('run-4', outcome('c1', 'pending', at('B1', '0003')))
    .journaled('run-4', { record: 'EXPIRED', commandId: 'c1', attempt: 1, at: SIX_DAYS_LATER });
}

/** A capture without a tag is in doubt, and a success comes that may be of it. */
export function untaggedTraces(): ForgedTraces {
  const forged = new ForgedTraces(NEWEST_RULES_VERSION)
    .granted('run-5', 'c1', 'authorize', { amount: 30_000 })
    .executed('run-5', 'authorize', { transactionId: 'A1' }, 'c1')
    .journaled('run-5', outcome('c1', 'succeeded', at('A1')))
    .granted('run-5', 'c2', 'capture', { transactionId: 'A1', tag: undefined })
    .executed('run-5', 'capture', { transactionId: 'C1', initialId: 'A1' }, 'c2')
    .journaled('run-5', { record: 'IN_DOUBT', ...closing('c2'), reason: 'timeout', message: 'no answer' });
  Object.assign(forged.traces.ledger.operations[1]!, { extraData: 'of the shop' });
  return forged.notified('run-5', 'capture', 'C1');
}

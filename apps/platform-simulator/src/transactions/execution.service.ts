import { randomUUID } from 'node:crypto';
import type { Merchant } from '@tranche/contracts';
import type { Clock } from '../clock.service.js';
import type { CallFault, Part } from '../control/faults.js';
import type { Ledger } from '../control/ledger.store.js';
import type { Notifications } from '../notifications/notifications.service.js';
import { mayWait } from '../platform-methods.js';
import { kept, type Parameters } from '../request/flat-parameters.js';
import type { Order } from '../request/request-rules.js';
import { isCardExpired, maskedCard, type Card } from './card.js';
import { binOf, hasBrand } from './card-bins.js';
import type { CardTokens } from './card-tokens.store.js';
import { codeWantedBy, codeWantedByCard, isRefusal, isRefusedByBank, refusal, type Refusal } from './exec-codes.js';
import { judgeFollowUp, type FollowUp } from './state-machine.js';
import { stateOf, type Transaction } from './transaction.js';
import type { Transactions } from './transactions.store.js';

export interface Executed {
  readonly transaction: Transaction;
  /** EXECCODE of the answer. It differs from the transaction's for 5004, where only a notification brings the result. */
  readonly answered: string;
}

export interface Books {
  readonly clock: Clock;
  readonly transactions: Transactions;
  readonly cardTokens: CardTokens;
  readonly ledger: Ledger;
  readonly notifications: Notifications;
}

type InitialOrder = Extract<Order, { kind: 'initial' }>;
type Origin = 'request' | 'back-office';

/** Executes operations. Each executed call creates one transaction and one ledger entry. */
export class Execution {
  #references = 0;

  constructor(
    private readonly books: Books,
    private readonly codesByAmount: boolean,
  ) {}

  execute(
    order: Order,
    parameters: Parameters,
    merchant: Merchant,
    { withoutForm, part }: Pick<CallFault, 'withoutForm' | 'part'> = {},
  ): Executed | Refusal {
    if (order.kind === 'followUp') {
      const reference = this.books.transactions.findOf(merchant.identifier, order.transactionId);
      const wanted = order.amount === undefined ? undefined : this.#wantedBy(order.amount);
      return this.#followUp(order, reference, merchant, { parameters, wanted, part });
    }
    if (order.method === 'card') return this.#executeCard(order, parameters, merchant, part);
    const isAtOnce = withoutForm === '0000' || (withoutForm === '0003' && mayWait(order.method));
    const execCode = isAtOnce ? withoutForm : '0002';
    return this.#open(order, parameters, merchant, { execCode, wanted: this.#wantedBy(order.amount), part });
  }

  /** A capture or refund from the merchant's back office: it is notified like any other, although no request caused it. */
  byBackOffice(followUp: FollowUp, reference: Transaction, merchant: Merchant): Executed | Refusal {
    return this.#followUp(followUp, reference, merchant, { parameters: new Map(), origin: 'back-office' });
  }

  /** Decides an authorization after its answer, by the cardholder's or the provider's choice. Returns false if nothing is to be decided. */
  settle(transaction: Transaction, merchant: Merchant, execCode: string | undefined): boolean {
    if (execCode === undefined) return false;
    const nowMs = this.books.clock.nowMs();
    transaction.execCode = execCode;
    transaction.state = stateOf(execCode);
    if (transaction.state === 'pending') transaction.pendingSinceMs = nowMs;
    if (transaction.state === 'succeeded') transaction.succeededAtMs = nowMs;
    this.books.notifications.send(transaction, merchant);
    return true;
  }

  #executeCard(
    order: InitialOrder,
    parameters: Parameters,
    merchant: Merchant,
    part: Part | undefined,
  ): Executed | Refusal {
    const card =
      order.hfToken === undefined ? cardOf(parameters) : this.books.cardTokens.peek(merchant.identifier, order.hfToken);
    if (card === undefined) return refusal('2001');
    const expired = isCardExpired(card.validityDate, this.books.clock.nowMs()) ? '4015' : undefined;
    const wanted = codeWantedByCard(card.code) ?? this.#wantedBy(order.amount) ?? expired;
    const selectedBrand = kept(parameters, 'SELECTEDBRAND') || card.selectedBrand;
    if (selectedBrand !== undefined && !hasBrand(binOf(card.code), selectedBrand))
      return refusal('1002', 'SELECTEDBRAND');
    const holder = { ...card, fullName: kept(parameters, 'CARDFULLNAME') ?? card.fullName, selectedBrand };
    const executed = this.#open(order, parameters, merchant, { execCode: '0000', wanted, card: holder, part });
    if (order.hfToken !== undefined && !isRefusal(executed)) this.books.cardTokens.use(order.hfToken);
    return executed;
  }

  /** Creates the first transaction of an order: an authorization or a payment. */
  #open(
    { type, method, orderId, amount }: InitialOrder,
    parameters: Parameters,
    merchant: Merchant,
    { execCode, wanted, card, part }: { execCode: string; wanted?: string; card?: Card; part?: Part },
  ): Executed | Refusal {
    const outcome = outcomeOf(codeOf(part, execCode), wanted);
    if (isRefusal(outcome)) return outcome;
    const base = this.#newTransaction(parameters, outcome.made);
    const transaction: Transaction = {
      ...base,
      initialId: base.transactionId,
      identifier: merchant.identifier,
      orderId: kept(parameters, 'ORDERID') ?? orderId,
      operationType: type,
      method,
      amount: partOf(amount, part),
      paymentOption: kept(parameters, 'PAYMENTOPTION'),
      clientIdent: kept(parameters, 'CLIENTIDENT'),
      clientEmail: kept(parameters, 'CLIENTEMAIL'),
      birthDate: kept(parameters, 'CLIENTDOB'),
      card: card && maskedCard(card, merchant.market),
    };
    return this.#book(transaction, merchant, outcome.answered, 'request');
  }

  #followUp(
    { type, amount: wish }: FollowUp,
    reference: Transaction | undefined,
    merchant: Merchant,
    {
      parameters,
      wanted,
      part,
      origin = 'request',
    }: { parameters: Parameters; wanted?: string; part?: Part; origin?: Origin },
  ): Executed | Refusal {
    const verdict = judgeFollowUp({ type, amount: wish }, reference, this.books.clock.nowMs());
    if (isRefusal(verdict)) return verdict;
    if (reference === undefined) return refusal('2002');
    const outcome = outcomeOf(codeOf(part, '0000'), wanted);
    if (isRefusal(outcome)) return outcome;
    const amount = partOf(verdict.amount, part);
    if (stateOf(outcome.made) === 'succeeded') apply(type, amount, reference);
    const transaction: Transaction = {
      ...reference,
      ...this.#newTransaction(parameters, outcome.made),
      orderId: kept(parameters, 'ORDERID') || reference.orderId,
      operationType: type,
      amount,
      // The interface lists no card in the notifications of a capture, a refund or a void.
      card: undefined,
    };
    return this.#book(transaction, merchant, outcome.answered, origin);
  }

  #newTransaction(parameters: Parameters, execCode: string) {
    const nowMs = this.books.clock.nowMs();
    const state = stateOf(execCode);
    this.#references += 1;
    return {
      transactionId: randomUUID().replaceAll('-', ''),
      version: kept(parameters, 'VERSION') ?? '3.0',
      extraData: kept(parameters, 'EXTRADATA'),
      externalReference: String(this.#references),
      createdAtMs: nowMs,
      state,
      execCode,
      succeededAtMs: state === 'succeeded' ? nowMs : undefined,
      pendingSinceMs: state === 'pending' ? nowMs : undefined,
      isCaptured: false,
      refundedAmount: 0,
    };
  }

  #book(transaction: Transaction, merchant: Merchant, answered: string, origin: Origin): Executed {
    this.books.transactions.add(transaction);
    this.books.ledger.executed(transaction, answered, origin);
    // While the cardholder is on the form, there is no result to notify.
    if (transaction.state !== 'redirected') this.books.notifications.send(transaction, merchant);
    return { transaction, answered };
  }

  #wantedBy(amount: number): string | undefined {
    return this.codesByAmount ? codeWantedBy(amount) : undefined;
  }
}

/** Combines the normal code with the one that a test chose: the codes of the transaction and of the answer, or a refusal. */
function outcomeOf(execCode: string, wanted: string | undefined): { made: string; answered: string } | Refusal {
  if (wanted === undefined) return { made: execCode, answered: execCode };
  if (wanted === '5004') return { made: '0000', answered: '5004' };
  return isRefusedByBank(wanted) || wanted.startsWith('0') ? { made: wanted, answered: wanted } : refusal(wanted);
}

/** A follow-up that succeeded changes the transaction that it names. */
function apply(type: 'capture' | 'refund' | 'void', amount: number, reference: Transaction): void {
  if (type === 'capture') reference.isCaptured = true;
  if (type === 'refund') reference.refundedAmount += amount;
  if (type === 'void') reference.state = 'voided';
}

const partOf = (amount: number, part: Part | undefined): number =>
  part === undefined ? amount : Math.max(1, Math.floor(amount * part.share));

const codeOf = (part: Part | undefined, execCode: string): string =>
  part?.isStated && stateOf(execCode) === 'succeeded' ? '0004' : execCode;

function cardOf(parameters: Parameters): Card | undefined {
  const code = parameters.get('CARDCODE');
  return code === undefined
    ? undefined
    : { code, validityDate: kept(parameters, 'CARDVALIDITYDATE') ?? '', fullName: '' };
}

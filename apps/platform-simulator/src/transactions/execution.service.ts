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
import { judgeFollowUp } from './state-machine.js';
import { stateOf, type OperationType, type Transaction } from './transaction.js';
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

/** Executes operations. Each executed call creates one transaction and one ledger entry. */
export class Execution {
  private references = 0;

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
    switch (order.kind) {
      case 'instalment': {
        const isAtOnce = withoutForm === '0000' || (withoutForm === '0003' && mayWait(order.method));
        const execCode = isAtOnce ? withoutForm : '0002';
        return this.open(order, parameters, merchant, { execCode, wanted: this.wantedBy(order.amount), part });
      }
      case 'card':
        return this.executeCard(order, parameters, merchant, part);
      case 'followUp':
        return this.executeFollowUp(order, parameters, merchant, part);
    }
  }

  /** A capture or refund from the merchant's back office: it is notified like any other, although no request caused it. */
  byBackOffice(
    { type, amount }: { type: 'capture' | 'refund'; amount: number | undefined },
    reference: Transaction,
    merchant: Merchant,
  ): Executed | Refusal {
    const verdict = judgeFollowUp({ type, amount }, reference, this.books.clock.nowMs());
    if (isRefusal(verdict)) return verdict;
    apply(type, verdict.amount, reference);
    const made = this.followUpOf(
      reference,
      { type, amount: verdict.amount, execCode: '0000' },
      new Map([['DESCRIPTION', 'Back office']]),
    );
    return this.book(made, merchant, '0000', 'back-office');
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

  private executeCard(
    order: Extract<Order, { kind: 'card' }>,
    parameters: Parameters,
    merchant: Merchant,
    part: Part | undefined,
  ): Executed | Refusal {
    const card =
      order.hfToken === undefined ? cardOf(parameters) : this.books.cardTokens.peek(merchant.identifier, order.hfToken);
    if (card === undefined) return refusal('2001');
    const expired = isCardExpired(card.validityDate, this.books.clock.nowMs()) ? '4015' : undefined;
    const wanted = codeWantedByCard(card.code) ?? this.wantedBy(order.amount) ?? expired;
    const selectedBrand = kept(parameters, 'SELECTEDBRAND') || card.selectedBrand;
    if (selectedBrand !== undefined && !hasBrand(binOf(card.code), selectedBrand))
      return refusal('1002', 'SELECTEDBRAND');
    const holder = { ...card, fullName: kept(parameters, 'CARDFULLNAME') ?? card.fullName, selectedBrand };
    const executed = this.open({ ...order, method: 'card' }, parameters, merchant, {
      execCode: '0000',
      wanted,
      card: holder,
      part,
    });
    if (order.hfToken !== undefined && !isRefusal(executed)) this.books.cardTokens.use(order.hfToken);
    return executed;
  }

  private executeFollowUp(
    order: Extract<Order, { kind: 'followUp' }>,
    parameters: Parameters,
    merchant: Merchant,
    part: Part | undefined,
  ): Executed | Refusal {
    const reference = this.books.transactions.findOf(merchant.identifier, order.transactionId);
    const verdict = judgeFollowUp(order, reference, this.books.clock.nowMs());
    if (isRefusal(verdict)) return verdict;
    if (reference === undefined) return refusal('2002');
    const wanted = order.amount === undefined ? undefined : this.wantedBy(order.amount);
    const outcome = outcomeOf(codeOf(part, '0000'), wanted);
    if (isRefusal(outcome)) return outcome;
    const amount = partOf(verdict.amount, part);
    if (stateOf(outcome.made) === 'succeeded') apply(order.type, amount, reference);
    const transaction = this.followUpOf(reference, { type: order.type, amount, execCode: outcome.made }, parameters);
    return this.book(transaction, merchant, outcome.answered, 'request');
  }

  /** Creates the first transaction of an order: an authorization or a payment. */
  private open(
    {
      type,
      method,
      orderId,
      amount,
    }: { type: OperationType; method: Transaction['method']; orderId: string; amount: number },
    parameters: Parameters,
    merchant: Merchant,
    { execCode, wanted, card, part }: { execCode: string; wanted?: string; card?: Card; part?: Part },
  ): Executed | Refusal {
    const outcome = outcomeOf(codeOf(part, execCode), wanted);
    if (isRefusal(outcome)) return outcome;
    const transactionId = newTransactionId();
    const nowMs = this.books.clock.nowMs();
    const state = stateOf(outcome.made);
    const transaction: Transaction = {
      transactionId,
      initialId: transactionId,
      identifier: merchant.identifier,
      orderId: kept(parameters, 'ORDERID') ?? orderId,
      operationType: type,
      method,
      amount: partOf(amount, part),
      paymentOption: kept(parameters, 'PAYMENTOPTION'),
      description: kept(parameters, 'DESCRIPTION'),
      version: kept(parameters, 'VERSION') ?? '3.0',
      extraData: kept(parameters, 'EXTRADATA'),
      clientIdent: kept(parameters, 'CLIENTIDENT'),
      clientEmail: kept(parameters, 'CLIENTEMAIL'),
      birthDate: kept(parameters, 'CLIENTDOB'),
      card: card && maskedCard(card, merchant.market),
      externalReference: this.nextReference(),
      createdAtMs: nowMs,
      state,
      execCode: outcome.made,
      succeededAtMs: state === 'succeeded' ? nowMs : undefined,
      pendingSinceMs: state === 'pending' ? nowMs : undefined,
      isCaptured: false,
      refundedAmount: 0,
    };
    return this.book(transaction, merchant, outcome.answered, 'request');
  }

  private followUpOf(
    reference: Transaction,
    { type, amount, execCode }: { type: OperationType; amount: number; execCode: string },
    parameters: Parameters,
  ): Transaction {
    const nowMs = this.books.clock.nowMs();
    return {
      ...reference,
      transactionId: newTransactionId(),
      orderId: kept(parameters, 'ORDERID') || reference.orderId,
      operationType: type,
      amount,
      description: kept(parameters, 'DESCRIPTION'),
      version: kept(parameters, 'VERSION') ?? '3.0',
      extraData: kept(parameters, 'EXTRADATA'),
      // The interface lists no card in the notifications of a capture, a refund or a void.
      card: undefined,
      externalReference: this.nextReference(),
      createdAtMs: nowMs,
      state: stateOf(execCode),
      execCode,
      succeededAtMs: nowMs,
      isCaptured: false,
      refundedAmount: 0,
    };
  }

  private book(
    transaction: Transaction,
    merchant: Merchant,
    answered: string,
    origin: 'request' | 'back-office',
  ): Executed {
    this.books.transactions.add(transaction);
    this.books.ledger.executed(transaction, answered, origin);
    // While the cardholder is on the form, there is no result to notify.
    if (transaction.state !== 'redirected') this.books.notifications.send(transaction, merchant);
    return { transaction, answered };
  }

  private wantedBy(amount: number): string | undefined {
    return this.codesByAmount ? codeWantedBy(amount) : undefined;
  }

  private nextReference(): string {
    this.references += 1;
    return String(this.references);
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

const newTransactionId = () => randomUUID().replaceAll('-', '');

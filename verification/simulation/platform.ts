import type { OperationKind } from '@tranche/contracts';
import { untagExtraData, type OperationState } from '@tranche/order-journal';
import type { Environment } from './process.js';
import type { Random } from './random.js';

/** One call as it arrives. Only the referee uses `by`. */
export interface PlatformRequest {
  orderKey: string;
  operation: OperationKind;
  /** Only method B can wait for an approval. */
  method: string;
  amount?: number;
  transactionId?: string;
  extraData?: string;
  by: { commandId: string; attempt: number; token: string; preparedMs?: number; supersedes?: string };
}

export interface PlatformAnswer {
  execCode: string;
  transactionId?: string;
  amount?: number;
  redirectHtml?: string;
  currency?: string;
}

export type Standing = 'succeeded' | 'refused' | 'redirect_required' | 'pending';

/** An operation that the platform really executed. The referee takes the ledger as the truth. */
export interface LedgerEntry {
  request: PlatformRequest;
  transactionId: string;
  standing: Standing;
  execCode: string;
  /** Minor units that were moved or reserved. */
  amount: number;
  atMs: number;
  /** When it came to its present standing, where that was after `atMs`. */
  settledMs?: number;
  wasRedirect: boolean;
  /** The gateway gave its approval up as expired, as the interface says. */
  wasExpired: boolean;
  /** Our timer ended it although the interface names no end: a payment that supersedes it may follow. */
  wasLeftBehind?: boolean;
  /** A notification reported "not executed" while a form or an approval was open. */
  wasDenied?: boolean;
  /** A notification said that it was refused, though it succeeded. */
  wasMisreported?: boolean;
  /** Minor units that people gave back in the back office. */
  givenBack?: number;
  /** A notification of its present standing is on its way or delivered. */
  isReported: boolean;
}

export interface SimulatedNotification extends PlatformAnswer {
  orderKey: string;
  operation: OperationKind;
  extraData?: string;
}

/** An operation of the back office has its own TRANSACTIONID and no EXTRADATA. */
export type MadeByHand = Pick<PlatformRequest, 'orderKey' | 'operation'> & { transactionId: string; execCode: string };

const FULL_AMOUNT = 10_000;
/** The first codes lead to another attempt at once. */
const NOT_EXECUTED = ['5001', '5001', '5003', '5003', '5002', '5005', '2006', '2017', '3004'] as const;

/** Plays the platform by the interface's table of states, with a ledger. */
export class SimulatedPlatform {
  readonly ledger: LedgerEntry[] = [];
  readonly byHand: MadeByHand[] = [];
  #transactions = 0;
  readonly #listeners: ((entry: LedgerEntry) => void)[] = [];

  constructor(
    private readonly env: Environment,
    private readonly notify: (notification: SimulatedNotification, delayMs: number) => void,
  ) {}

  /** The listener is called at once for every executed operation. */
  onExecuted(listener: (entry: LedgerEntry) => void): void {
    this.#listeners.push(listener);
  }

  /** A gateway's timer ended the payment. */
  endedByTimer(orderKey: string, { commandId, mayYetSucceed }: OperationState): void {
    for (const entry of this.of(orderKey, commandId))
      if (mayYetSucceed) entry.wasLeftBehind = true;
      else entry.wasExpired = true;
  }

  /** Takes a call and returns the true answer. With `refuses` the platform does not execute, and says so. */
  take(request: PlatformRequest, refuses: boolean): PlatformAnswer {
    const { random } = this.env;
    if (refuses) {
      const execCode = random.pick(NOT_EXECUTED);
      if (random.chance(0.7)) this.#notify(request, { execCode });
      return { execCode };
    }
    return this.#execute(request);
  }

  /**
   * Makes an operation with a notification; it is seldom refused. It does not count against the limits: the referee checks our operations
   * only.
   */
  makeByHand(
    request: Pick<PlatformRequest, 'orderKey' | 'operation'>,
    amount: number | undefined,
    random: Random,
  ): void {
    const execCode = random.chance(0.85) ? '0000' : '4001';
    const made = { ...request, transactionId: `H${this.byHand.length + 1}`, execCode };
    this.byHand.push(made);
    this.notify({ ...made, amount: amount ?? 1_000 }, random.between(0, 2_000));
  }

  /** The cardholder validates or leaves the provider's form; the provider approves or declines. */
  decide(entry: LedgerEntry): void {
    if (entry.standing !== 'redirect_required' && entry.standing !== 'pending') return;
    const { random } = this.env;
    const mayWait = entry.standing === 'redirect_required' && entry.request.method === 'B';
    if (!random.chance(0.75)) this.#settle(entry, 'refused', '4001');
    else if (mayWait && random.chance(0.3)) this.#settle(entry, 'pending', '0003');
    else this.#settle(entry, 'succeeded', '0000');
  }

  /** Sends a notification with an error code although the payment still waits. */
  deny(entry: LedgerEntry): void {
    entry.wasDenied = true;
    const { orderKey, operation, extraData } = entry.request;
    const execCode = this.env.random.pick(['5001', '5003', '5005']);
    const about = { orderKey, operation, execCode, transactionId: entry.transactionId };
    this.notify(extraData === undefined ? about : { ...about, extraData }, 0);
  }

  /** Says of a payment that succeeded that it was refused. */
  misreport(entry: LedgerEntry): void {
    entry.wasMisreported = true;
    this.#notify(entry.request, { execCode: '4001', transactionId: entry.transactionId });
  }

  /** People give money back in the back office, which may be told as a refund under that TRANSACTIONID. */
  giveBack(entry: LedgerEntry, amount: number, transactionId: string, isTold: boolean): void {
    entry.givenBack = (entry.givenBack ?? 0) + amount;
    const { orderKey, operation } = entry.request;
    if (isTold && operation !== 'authorize')
      this.notify({ orderKey, operation: 'refund', execCode: '0000', transactionId, amount }, 500);
  }

  /** An operator ends a waiting payment in the back office; its notification may be missing. */
  cancel(entry: LedgerEntry): void {
    this.#settle(entry, 'refused', '4017');
  }

  of(orderKey: string, commandId: string): LedgerEntry[] {
    return this.ledger.filter(({ request }) => request.orderKey === orderKey && request.by.commandId === commandId);
  }

  /**
   * Returns the minor units of a capture or card payment that can still be refunded, by the ledger. Refunds of a card payment and of its
   * captures share the limit of the payment (docs/decisions/0020).
   */
  remaining(orderKey: string, transactionId: string | undefined): number {
    const source = this.#find(orderKey, transactionId);
    if (source?.standing !== 'succeeded') return 0;
    const leftOf = ({ amount }: LedgerEntry, refunded: readonly LedgerEntry[]) =>
      refunded
        .flatMap((one) => this.#followUps(orderKey, 'refund', one.transactionId))
        .reduce((left, refund) => left - refund.amount, amount - givenBackOf(refunded));
    const before = this.#find(orderKey, source.request.transactionId);
    const payment = before?.request.operation === 'pay' ? before : source;
    const captures = this.#followUps(orderKey, 'capture', payment.transactionId);
    return Math.min(leftOf(source, [source]), leftOf(payment, [payment, ...captures]));
  }

  #execute(request: PlatformRequest): PlatformAnswer {
    const { random, profile } = this.env;
    const refusal =
      profile.isStrict || isOfNothing(request, this.#find(request.orderKey, request.transactionId))
        ? this.#refusal(request)
        : undefined;
    const [standing, execCode] = refusal ? (['refused', refusal] as const) : this.#result(request);
    const amount = this.#amountOf(request, execCode);
    const transactionId = `T${++this.#transactions}`;
    const atMs = this.env.scheduler.nowMs;
    const history = { wasRedirect: standing === 'redirect_required', wasExpired: false, isReported: false };
    const entry: LedgerEntry = { request, transactionId, standing, execCode, amount, atMs, ...history };
    this.ledger.push(entry);
    for (const listener of this.#listeners) listener(entry);
    if (standing !== 'redirect_required' || random.chance(0.3))
      entry.isReported = this.#notify(request, this.#answerOf(entry));
    const { amount: notified, ...answer } = this.#answerOf(entry);
    // Answers name no amount (interface, result fields), unless it is not the one that was asked for: a guard could not know of it else.
    const isNamed = notified !== undefined && (execCode === '0004' || isOtherAmount(entry));
    return isNamed ? { ...answer, amount: notified } : answer;
  }

  #settle(entry: LedgerEntry, standing: Standing, execCode: string): void {
    Object.assign(entry, { standing, execCode, settledMs: this.env.scheduler.nowMs });
    entry.isReported = this.#notify(entry.request, this.#answerOf(entry));
  }

  #answerOf({ transactionId, execCode, standing, amount, request }: LedgerEntry): PlatformAnswer {
    const isExact = request.operation !== 'authorize' || execCode === '0004' || amount !== request.amount;
    return {
      execCode,
      transactionId,
      ...(standing === 'succeeded' && isExact ? { amount } : {}),
      ...(standing === 'redirect_required' ? { redirectHtml: 'PGh0bWw+' } : {}),
    };
  }

  #result({ operation, method }: PlatformRequest): [Standing, string] {
    const { random } = this.env;
    if (random.chance(0.12)) return ['refused', random.pick(['4001', '4004', '1002', '6001'])];
    if (operation === 'authorize' && method === 'A' && this.env.profile.edges?.waiting?.supersedesDoubts)
      return ['redirect_required', '0002'];
    if (operation === 'authorize') {
      const way = random.weighted({ succeeded: 4, redirect: 3, pending: method === 'B' ? 3 : 0, partly: 0.4 });
      if (way === 'redirect') return ['redirect_required', '0002'];
      if (way === 'pending') return ['pending', '0003'];
      return ['succeeded', way === 'partly' ? '0004' : '0000'];
    }
    if (operation === 'pay' && random.chance(0.3)) return ['redirect_required', '0001'];
    return ['succeeded', '0000'];
  }

  #amountOf({ operation, amount, orderKey, transactionId, extraData }: PlatformRequest, execCode: string): number {
    if (execCode === '0004') return Math.floor((amount ?? FULL_AMOUNT) / 2);
    if (amount !== undefined)
      return this.#isOtherAmount(extraData) ? Math.floor(amount * this.env.random.pick([0.9, 1.1])) : amount;
    if (operation === 'refund') return Math.max(0, this.remaining(orderKey, transactionId));
    return this.#find(orderKey, transactionId)?.amount ?? FULL_AMOUNT;
  }

  /** Untagged evidence with another amount counts as external, so only tagged operations get another amount. */
  #isOtherAmount(extraData: string | undefined): boolean {
    const { profile, random } = this.env;
    return (
      profile.edges !== undefined &&
      untagExtraData(extraData).tag !== undefined &&
      random.chance(profile.edges.otherAmount ?? 0)
    );
  }

  /** Returns the code with which a strict platform enforces the interface's limits. */
  #refusal({ operation, orderKey, transactionId, amount }: PlatformRequest): string | undefined {
    if (operation === 'authorize' || operation === 'pay') return undefined;
    const reference = this.#find(orderKey, transactionId);
    if (!reference) return '2002';
    if (reference.standing !== 'succeeded') return '2003';
    const isFollowed = ['capture', 'void'].some((kind) => this.#followUps(orderKey, kind, transactionId).length > 0);
    if (operation === 'capture' && isFollowed) return '2005';
    if (operation === 'void' && isFollowed) return '2015';
    if (operation === 'capture' && (amount ?? 0) > reference.amount) return '2007';
    if (operation === 'refund' && (amount ?? 1) > this.remaining(orderKey, transactionId)) return '2008';
    return undefined;
  }

  #followUps(orderKey: string, kind: string, transactionId: string | undefined): LedgerEntry[] {
    return this.ledger.filter(
      ({ request, standing }) =>
        request.orderKey === orderKey &&
        request.operation === kind &&
        request.transactionId === transactionId &&
        standing === 'succeeded',
    );
  }

  #find(orderKey: string, transactionId: string | undefined): LedgerEntry | undefined {
    return this.ledger.find((entry) => entry.request.orderKey === orderKey && entry.transactionId === transactionId);
  }

  /** Notifies early (before the answer), late, twice or never, with the EXTRADATA of the request. Returns false for never. */
  #notify({ orderKey, operation, extraData }: PlatformRequest, answer: PlatformAnswer): boolean {
    const { random, profile, isTroubled } = this.env;
    if (isTroubled() && random.chance(profile.notificationMissing)) return false;
    const { redirectHtml, ...fields } = answer;
    const { otherCurrency = 0 } = profile.edges?.waiting ?? {};
    const currency = otherCurrency > 0 && random.chance(otherCurrency) ? { currency: 'USD' } : {};
    const notification = {
      orderKey,
      operation,
      ...fields,
      ...currency,
      ...(extraData === undefined ? {} : { extraData }),
    };
    // Often late enough to arrive in the middle of the next attempt.
    const delayMs = () => (random.chance(0.3) ? 0 : random.between(0, random.pick([50, 600, 600, 8000])));
    this.notify(notification, delayMs());
    if (isTroubled() && random.chance(profile.notificationTwice)) this.notify(notification, delayMs());
    return true;
  }
}

const givenBackOf = (entries: readonly LedgerEntry[]): number =>
  entries.reduce((sum, { givenBack = 0 }) => sum + givenBack, 0);

/** Even the mildest platform refuses a capture or refund of a transaction that did not succeed: the gateway leaves this check to the platform. */
const isOfNothing = ({ operation }: PlatformRequest, reference: LedgerEntry | undefined): boolean =>
  (operation === 'capture' || operation === 'refund') && reference?.standing !== 'succeeded';

/** A full success with another amount than asked for. */
export const isOtherAmount = ({ request, execCode, amount, standing }: LedgerEntry): boolean =>
  standing === 'succeeded' && execCode === '0000' && request.amount !== undefined && request.amount !== amount;

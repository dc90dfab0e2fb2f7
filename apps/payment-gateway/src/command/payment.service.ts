import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Fault } from '@tranche/contracts';
import {
  afterNotExecuted,
  findOperation,
  nextStep,
  operationTag,
  referenceFor,
  RULES_VERSION,
  verdictOf,
  type Intent,
  type OperationState,
  type OperationTerms,
  type OrderState,
  type Verdict,
} from '@tranche/order-journal';
import { ServiceLifetime } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { Journal } from '../journal/journal.service.js';
import { operationForm, type OperationForm } from '../platform/operation-form.js';
import { PlatformCaller } from '../platform/platform-caller.service.js';
import { termsOf, type AcceptedCommand } from './accepted-command.js';
import { faultsOfAge, faultsOfOrder } from './payment-rules.js';
import { isWithinSendDeadline, type Moment } from './send-deadline.js';

export type Handled = { handled: 'done' } | { handled: 'reused' };

/** An attempt that is ready to be sent: all that can fail without being sent has not failed. */
interface Prepared {
  attempt: number;
  terms: OperationTerms;
  form: OperationForm;
  bearer?: { accessToken: string; fingerprint: string };
}

/** One command from its arrival to where nothing more is ours to do. */
@Injectable()
export class PaymentService {
  constructor(
    private readonly journal: Journal,
    private readonly platform: PlatformCaller,
    private readonly clock: Clock,
    private readonly lifetime: ServiceLifetime,
  ) {}

  async handle(command: AcceptedCommand): Promise<Handled> {
    const { orderId } = command.data;
    let order = await this.journal.read(command.merchant.merchant, orderId);
    let isNew = true;
    for (;;) {
      const next = nextStep(order, command);
      switch (next.step) {
        case 'reused':
          return { handled: 'reused' };
        case 'repeat':
          if (isNew) await this.journal.append({ record: 'REPEATED', ...this.#inOrder(order), commandId: command.commandId });
          return { handled: 'done' };
        case 'wait':
          order = await this.journal.past(order.merchant, order.orderId, BigInt(order.lastOffset), this.lifetime.stopping);
          break;
        case 'attempt':
          order = await this.#attempt(command, order, next.attempt);
          break;
      }
      isNew = false;
    }
  }

  async #attempt(command: AcceptedCommand, order: OrderState, attempt: number): Promise<OrderState> {
    const known = findOperation(order, command.commandId);
    if (known?.lastNotExecuted) {
      const givenUp = await this.#waitOrGiveUp(order, known);
      if (givenUp) return givenUp;
    }
    const transactionId = namedTransaction(command, order);
    const terms = termsOf(command, methodOf(order, transactionId), transactionId);
    const faultsOfCommand = faultsOfAge(command, this.clock.nowMs());
    const faults = [...faultsOfCommand, ...faultsOfOrder(command, terms.method, transactionId)];
    if (faults.length > 0) return this.#reject(command, order, attempt, terms, faults, faultsOfCommand.length === 0);

    const bearer = await this.platform.bearerFor(command.merchant);
    if (bearer === 'refused') {
      const fault: Fault = { path: '', code: 'auth_refused', message: 'The token service refused the account’s credentials' };
      return this.#reject(command, order, attempt, terms, [fault], false);
    }
    const form = operationForm(command, { attempt, ...(transactionId === undefined ? {} : { transactionId }) });
    return this.#sendOnce(command, order, { attempt, terms, form, ...(bearer === undefined ? {} : { bearer }) });
  }

  /** INTENT, the fold's word on it, one POST, and what came of it. */
  async #sendOnce(command: AcceptedCommand, order: OrderState, { attempt, terms, form, bearer }: Prepared): Promise<OrderState> {
    const { commandId, operation } = command;
    const identity = { ...this.#inOrder(order), commandId, attempt, token: randomUUID() };
    const started = this.#moment();
    const tag = form.isTagged ? { tag: operationTag(commandId) } : {};
    const isReferenceRead =
      terms.transactionId !== undefined && !('transactionId' in command.data && command.data.transactionId !== undefined);
    const seen = isReferenceRead ? { seen: order.lastOffset } : {};
    const verdict = await this.#verdictOn({ record: 'INTENT', ...identity, ...terms, ...tag, ...seen });
    if (verdict.is !== 'granted') return verdict.order;

    const maySend = () => isWithinSendDeadline(started, this.#moment());
    const bearerToken = bearer === undefined ? {} : { bearer };
    const classified = await this.platform.call({ operation, merchant: command.merchant, body: form.body, maySend, ...bearerToken });
    return this.journal.appendSurely({ ...identity, at: isoTime(this.clock), ...classified });
  }

  /** An INTENT whose verdict can't be had is never sent, and says so: it may yet land and be granted. */
  async #verdictOn(intent: Intent): Promise<{ is: Verdict | undefined; order: OrderState }> {
    try {
      const order = await this.journal.appendAndRead(intent);
      return { is: verdictOf(order, intent.token), order };
    } catch (error) {
      const { rulesVersion, merchant, orderId, commandId, attempt, token } = intent;
      const message = 'The verdict on the intent could not be read; nothing was sent';
      const withdrawn = { rulesVersion, merchant, orderId, at: isoTime(this.clock), commandId, attempt, token } as const;
      await this.journal.append({ record: 'NOT_EXECUTED', ...withdrawn, reason: 'send_deadline', message }).catch(() => undefined);
      throw error;
    }
  }

  /** Resolves with undefined when the next attempt may be made now. */
  async #waitOrGiveUp(order: OrderState, operation: OperationState): Promise<OrderState | undefined> {
    const after = afterNotExecuted(operation, this.clock.nowMs());
    if (after.next === 'retry') {
      await delay(after.inMs, undefined, { signal: this.lifetime.stopping });
      return undefined;
    }
    const { code, message, retryAfterSeconds } = after;
    const hint = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    const { commandId, attempt } = operation;
    return this.journal.appendAndRead({ record: 'GIVEN_UP', ...this.#inOrder(order), commandId, attempt, code, message, ...hint });
  }

  /** `restsOnOrder`: void if the order moved on since it was read, for then it may not be true any more. */
  #reject(
    command: AcceptedCommand,
    order: OrderState,
    attempt: number,
    terms: OperationTerms,
    faults: Fault[],
    restsOnOrder: boolean,
  ): Promise<OrderState> {
    const seen = restsOnOrder ? { seen: order.lastOffset } : {};
    return this.journal.appendAndRead({
      record: 'REJECTED',
      ...this.#inOrder(order),
      commandId: command.commandId,
      attempt,
      ...terms,
      faults,
      ...seen,
    });
  }

  #inOrder({ merchant, orderId }: OrderState): { rulesVersion: number; merchant: string; orderId: string; at: string } {
    return { rulesVersion: RULES_VERSION, merchant, orderId, at: isoTime(this.clock) };
  }

  #moment(): Moment {
    return { wallMs: this.clock.nowMs(), monotonicMs: this.clock.monotonicMs() };
  }
}

function namedTransaction(command: AcceptedCommand, order: OrderState): string | undefined {
  switch (command.operation) {
    case 'capture':
    case 'refund':
    case 'void':
      return command.data.transactionId ?? referenceFor(order, command.operation);
    case 'authorize':
    case 'pay':
      return undefined;
  }
}

/** A follow-up's method is that of the operation it follows; undefined where the order does not show it. */
function methodOf(order: OrderState, transactionId: string | undefined): OperationState['method'] | undefined {
  return order.operations.find((operation) => operation.transactionId === transactionId && transactionId !== undefined)?.method;
}

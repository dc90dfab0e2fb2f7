import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Fault } from '@tranche/contracts';
import {
  Arbitration,
  compact,
  operationTag,
  OrderUnreadableError,
  referenceFor,
  type Arbitrable,
  type Hold,
  type OperationState,
  type OrderState,
  type Prepared,
  type Refused,
  type TraceHeaders,
} from '@tranche/order-journal';
import { faultsOfAge, faultsOfOrder, operationForm } from '@tranche/platform';
import { Clock } from '../clock.js';
import { Journal } from '../journal/journal.service.js';
import { PlatformCaller, type Route } from '../platform/platform-caller.service.js';
import { RailBreakers } from '../platform/rail-breakers.service.js';
import { sentExtraData, termsOf, type AcceptedCommand } from './accepted-command.js';

/** What a command needs of this service before arbitration may send it: rules, bearer token, form. */
@Injectable()
export class PaymentService {
  readonly #arbitration: Arbitration;

  constructor(
    private readonly journal: Journal,
    private readonly platform: PlatformCaller,
    gate: RailBreakers,
    private readonly clock: Clock,
  ) {
    this.#arbitration = new Arbitration({ journal: journal.view, gate, timing: clock, newToken: randomUUID });
  }

  /** While the index of the order's partition is lost or behind, nothing is granted: the command waits with its key only. */
  async handle(command: AcceptedCommand, hold: Hold, trace?: TraceHeaders): Promise<'done' | 'reused'> {
    const { commandId, contentHash, operation, rail, merchant, data } = command;
    const identity = { merchant: merchant.merchant, orderId: data.orderId, commandId, contentHash, operation, rail };
    const route = this.platform.route();
    const arbitrable: Arbitrable = {
      ...identity,
      ...(trace === undefined ? {} : { trace }),
      urlCount: this.platform.urlCount,
      prepare: (order, attempt) => this.#prepare(command, order, attempt, route),
    };
    for (;;) {
      try {
        return await this.#arbitration.handle(arbitrable, hold);
      } catch (error) {
        if (!(error instanceof OrderUnreadableError)) throw error;
        const { view } = this.journal;
        if (view.stoppedBecause !== undefined) throw error;
        await hold.withoutSlot(() => view.whenReadable(identity.merchant, identity.orderId, hold.signal));
      }
    }
  }

  async #prepare(command: AcceptedCommand, order: OrderState, attempt: number, route: Route): Promise<Prepared | Refused> {
    const transactionId = namedTransaction(command, order);
    const terms = termsOf(command, methodOf(order, transactionId), transactionId);
    const faultsOfCommand = faultsOfAge(command, this.clock.nowMs());
    const faults = [...faultsOfCommand, ...faultsOfOrder(command, terms.method, transactionId)];
    if (faults.length > 0) return { terms, faults, restsOnOrder: faultsOfCommand.length === 0 };

    const bearer = await this.platform.bearerFor(command.merchant);
    if (bearer === 'refused') {
      const fault: Fault = { path: '', code: 'auth_refused', message: 'The token service refused the account’s credentials' };
      return { terms, faults: [fault], restsOnOrder: false };
    }
    const sent = sentExtraData(command, attempt);
    const { path, body } = operationForm(command, compact({ transactionId, extraData: sent?.extraData }));
    const { operation, merchant } = command;
    const call = { operation, merchant, path, body, ...(bearer === undefined ? {} : { bearer }) };
    const isNamed = 'transactionId' in command.data && command.data.transactionId !== undefined;
    return {
      terms,
      ...(sent?.isTagged ? { tag: operationTag(command.commandId) } : {}),
      isReferenceRead: terms.transactionId !== undefined && !isNamed,
      send: (maySend) => this.platform.call({ ...call, maySend }, route),
    };
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

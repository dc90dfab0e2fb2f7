import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AgreedClock,
  compact,
  findOperation,
  operationNamedBy,
  operationTag,
  referenceFor,
  termsOf,
  type ExecutorPlatform,
  type ExecutorTiming,
  type OperationTerms,
  type OrderState,
  type PreparedAttempt,
  type RejectedAttempt,
  type SendOptions,
} from '@tranche/order-journal';
import { methodRow, type CallResult, type Merchant } from '@tranche/contracts';
import { faultsOfAge, faultsOfOrder, mayBeLookedUp, operationForm } from '@tranche/platform';
import { Clock } from '../clock.js';
import type { BearerToken } from '../platform/bearer-token.client.js';
import { PlatformCaller, type PlatformForm } from '../platform/platform-caller.service.js';
import { RailBreakers } from '../platform/rail-breakers.service.js';
import { type AcceptedCommand, factsOf, sentExtraData } from './accepted-command.js';
import { RepublishThrottle } from './republish-throttle.js';

/** The payment platform as the executor sees it: the form of an attempt, and the call. */
@Injectable()
export class PaymentPlatform implements ExecutorPlatform<AcceptedCommand, PlatformForm, BearerToken> {
  constructor(
    private readonly caller: PlatformCaller,
    private readonly clock: Clock,
  ) {}

  get urlCount(): number {
    return this.caller.urlCount;
  }

  get answeringUrl(): number {
    return this.caller.answeringUrl;
  }

  newToken(): string {
    return randomUUID();
  }

  prepare(command: AcceptedCommand, order: OrderState, attempt: number) {
    return prepareAttempt(command, order, attempt, this.clock.nowMs());
  }

  bearerFor(merchant: Merchant) {
    return this.caller.bearerFor(merchant);
  }

  warmUp(url: number): Promise<void> {
    return this.caller.warmUp(url);
  }

  send(form: PlatformForm, options: SendOptions<BearerToken>): Promise<CallResult> {
    return this.caller.send(form, options);
  }
}

/** The three things that make a payment command wait. */
@Injectable()
export class PaymentTiming implements ExecutorTiming {
  constructor(
    readonly clock: AgreedClock,
    readonly rails: RailBreakers,
    readonly repeats: RepublishThrottle,
  ) {}
}

/** Builds rules, terms and form of one attempt. `nowMs`: wall clock. */
export function prepareAttempt(
  command: AcceptedCommand,
  order: OrderState,
  attempt: number,
  nowMs: number,
): PreparedAttempt<PlatformForm> | RejectedAttempt {
  const { operation, merchant, data } = command;
  const { transactionId, fault } = namedTransaction(command, order);
  const named = operationNamedBy(order, transactionId);
  const terms = termsOf(factsOf(command, named?.currency), named?.method, transactionId);
  const faultsOfCommand = faultsOfAge(command, nowMs);
  const faults = [...faultsOfCommand, ...(fault ? [fault] : faultsOfOrder(command, terms.method, transactionId))];
  if (faults.length > 0) return { terms, faults, restsOnOrder: faultsOfCommand.length === 0 };

  const sent = sentExtraData(command, attempt);
  const { path, body } = operationForm(command, compact({ transactionId, extraData: sent?.extraData }));
  const isNamed = 'transactionId' in data && data.transactionId !== undefined;
  return {
    terms,
    ...(sent?.isTagged ? { tag: operationTag(command.commandId) } : {}),
    restsOnOrder: terms.transactionId !== undefined && !isNamed,
    permits: permitsOf(command, order, terms),
    form: { operation, merchant, path, body },
  };
}

/** Permissions in a payment's INTENT: look-ups while it waits, and superseding a doubtful authorization (method table: `alwaysForm`). */
function permitsOf(
  { operation, orderId, merchant }: AcceptedCommand,
  order: OrderState,
  { supersedes = '' }: OperationTerms,
): PreparedAttempt<PlatformForm>['permits'] {
  const isPayment = operation === 'authorize' || operation === 'pay';
  const target = findOperation(order, supersedes);
  const isForm = target?.operation === 'authorize' && methodRow(target.method).alwaysForm === true;
  return {
    ...(isPayment && mayBeLookedUp(orderId, merchant) ? { mayLookUp: true } : {}),
    ...(isForm && merchant.supersedeDoubtfulForms ? { supersedesDoubt: true } : {}),
    ...(operation === 'authorize' ? compact({ captureReminderHours: merchant.captureReminderHours }) : {}),
  };
}

/** TRANSACTIONID that a follow-up names, or that the order has for it. */
function namedTransaction(command: AcceptedCommand, order: OrderState): ReturnType<typeof referenceFor> {
  switch (command.operation) {
    case 'capture':
    case 'refund':
    case 'void':
      return command.data.transactionId === undefined ? referenceFor(order, command.operation) : command.data;
    case 'authorize':
    case 'pay':
      return {};
  }
}

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AgreedClock,
  CommandExecutor,
  compact,
  findOperation,
  operationNamedBy,
  operationTag,
  referenceFor,
  termsOf,
  type OperationTerms,
  type OrderState,
  type PreparedAttempt,
  type RejectedAttempt,
} from '@tranche/order-journal';
import { methodRow } from '@tranche/contracts';
import { faultsOfAge, faultsOfOrder, mayBeLookedUp, operationForm } from '@tranche/platform';
import { Journal } from '../journal/journal.service.js';
import type { BearerToken } from '../platform/bearer-token.client.js';
import { PlatformCaller, type PlatformForm } from '../platform/platform-caller.service.js';
import { RailBreakers } from '../platform/rail-breakers.service.js';
import { type AcceptedCommand, factsOf, sentExtraData } from './accepted-command.js';
import { RepublishThrottle } from './republish-throttle.js';

@Injectable()
export class PaymentExecutor extends CommandExecutor<AcceptedCommand, PlatformForm, BearerToken> {
  constructor(
    journal: Journal,
    platform: PlatformCaller,
    gate: RailBreakers,
    clock: AgreedClock,
    repeats: RepublishThrottle,
  ) {
    super({
      journal: journal.view,
      gate,
      timing: clock,
      readClocks: () => clock.readClocks(),
      newToken: randomUUID,
      republishResult: ({ merchant: { merchant }, orderId, commandId, appendedMs }, lease, append) =>
        repeats.republish({ merchant, orderId, commandId, appendedMs }, lease, append),
      prepare: (command, order, attempt) => prepareAttempt(command, order, attempt, clock.nowMs()),
      bearerFor: (merchant) => platform.bearerFor(merchant),
      urlCount: platform.urlCount,
      firstUrl: () => platform.answeringUrl,
      warmUp: (url) => platform.warmUp(url),
      send: (form, options) => platform.send(form, options),
    });
  }
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

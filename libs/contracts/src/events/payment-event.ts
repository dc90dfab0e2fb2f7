import type { Fault } from '../faults.js';
import type { FaultCode } from '../error-codes.js';
import { OPERATION_KINDS, type OperationKind } from '../message-types.js';
import { METHOD_NAMES, type Method } from '../methods.js';
import { AnyText, Int, NestedList, Optional, TextList, YesNo } from '../validation/fields.js';

export const OUTCOMES = ['succeeded', 'refused', 'not_executed', 'redirect_required', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Where an outcome came from. */
export const ORIGINS = ['answer', 'notification', 'look-up', 'operator', 'timer'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * What the gateway of this version writes in these fields. A later one may write more, and a reader that refused it would lose the event: so a
 * reader takes any text there, and does what is right for a value that it does not know.
 */
export const EVENT_VALUES = {
  operation: OPERATION_KINDS,
  method: METHOD_NAMES,
  outcome: OUTCOMES,
  origin: ORIGINS,
} as const;

/** A fault as an event carries it. Codes may be added, so a reader takes any text. */
export class ReportedFault implements Fault {
  @AnyText()
  path!: string;

  @AnyText()
  code!: FaultCode;

  @AnyText()
  message!: string;
}

/**
 * What a result event says. Which fields each type has at least: `EVENT_REQUIREMENTS`. Readers ignore fields that they don't know, and
 * take values that they don't know (EVENT_VALUES). Merchant and order are empty where a rejected command did not name them readably.
 */
export class PaymentEvent {
  @AnyText()
  merchant!: string;

  @AnyText()
  orderId!: string;

  @Optional()
  @AnyText()
  commandId?: string;

  @Optional()
  @AnyText()
  operation?: OperationKind;

  /** Of `payment.operation.external`, in place of `operation`: the platform's OPERATIONTYPE, where no operation of ours has it. */
  @Optional()
  @AnyText()
  operationType?: string;

  @Optional()
  @AnyText()
  method?: Method;

  /** From 1. */
  @Optional()
  @Int(1)
  attempt?: number;

  /** Minor units. */
  @Optional()
  @Int(0)
  amount?: number;

  /** Of `payment.conflict.detected` with the flag `other_amount`: what the platform says it was, where `amount` was asked for. Minor units. */
  @Optional()
  @Int(0)
  otherAmount?: number;

  /** ISO 4217. */
  @Optional()
  @AnyText()
  currency?: string;

  /** Of `payment.conflict.detected` with the flag `other_currency`: the one that the platform names, where `currency` is the order's. */
  @Optional()
  @AnyText()
  otherCurrency?: string;

  @Optional()
  @AnyText()
  transactionId?: string;

  /** Verbatim, also where we don't know it. */
  @Optional()
  @AnyText()
  execCode?: string;

  /** EXECCODE had more than 65,536 characters. */
  @Optional()
  @YesNo()
  execCodeTruncated?: boolean;

  /** MESSAGE, at most 4,096 characters. */
  @Optional()
  @AnyText()
  message?: string;

  @Optional()
  @YesNo()
  messageTruncated?: boolean;

  @Optional()
  @AnyText()
  descriptor?: string;

  /** DESCRIPTOR had more than 255 characters. */
  @Optional()
  @YesNo()
  descriptorTruncated?: boolean;

  /** EXECCODE 0004: accepted in part, read the amount. */
  @Optional()
  @YesNo()
  partial?: boolean;

  /** REDIRECTHTML, base64 as the platform sent it: decode it and show it to the cardholder. */
  @Optional()
  @AnyText()
  redirectHtml?: string;

  /** REDIRECTHTML was over 2 MB. */
  @Optional()
  @YesNo()
  redirectHtmlDropped?: boolean;

  /** The caller's own value. */
  @Optional()
  @AnyText()
  extraData?: string;

  /** Of `doubt_resolved`: what the operation turned out to be. */
  @Optional()
  @AnyText()
  outcome?: Outcome;

  @Optional()
  @AnyText()
  origin?: Origin;

  @Optional()
  @NestedList(() => ReportedFault, 0)
  faults?: ReportedFault[];

  /** Of `payment.command.rejected` with `id_reused`: the state of the command that has the id. It is no result of the rejected one. */
  @Optional()
  @AnyText()
  knownState?: string;

  /** Whether the caller may try again with a new command. */
  @Optional()
  @YesNo()
  retryable?: boolean;

  @Optional()
  @Int(0)
  retryAfterSeconds?: number;

  @Optional()
  @AnyText()
  externalEntityId?: string;

  /** 9 digits, padded with zeros. */
  @Optional()
  @AnyText()
  externalReference?: string;

  /** Of the form that the cardholder saw, as a notification tells it. */
  @Optional()
  @AnyText()
  language?: string;

  /** Of a card payment, as its notification tells it: 'XXXXXXXXXXXX1234'. */
  @Optional()
  @AnyText()
  maskedCard?: string;

  @Optional()
  @AnyText()
  cardBrand?: string;

  @Optional()
  @AnyText()
  cardCountry?: string;

  @Optional()
  @TextList()
  flags?: string[];
}

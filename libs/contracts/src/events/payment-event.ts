import type { Fault } from '../faults.js';
import type { FaultCode } from '../error-codes.js';
import { OPERATION_KINDS, type OperationKind } from '../message-types.js';
import { METHOD_NAMES, type Method } from '../methods.js';
import { AnyText, Int, NestedList, Optional, TextList, YesNo } from '../validation/fields.js';

export const OUTCOMES = ['succeeded', 'refused', 'not_executed', 'redirect_required', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Source of an outcome. */
export const ORIGINS = ['answer', 'notification', 'look-up', 'operator', 'timer'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Values that this version writes. Later versions may add values, so readers must accept any text: to refuse it would lose the event. */
export const EVENT_VALUES = {
  operation: OPERATION_KINDS,
  method: METHOD_NAMES,
  outcome: OUTCOMES,
  origin: ORIGINS,
} as const;

/** A fault in an event. Later versions may add codes, so readers accept any text. */
export class ReportedFault implements Fault {
  @AnyText()
  path!: string;

  @AnyText()
  code!: FaultCode;

  @AnyText()
  message!: string;
}

/**
 * Data of a result event. `EVENT_REQUIREMENTS` lists the required fields per type. Readers ignore unknown fields and accept unknown
 * values (EVENT_VALUES). `merchant` and `orderId` are empty if a rejected command did not contain them in readable form.
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

  /** Only in `payment.operation.external`, in place of `operation`: the platform's OPERATIONTYPE if we do not know it. */
  @Optional()
  @AnyText()
  operationType?: string;

  @Optional()
  @AnyText()
  method?: Method;

  /** Starts at 1. */
  @Optional()
  @Int(1)
  attempt?: number;

  /** Minor units. For an operation without AMOUNT see `amountAssumed`. */
  @Optional()
  @Int(0)
  amount?: number;

  /**
   * True if nobody named the amount: `amount` is our reading of the platform's default (all, or all that remains). A further event of the
   * operation has the confirmed amount, without this field, once the platform reports it.
   */
  @Optional()
  @YesNo()
  amountAssumed?: boolean;

  /** Minor units. The platform's amount where it is not the requested one, which is `amount`: from the conflict `other_amount` on. */
  @Optional()
  @Int(0)
  otherAmount?: number;

  /** ISO 4217. */
  @Optional()
  @AnyText()
  currency?: string;

  /** ISO 4217. Only in `payment.conflict.detected` with flag `other_currency`: the platform's currency; `currency` is the order's. */
  @Optional()
  @AnyText()
  otherCurrency?: string;

  @Optional()
  @AnyText()
  transactionId?: string;

  /** TRANSACTIONID of the operation that this one follows: of the authorization of a capture or void, of the capture of a refund. */
  @Optional()
  @AnyText()
  reference?: string;

  /** The platform's EXECCODE, unchanged even if it is unknown. */
  @Optional()
  @AnyText()
  execCode?: string;

  /** True if EXECCODE had more than 65,536 characters and was shortened. */
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

  /** True if DESCRIPTOR had more than 255 characters and was shortened. */
  @Optional()
  @YesNo()
  descriptorTruncated?: boolean;

  /** True for EXECCODE 0004: accepted in part, `amount` is the accepted amount. */
  @Optional()
  @YesNo()
  partial?: boolean;

  /**
   * REDIRECTHTML as the platform sent it: a whole HTML page in base64. Decode it (`decodeRedirectHtml` of `@tranche/client`, or
   * `Buffer.from(redirectHtml, 'base64').toString('utf8')`) and send it to the cardholder's browser as `text/html; charset=utf-8`.
   */
  @Optional()
  @AnyText()
  redirectHtml?: string;

  /**
   * True if there is no REDIRECTHTML to show: the platform sent none, or none in base64, or more than 12 MiB, or this event repeats one that is older
   * than a day. The cardholder can't pay with it: void the authorization, or make another one that names it in `supersedes`.
   */
  @Optional()
  @YesNo()
  redirectHtmlDropped?: boolean;

  /** EXTRADATA of the command, without our tag. */
  @Optional()
  @AnyText()
  extraData?: string;

  /** Only in `doubt_resolved`: the final outcome of the operation. */
  @Optional()
  @AnyText()
  outcome?: Outcome;

  @Optional()
  @AnyText()
  origin?: Origin;

  @Optional()
  @NestedList(() => ReportedFault, 0)
  faults?: ReportedFault[];

  /** Only in `payment.command.rejected` with `id_reused`: state of the earlier command, not a result of the rejected one. */
  @Optional()
  @AnyText()
  knownState?: string;

  /** True if the caller may try again with a new command. */
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

  /** Language of the cardholder's form, from a notification. */
  @Optional()
  @AnyText()
  language?: string;

  /** Masked card of a card payment, from its notification, for example 'XXXXXXXXXXXX1234'. */
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

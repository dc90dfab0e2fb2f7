import { type Fault, ERROR_CODES, type FaultCode } from '../error-codes.js';
import { OPERATION_KINDS, type OperationKind } from '../message-types.js';
import { METHOD_NAMES, type Method } from '../methods.js';
import { Doc } from '../validation/doc.js';
import { AnyText, Int, MinorUnits, NestedList, Optional, TextList, YesNo, OptionalText } from '../validation/fields.js';

export const OUTCOMES = ['succeeded', 'refused', 'not_executed', 'redirect_required', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const SETTLEMENTS = ['kept', 'repaired'] as const;
type SettlementOutcome = (typeof SETTLEMENTS)[number];

/** Source of an outcome. */
const ORIGINS = ['answer', 'notification', 'look-up', 'operator', 'timer'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Values that this version writes. Later versions may add values, so readers must accept any text: to refuse it would lose the event. */
export const EVENT_VALUES = {
  operation: OPERATION_KINDS,
  method: METHOD_NAMES,
  outcome: OUTCOMES,
  settlement: SETTLEMENTS,
  origin: ORIGINS,
} as const;

/**
 * Flags that this version writes; the schema and the reference list them, and the fold may only add those that stand here. Further ones begin
 * with `was_` and `said_` (two results of one operation that contradict each other), name a reminder, or are flags of a notification.
 */
const EVENT_FLAGS = [
  'two_payments_succeeded',
  'never_granted',
  'paid_after_void',
  'other_amount',
  'invalid_amount',
  'other_currency',
  'other_result',
  'transaction_assumed',
  'was_succeeded',
  'said_refused',
  'superseded',
  'may_be_ours',
  'references_added',
  'amount_added',
  'amount_confirmed',
  'other_amount_added',
  'transaction_added',
  'transaction_confirmed',
  'descriptor_added',
  'card_added',
  'extra_data_added',
  'language_added',
  'unknown_language',
  'timeout',
  'connection_lost',
  'http_status',
  'unreadable_answer',
  'wrong_operation_type',
  'platform_in_doubt',
  'unknown_execcode',
  'owner_lost',
  'success_reported',
  'capture_window_passed',
] as const;
export type EventFlag = (typeof EVENT_FLAGS)[number];

@Doc('One reason why a command was rejected. Later versions may add codes, so readers accept any text.')
export class ReportedFault implements Fault {
  @Doc('Field of the command, such as cart[0].price or ce_time; empty for the message as a whole.', 'amount')
  @AnyText()
  path!: string;

  @Doc(
    'Stable code of the reason; docs/reference/fault-codes.md lists them.',
    'amount_out_of_range',
    Object.keys(ERROR_CODES),
  )
  @AnyText()
  code!: FaultCode;

  @Doc('Explanation for people. It never holds the value.', 'must be from 150 to 2000 EUR')
  @AnyText()
  message!: string;
}

@Doc(
  'Data of a result event. Which fields an event has depends on its type (header ce_type); readers ignore fields, values and types that they do not know.',
)
export class PaymentEvent {
  @Doc('Merchant of the order. Empty if a rejected command had none that could be read.', 'shop-fr')
  @AnyText()
  merchant!: string;

  @Doc('ORDERID of the shop. Empty if a rejected command had none that could be read.', 'order-1')
  @AnyText()
  orderId!: string;

  @OptionalText(
    "CloudEvents id of the command that the event is about. Absent for operations that were made elsewhere, such as in the merchant's back office.",
    '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10',
  )
  commandId?: string;

  @OptionalText('Operation that the event is about.', 'authorize', EVENT_VALUES.operation)
  operation?: OperationKind;

  @OptionalText(
    'OPERATIONTYPE as the platform sent it, in place of operation, if this version does not know it. Only in payment.operation.external.',
    'credit',
  )
  operationType?: string;

  @OptionalText('Payment method of the order.', 'A', EVENT_VALUES.method)
  method?: Method;

  @Doc(
    'Number of the call of the platform for this command, from 1. Only calls that certainly were not executed are made again.',
    1,
  )
  @Optional()
  @Int(1)
  attempt?: number;

  @Doc('Amount of the operation in minor units: the requested one, or the one that amountAssumed explains.', 30000)
  @Optional()
  @MinorUnits()
  amount?: number;

  @Doc(
    'True if neither the command nor the platform named the amount: amount is then what the platform takes by default (all, or all that remains). A further event of the operation has the confirmed amount, without this field.',
    true,
  )
  @Optional()
  @YesNo()
  amountAssumed?: boolean;

  @Doc(
    'Amount in minor units that the platform reports where it is not the requested one, which is amount. Present from the conflict other_amount on.',
    25000,
  )
  @Optional()
  @MinorUnits()
  otherAmount?: number;

  @OptionalText("ISO 4217 code of the order's currency.", 'EUR')
  currency?: string;

  @OptionalText(
    "ISO 4217 code that the platform reports where it is not the order's currency. Only in payment.conflict.detected with the flag other_currency.",
    'CHF',
  )
  otherCurrency?: string;

  @OptionalText(
    "TRANSACTIONID: the platform's id of the operation. Captures, refunds and voids name it.",
    'T0000000001',
  )
  transactionId?: string;

  @Doc(
    'True if the platform named no TRANSACTIONID to the command, and transactionId is of the first report that may be of it. It may be of an operation that was made elsewhere; of each TRANSACTIONID the amount is right. A further event with the flag transaction_confirmed takes it back.',
    true,
  )
  @Optional()
  @YesNo()
  transactionAssumed?: boolean;

  @OptionalText(
    'TRANSACTIONID of the operation that this one follows: the authorization of a capture or void, the capture of a refund.',
    'T0000000000',
  )
  reference?: string;

  @OptionalText(
    'EXECCODE of the platform, unchanged even if this version does not know it. Absent if an operator or a timer ended the operation.',
    '0000',
  )
  execCode?: string;

  @Doc('True if EXECCODE had more than 65,536 characters and was shortened.', true)
  @Optional()
  @YesNo()
  execCodeTruncated?: boolean;

  @OptionalText(
    'MESSAGE of the platform for people, shortened to 4,096 characters. Programs read execCode.',
    'Transaction accepted',
  )
  message?: string;

  @Doc('True if MESSAGE had more than 4,096 characters and was shortened.', true)
  @Optional()
  @YesNo()
  messageTruncated?: boolean;

  @OptionalText("DESCRIPTOR: label on the cardholder's bank statement, shortened to 255 characters.", 'SHOP FR')
  descriptor?: string;

  @Doc('True if DESCRIPTOR had more than 255 characters and was shortened.', true)
  @Optional()
  @YesNo()
  descriptorTruncated?: boolean;

  @Doc('True for EXECCODE 0004: the platform accepted a part, and amount is that part.', true)
  @Optional()
  @YesNo()
  partial?: boolean;

  @OptionalText(
    "REDIRECTHTML: a whole HTML page in base64. Decode it as UTF-8 and send it to the cardholder's browser as text/html; charset=utf-8.",
    'PCFkb2N0eXBlIGh0bWw+PHRpdGxlPlBheTwvdGl0bGU+',
  )
  redirectHtml?: string;

  @Doc(
    'True if there is no page to show: the platform sent none, or none in base64, or more than 12 MiB, or this event repeats one that is older than a day. The cardholder cannot pay with it: void the authorization, or make another one that names it in supersedes.',
    true,
  )
  @Optional()
  @YesNo()
  redirectHtmlDropped?: boolean;

  @OptionalText("EXTRADATA of the command, without the gateway's tag.", 'basket=42')
  extraData?: string;

  @Doc(
    'Only in payment.authorize.expired and payment.pay.expired. False: by the rules of the platform the payment has failed. True: only our timer ended it, and it may yet succeed; until it is denied, another payment of the order must name it in supersedes.',
    true,
  )
  @Optional()
  @YesNo()
  mayYetSucceed?: boolean;

  @OptionalText(
    'How the operation ended after a doubt, in doubt_resolved; the result that stands, in payment.conflict.settled.',
    'succeeded',
    EVENT_VALUES.outcome,
  )
  outcome?: Outcome;

  @OptionalText(
    'What the conflict came to. kept: what was reported stands, as outcome says where reports differed about it. repaired: money was given back elsewhere. Only in payment.conflict.settled.',
    'kept',
    EVENT_VALUES.settlement,
  )
  settlement?: SettlementOutcome;

  @Doc('Minor units that were given back elsewhere of transactionId. Only with settlement repaired.', 5000)
  @Optional()
  @MinorUnits()
  repairedAmount?: number;

  @OptionalText(
    'TRANSACTIONID of the refund in the back office, or another reference under which the money was given back. Only with settlement repaired.',
    'T0000000009',
  )
  repairReference?: string;

  @OptionalText('Source of the result.', 'answer', EVENT_VALUES.origin)
  origin?: Origin;

  @Doc('All reasons of a rejection. Nothing was executed.')
  @Optional()
  @NestedList(() => ReportedFault, 0)
  faults?: ReportedFault[];

  @OptionalText(
    'State of the earlier command with the same id. Only in payment.command.rejected with id_reused; it is no result of the rejected command.',
    'succeeded',
  )
  knownState?: string;

  @Doc('True if the caller may try again with a new command id.', true)
  @Optional()
  @YesNo()
  retryable?: boolean;

  @Doc('Seconds to wait before the next try.', 300)
  @Optional()
  @Int(0)
  retryAfterSeconds?: number;

  @OptionalText(
    "EXTERNALENTITYID: the provider's reference of the merchant's account, 1 to 10 digits. From refund notifications of method B.",
    '1234567890',
  )
  externalEntityId?: string;

  @OptionalText(
    "EXTERNALREFERENCE: the provider's reference of the transaction, 9 digits with leading zeros. From refund notifications of method B.",
    '000001234',
  )
  externalReference?: string;

  @OptionalText('LANGUAGE of the form that the cardholder saw, from a notification.', 'fr')
  language?: string;

  @OptionalText('CARDCODE, masked, of a card payment, from its notification.', 'XXXXXXXXXXXX1234')
  maskedCard?: string;

  @OptionalText('CARDTYPE, else SELECTEDBRAND, of a card payment, from its notification.', 'visa')
  cardBrand?: string;

  @OptionalText('SELECTEDBRAND of a card payment: the brand that the cardholder chose, from its notification.', 'cb')
  selectedBrand?: string;

  @OptionalText('CARDCOUNTRY of a card payment, from its notification.', 'FR')
  cardCountry?: string;

  @Doc(
    'What is unusual about the result, such as the reason of a conflict. Later versions may add flags.',
    ['other_amount'],
    EVENT_FLAGS,
  )
  @Optional()
  @TextList()
  flags?: string[];
}

import { OPERATION_TYPES } from '../platform/enums.js';
import { check, type Checked } from '../validation/check.js';
import { Doc } from '../validation/doc.js';
import { AnyText, MinorUnits, Optional, TextList, TextMap, Timestamp, OptionalText } from '../validation/fields.js';

/** Anomalies of a notification. They never cause a refusal: a notification that the platform signed is always published. */
const NOTIFICATION_FLAGS = [
  'missing_parameters',
  'duplicate_parameters',
  'extra_parameters',
  'unknown_operation',
  'unknown_execcode',
  'unknown_language',
  'unknown_version',
  'invalid_order_id',
  'invalid_amount',
  'invalid_currency',
  'invalid_external_entity_id',
  'invalid_external_reference',
  'card_data_removed',
  'not_utf8',
] as const;
export type NotificationFlag = (typeof NOTIFICATION_FLAGS)[number];

@Doc(
  'Data of payment.notification.received: one notification of the platform whose HASH is right. Readers ignore fields that they do not know.',
)
export class PaymentNotification {
  @Doc('Merchant in the configuration of Tranche, found by IDENTIFIER.', 'shop-fr')
  @AnyText()
  merchant!: string;

  @Doc('ORDERID; empty if the platform sent none.', 'order-1')
  @AnyText()
  orderId!: string;

  @Doc("IDENTIFIER: the merchant's account at the platform.", 'Demo Shop FR')
  @AnyText()
  identifier!: string;

  @Doc('OPERATIONTYPE: any text, because the platform may add values.', 'authorization', OPERATION_TYPES)
  @AnyText()
  operationType!: string;

  @OptionalText("TRANSACTIONID: the platform's id of the operation.", 'T0000000001')
  transactionId?: string;

  @Doc("EXECCODE: the platform's result of the operation.", '0000')
  @AnyText()
  execCode!: string;

  @Doc('AMOUNT in minor units.', 30000)
  @Optional()
  @MinorUnits()
  amount?: number;

  @OptionalText(
    'CURRENCY: ISO 4217 code; another text only if the platform sent one, with the flag invalid_currency.',
    'EUR',
  )
  currency?: string;

  @OptionalText('MESSAGE: explanation of execCode for people.', 'Transaction accepted')
  message?: string;

  @OptionalText("DESCRIPTOR: label on the cardholder's bank statement.", 'SHOP FR')
  descriptor?: string;

  @OptionalText('LANGUAGE of the form that the cardholder saw.', 'fr')
  language?: string;

  @OptionalText(
    "EXTRADATA as the platform returned it, with the gateway's tag at its end.",
    'basket=42|tr1.AbCdEfGhIjKl.1',
  )
  extraData?: string;

  @OptionalText(
    "EXTERNALENTITYID: the provider's reference of the merchant's account, 1 to 10 digits. Method B, refunds.",
    '1234567890',
  )
  externalEntityId?: string;

  @OptionalText(
    "EXTERNALREFERENCE: the provider's reference of the transaction, 9 digits with leading zeros. Method B, refunds.",
    '000001234',
  )
  externalReference?: string;

  @OptionalText('CARDCODE of a card payment, masked.', 'XXXXXXXXXXXX1234')
  maskedCard?: string;

  @OptionalText('CARDTYPE of a card payment, else SELECTEDBRAND.', 'visa')
  cardBrand?: string;

  @OptionalText('SELECTEDBRAND of a card payment: the brand that the cardholder chose.', 'cb')
  selectedBrand?: string;

  @OptionalText('CARDVALIDITYDATE of a card payment, MM-YY, if the merchant keeps the data of the buyer.', '12-29')
  cardValidUntil?: string;

  @OptionalText("CARDFULLNAME of a card payment, if the merchant keeps the buyer's data.", 'Camille Martin')
  cardFullName?: string;

  @OptionalText("CLIENTEMAIL, if the merchant keeps the buyer's data.", 'camille@example.com')
  clientEmail?: string;

  @OptionalText("CLIENTIDENT, if the merchant keeps the buyer's data.", 'customer-1')
  clientIdent?: string;

  @OptionalText('CARDCOUNTRY of a card payment.', 'FR')
  cardCountry?: string;

  @Doc("All parameters as received, but HASH and, unless the merchant keeps them, the buyer's data.", {
    EXECCODE: '0000',
    IDENTIFIER: 'Demo Shop FR',
    OPERATIONTYPE: 'authorization',
    ORDERID: 'order-1',
  })
  @TextMap()
  parameters!: Record<string, string>;

  @Doc(
    'What is unusual about the notification. A notification with a right HASH is published in any case.',
    ['unknown_language'],
    NOTIFICATION_FLAGS,
  )
  @TextList()
  flags!: string[];

  @Doc('Time at which notification-ingest received it.', '2027-03-01T10:00:02Z')
  @Timestamp()
  receivedAt!: string;
}

/** Checks the data of an event of `payments.notifications.v1`. Returns an instance or all faults; never throws. */
export function validateNotificationData(data: unknown): Checked<PaymentNotification> {
  return check(PaymentNotification, data, 'ignored');
}

import { check, type Checked } from '../validation/check.js';
import { AnyText, Int, Optional, TextList, TextMap, Timestamp } from '../validation/fields.js';

/** Anomalies of a notification. They never cause a refusal: a notification that the platform signed is always published. */
export const NOTIFICATION_FLAGS = [
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

/** Data of `payment.notification.received`: one notification with a verified HASH. Readers ignore unknown fields. */
export class PaymentNotification {
  /** Our name of the merchant, found by IDENTIFIER. */
  @AnyText()
  merchant!: string;

  /** ORDERID; empty if the platform sent none. */
  @AnyText()
  orderId!: string;

  @AnyText()
  identifier!: string;

  /** OPERATIONTYPE, for example `authorization`; any text, because the platform may add values. */
  @AnyText()
  operationType!: string;

  @Optional()
  @AnyText()
  transactionId?: string;

  @AnyText()
  execCode!: string;

  /** Minor units. */
  @Optional()
  @Int(0)
  amount?: number;

  /** ISO 4217; any text if the platform sent something else. */
  @Optional()
  @AnyText()
  currency?: string;

  @Optional()
  @AnyText()
  message?: string;

  @Optional()
  @AnyText()
  descriptor?: string;

  /** Language of the cardholder's form. */
  @Optional()
  @AnyText()
  language?: string;

  @Optional()
  @AnyText()
  extraData?: string;

  /** EXTERNALENTITYID, 1 to 10 digits (method B, refund). */
  @Optional()
  @AnyText()
  externalEntityId?: string;

  /** EXTERNALREFERENCE, padded with zeros to 9 digits (method B, refund). */
  @Optional()
  @AnyText()
  externalReference?: string;

  /** Masked CARDCODE of a card payment, for example 'XXXXXXXXXXXX1234'. */
  @Optional()
  @AnyText()
  maskedCard?: string;

  /** CARDTYPE, else SELECTEDBRAND. */
  @Optional()
  @AnyText()
  cardBrand?: string;

  /** CARDCOUNTRY. */
  @Optional()
  @AnyText()
  cardCountry?: string;

  /** The received parameters except HASH and, unless the merchant keeps them, the buyer's data. */
  @TextMap()
  parameters!: Record<string, string>;

  @TextList()
  flags!: string[];

  @Timestamp()
  receivedAt!: string;
}

/** Checks the data of an event of `payments.notifications.v1`. Returns an instance or all faults; never throws. */
export function validateNotificationData(data: unknown): Checked<PaymentNotification> {
  return check(PaymentNotification, data, 'ignored');
}

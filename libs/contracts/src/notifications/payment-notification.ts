import { check, type Checked } from '../validation/check.js';
import { AnyText, Int, Optional, TextList, TextMap, Timestamp } from '../validation/fields.js';

/** What was noticed while a notification was read. A flag never loses it: what the platform signed passes through. */
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

/** `payment.notification.received`: one notification of the platform whose HASH was verified. Readers ignore fields that they don't know. */
export class PaymentNotification {
  /** Ours, by IDENTIFIER. */
  @AnyText()
  merchant!: string;

  /** Empty where the platform sent none. */
  @AnyText()
  orderId!: string;

  @AnyText()
  identifier!: string;

  /** The platform's word, `authorization`; any text where it is new. */
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

  /** ISO 4217; any text where the platform sent another. */
  @Optional()
  @AnyText()
  currency?: string;

  @Optional()
  @AnyText()
  message?: string;

  @Optional()
  @AnyText()
  descriptor?: string;

  /** Of the form that the cardholder saw. */
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

  /** CARDCODE of a card payment, masked: 'XXXXXXXXXXXX1234'. */
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

  /** All that was received but HASH. */
  @TextMap()
  parameters!: Record<string, string>;

  @TextList()
  flags!: string[];

  @Timestamp()
  receivedAt!: string;
}

/** For readers of `payments.notifications.v1`. Never throws. */
export function validateNotificationData(data: unknown): Checked<PaymentNotification> {
  return check(PaymentNotification, data, 'ignored');
}

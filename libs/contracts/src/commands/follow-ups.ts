import { Amount, Optional, Timestamp } from '../validation/fields.js';
import { Description, FreeField, MerchantName, OrderId, SellerId, TransactionId } from './payment-fields.js';

/** `payment.capture`. */
export class Capture {
  @MerchantName()
  merchant!: string;

  @OrderId()
  orderId!: string;

  @Description()
  description!: string;

  /** Absent: the whole authorization. */
  @Optional()
  @Amount()
  amount?: number;

  /** Id of the authorization; absent: the order's. */
  @Optional()
  @TransactionId()
  transactionId?: string;

  @Optional()
  @FreeField()
  extraData?: string;

  @Optional()
  @Timestamp()
  notAfter?: string;
}

/** `payment.refund`. */
export class Refund {
  @MerchantName()
  merchant!: string;

  @OrderId()
  orderId!: string;

  @Description()
  description!: string;

  /** Absent: all that remains. */
  @Optional()
  @Amount()
  amount?: number;

  /** Id of the capture; absent: the order's. */
  @Optional()
  @TransactionId()
  transactionId?: string;

  @Optional()
  @FreeField()
  extraData?: string;

  /** SUBMERCHANTEXTERNALID of the seller in a marketplace whose article is paid back. */
  @Optional()
  @SellerId()
  subMerchantExternalId?: string;

  @Optional()
  @Timestamp()
  notAfter?: string;
}

/** `payment.void`. */
export class VoidAuthorization {
  @MerchantName()
  merchant!: string;

  @OrderId()
  orderId!: string;

  @Description()
  description!: string;

  /** Id of the authorization; absent: the order's. */
  @Optional()
  @TransactionId()
  transactionId?: string;

  @Optional()
  @FreeField()
  extraData?: string;

  @Optional()
  @Timestamp()
  notAfter?: string;
}

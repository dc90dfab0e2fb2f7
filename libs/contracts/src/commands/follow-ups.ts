import { Amount, Optional } from '../validation/fields.js';
import { OrderCommand } from './order-command.js';
import { FreeField, TransactionId } from './payment-fields.js';

abstract class FollowUp extends OrderCommand {
  @Optional()
  @FreeField()
  extraData?: string;
}

/** Data of `payment.capture` (interface, capture). */
export class Capture extends FollowUp {
  /** Minor units. If absent, the whole authorization is captured. */
  @Optional()
  @Amount()
  amount?: number;

  /** TRANSACTIONID of the authorization. If absent, the order's authorization is used. */
  @Optional()
  @TransactionId()
  transactionId?: string;
}

/** Data of `payment.refund` (interface, refund). */
export class Refund extends FollowUp {
  /** Minor units. If absent, everything that remains is refunded. */
  @Optional()
  @Amount()
  amount?: number;

  /** TRANSACTIONID of the capture. If absent, the order's capture is used. */
  @Optional()
  @TransactionId()
  transactionId?: string;
}

/** Data of `payment.void` (interface, void). */
export class VoidAuthorization extends FollowUp {
  /** TRANSACTIONID of the authorization. If absent, the order's authorization is used. */
  @Optional()
  @TransactionId()
  transactionId?: string;
}

import { Amount, Optional } from '../validation/fields.js';
import { OrderCommand } from './order-command.js';
import { FreeField, TransactionId } from './payment-fields.js';

abstract class FollowUp extends OrderCommand {
  @Optional()
  @FreeField()
  extraData?: string;
}

/** `payment.capture`. */
export class Capture extends FollowUp {
  /** Absent: the whole authorization. */
  @Optional()
  @Amount()
  amount?: number;

  /** Id of the authorization; absent: the order's. */
  @Optional()
  @TransactionId()
  transactionId?: string;
}

/** `payment.refund`. */
export class Refund extends FollowUp {
  /** Absent: all that remains. */
  @Optional()
  @Amount()
  amount?: number;

  /** Id of the capture; absent: the order's. */
  @Optional()
  @TransactionId()
  transactionId?: string;
}

/** `payment.void`. */
export class VoidAuthorization extends FollowUp {
  /** Id of the authorization; absent: the order's. */
  @Optional()
  @TransactionId()
  transactionId?: string;
}

import { Doc } from '../validation/doc.js';
import { Amount, Optional } from '../validation/fields.js';
import { OrderCommand } from './order-command.js';
import { ExtraData, TransactionId } from '../payment-fields.js';

abstract class FollowUp extends OrderCommand {
  @ExtraData()
  extraData?: string;
}

@Doc('Data of payment.capture: takes the money of an authorization, once, within 7 days.')
export class Capture extends FollowUp {
  @Doc(
    'AMOUNT: what is captured, in minor units, at most the authorized amount. Default: the whole authorization.',
    30000,
  )
  @Optional()
  @Amount()
  amount?: number;

  @Doc(
    'TRANSACTIONID of the authorization. Default: the only one of the order that succeeded and was not voided.',
    'T0000000001',
  )
  @Optional()
  @TransactionId()
  transactionId?: string;
}

@Doc('Data of payment.refund: gives back a capture or a card payment, in whole or in part.')
export class Refund extends FollowUp {
  @Doc(
    'AMOUNT: what is refunded, in minor units, at most the remaining amount. Default: everything that remains.',
    10000,
  )
  @Optional()
  @Amount()
  amount?: number;

  @Doc(
    'TRANSACTIONID of the capture or card payment. Default: the only one of the order of which money is left.',
    'T0000000002',
  )
  @Optional()
  @TransactionId()
  transactionId?: string;
}

@Doc('Data of payment.void: cancels an authorization that was not captured.')
export class VoidAuthorization extends FollowUp {
  @Doc(
    'TRANSACTIONID of the authorization. Default: the only one of the order that succeeded or waits and was not voided.',
    'T0000000001',
  )
  @Optional()
  @TransactionId()
  transactionId?: string;
}

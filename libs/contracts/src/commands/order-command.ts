import { Amount, Optional, Timestamp } from '../validation/fields.js';
import { CommandId, Currency, Description, MerchantName, OrderId } from './payment-fields.js';

/** Fields of all commands. */
export abstract class OrderCommand {
  @MerchantName()
  merchant!: string;

  @OrderId()
  orderId!: string;

  @Description()
  description!: string;

  @Optional()
  @Timestamp()
  notAfter?: string;
}

/** A command that starts a payment: an authorization of method A or B, or a card payment. */
export abstract class PaymentCommand extends OrderCommand {
  /** Minor units. The method's limits are not checked here, because they depend on the merchant's currency; the gateway checks them. */
  @Amount()
  amount!: number;

  /** ISO 4217, one of the merchant's currencies. If absent, the merchant's first one is used. */
  @Optional()
  @Currency()
  currency?: string;

  /** Id of the authorize command whose redirect this command replaces. */
  @Optional()
  @CommandId()
  supersedes?: string;
}

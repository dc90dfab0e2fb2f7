import { Amount, Optional, Timestamp } from '../validation/fields.js';
import { CommandId, Currency, Description, MerchantName, OrderId } from './payment-fields.js';

/** What every command says. */
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

/** A command that begins a payment: of either instalment method, or by card. */
export abstract class PaymentCommand extends OrderCommand {
  /** The limits of the method table are a rule of the gateway: they depend on the merchant's currency. */
  @Amount()
  amount!: number;

  /** ISO 4217, one of the merchant's; absent: its first. */
  @Optional()
  @Currency()
  currency?: string;

  /** Id of the authorize command whose redirect this one replaces. */
  @Optional()
  @CommandId()
  supersedes?: string;
}

import { Doc } from '../validation/doc.js';
import { Amount, Optional, Text, Timestamp } from '../validation/fields.js';
import { Currency, MerchantName, OrderId } from '../payment-fields.js';

/** Fields of all commands. */
export abstract class OrderCommand {
  @Doc('Merchant whose account takes the payment, by its name in the configuration of Tranche.', 'shop-fr')
  @MerchantName()
  merchant!: string;

  @Doc("ORDERID: the shop's order number. All commands of one order have the same.", 'order-1')
  @OrderId()
  orderId!: string;

  @Doc(
    "DESCRIPTION: short text about the operation for the platform's back office. The platform's fraud rules may read it.",
    'Three chairs and a table',
  )
  @Text(1, 510, { isSearched: true, isTyped: true })
  description!: string;

  @Doc(
    'Time after which the command must not start. The gateway then rejects it with not_after_passed.',
    '2027-03-01T10:15:00Z',
  )
  @Optional()
  @Timestamp()
  notAfter?: string;
}

/** A command that starts a payment: an authorization of method A or B, or a card payment. */
export abstract class PaymentCommand extends OrderCommand {
  @Doc(
    'AMOUNT: what the cardholder pays for the order, in the smallest unit of the currency. The gateway checks the limits of the payment method.',
    30000,
  )
  @Amount()
  amount!: number;

  @Doc(
    "Currency of the amount: the merchant's, which is that of its account on the platform. Default: the same.",
    'EUR',
  )
  @Optional()
  @Currency()
  currency?: string;

  @Doc(
    'CloudEvents id of the earlier authorize command whose redirect this command replaces.',
    '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10',
  )
  @Optional()
  @Text(1, 128)
  supersedes?: string;
}

import { BRANDS, type Brand } from '../platform/enums.js';
import { Amount, Nested, OneOf, Optional, Text, Timestamp } from '../validation/fields.js';
import {
  CommandId,
  Currency,
  Description,
  Email,
  MerchantName,
  OrderId,
  PersonalText,
  PublicIpv4,
  WebAddress,
} from './payment-fields.js';

/** The interface gives these fields no lengths for `payment`: method A's, the wider ones, are taken. */
export class CardClient {
  @Text(1, 255)
  id!: string;

  @Email()
  email!: string;

  /** URL of the merchant's order page. */
  @WebAddress()
  referrer!: string;

  @Text(1, 255)
  userAgent!: string;

  @PublicIpv4()
  ip!: string;
}

/** `payment.pay`: the token stands for all card data. */
export class CardPayment {
  @MerchantName()
  merchant!: string;

  @OrderId()
  orderId!: string;

  @Amount()
  amount!: number;

  /** ISO 4217, one of the merchant's; absent: its first. */
  @Optional()
  @Currency()
  currency?: string;

  @Description()
  description!: string;

  @Text(1, 255)
  hfToken!: string;

  /** When the tokenizer gave the token; absent: the command's time counts. */
  @Optional()
  @Timestamp()
  tokenizedAt?: string;

  @Optional()
  @OneOf(BRANDS)
  selectedBrand?: Brand;

  @PersonalText(255)
  cardFullName!: string;

  @Nested(() => CardClient)
  client!: CardClient;

  /** Id of the authorize command whose redirect this one replaces. */
  @Optional()
  @CommandId()
  supersedes?: string;

  @Optional()
  @Timestamp()
  notAfter?: string;
}

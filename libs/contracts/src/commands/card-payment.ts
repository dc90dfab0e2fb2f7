import { BRANDS, type Brand } from '../platform/enums.js';
import { Nested, OneOf, Optional, Text, Timestamp } from '../validation/fields.js';
import { PaymentCommand } from './order-command.js';
import { Email, PersonalText, PublicIpv4, WebAddress } from './payment-fields.js';

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
export class CardPayment extends PaymentCommand {
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
}

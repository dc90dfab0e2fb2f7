import { BRANDS, type Brand } from '../platform/enums.js';
import { Nested, OneOf, Optional, Text, Timestamp } from '../validation/fields.js';
import { PaymentCommand } from './order-command.js';
import { Email, PersonalText, PublicIpv4, WebAddress } from './payment-fields.js';

/** The interface gives no lengths for these fields of `payment`, so we use those of method A, which are the larger ones. */
export class CardClient {
  @Text(1, 255)
  id!: string;

  @Email()
  email!: string;

  /** CLIENTREFERRER: URL of the merchant's order page. */
  @WebAddress()
  referrer!: string;

  @Text(1, 255)
  userAgent!: string;

  @PublicIpv4()
  ip!: string;
}

/** Data of `payment.pay` (interface, payment). `hfToken` replaces all card data. */
export class CardPayment extends PaymentCommand {
  @Text(1, 255)
  hfToken!: string;

  /** RFC 3339. Time at which the tokenizer issued the token; if absent, the command's `time` counts. */
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

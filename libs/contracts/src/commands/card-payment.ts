import { BRANDS, type Brand } from '../platform/enums.js';
import { Doc } from '../validation/doc.js';
import { CalendarDate, Nested, OneOf, Optional, TakenNotSent, Text, Timestamp } from '../validation/fields.js';
import { PaymentCommand } from './order-command.js';
import { PartnerABilling, PartnerAShipping } from './partner-a-authorization.js';
import { Email, PersonalText, PublicIpv4, Referrer } from '../payment-fields.js';

/** The interface gives no lengths for these fields of `payment`, so we use those of method A, which are the larger ones. */
@Doc('The cardholder of a card payment.')
class CardClient {
  @Doc('CLIENTIDENT: unique id of the customer in the shop.', 'customer-1')
  @Text(1, 255)
  id!: string;

  @Doc('CLIENTEMAIL: e-mail address of the customer.', 'jeanne@example.com')
  @Email()
  email!: string;

  @Doc("CLIENTREFERRER: URL of the shop's order page.", 'https://shop.example.com/checkout')
  @Referrer()
  referrer!: string;

  @Doc("CLIENTUSERAGENT: User-Agent header of the cardholder's browser.", 'Mozilla/5.0')
  @Text(1, 255)
  userAgent!: string;

  @Doc('CLIENTIP: public IPv4 address of the cardholder. Private and reserved addresses are refused.', '92.184.100.10')
  @PublicIpv4()
  ip!: string;

  @Doc('Birth date of the customer. Taken and not sent: only method A has a place for it.', '1980-02-29')
  @TakenNotSent()
  @CalendarDate()
  birthDate?: string;
}

@Doc('Data of payment.pay on the rail card: pays an order with a token for a card that the browser encrypted.')
export class CardPayment extends PaymentCommand {
  @Doc(
    "HFTOKEN: the tokenizer's token for the card. It is valid once, for 15 minutes.",
    '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f',
  )
  @Text(1, 4096)
  hfToken!: string;

  @Doc('Time at which the tokenizer gave the token. Default: time of the command.', '2027-03-01T09:58:00Z')
  @Optional()
  @Timestamp()
  tokenizedAt?: string;

  @Doc('SELECTEDBRAND: brand that the cardholder prefers, for cards of two brands.', 'visa')
  @Optional()
  @OneOf(BRANDS)
  selectedBrand?: Brand;

  @Doc('CARDFULLNAME: name of the cardholder as on the card.', 'Jeanne Martin')
  @PersonalText(255)
  cardFullName!: string;

  @Doc('The cardholder and the browser.')
  @Nested(() => CardClient)
  client!: CardClient;

  @Doc('Address of the person who pays. Taken and not sent: only methods A and B have a place for it.')
  @TakenNotSent()
  @Nested(() => PartnerABilling)
  billing?: PartnerABilling;

  @Doc('Address of delivery. Taken and not sent: only methods A and B have a place for it.')
  @TakenNotSent()
  @Nested(() => PartnerAShipping)
  shipping?: PartnerAShipping;
}

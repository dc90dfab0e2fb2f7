import { optionsOf, type PaymentOptionA } from '../methods.js';
import { Doc } from '../validation/doc.js';
import {
  CalendarDate,
  MinorUnits,
  Nested,
  NestedList,
  OneOf,
  Optional,
  RequiredByAll,
  TakenNotSent,
  Text,
} from '../validation/fields.js';
import { addressWith, CartItem, InstalmentAuthorization } from './instalment-authorization.js';
import {
  Email,
  MAX_CART_ITEMS,
  PersonalText,
  PhoneE164,
  PublicIpv4,
  Referrer,
  SingleLineAddress,
} from '../payment-fields.js';

@Doc('The cardholder of an authorization of method A.')
export class PartnerAClient {
  @Doc("CLIENTUSERAGENT: User-Agent header of the cardholder's browser.", 'Mozilla/5.0')
  @Text(1, 255)
  userAgent!: string;

  @Doc('CLIENTIP: public IPv4 address of the cardholder. Private and reserved addresses are refused.', '92.184.100.10')
  @PublicIpv4()
  ip!: string;

  @Doc('CLIENTIDENT: unique id of the customer in the shop.', 'customer-1')
  @Text(1, 255)
  id!: string;

  @Doc('CLIENTEMAIL: e-mail address of the customer.', 'jeanne@example.com')
  @Email()
  email!: string;

  @Doc("CLIENTDOB: birth date of the cardholder; fills the provider's form in advance.", '1980-02-29')
  @Optional()
  @CalendarDate()
  birthDate?: string;

  @Doc(
    "URL of the shop's order page. Taken and not sent: only card payments have a place for it.",
    'https://shop.example.com/checkout',
  )
  @TakenNotSent()
  @Referrer()
  referrer?: string;
}

const PartnerAAddress = addressWith(255, PhoneE164);

@Doc('Billing address of method A.')
export class PartnerABilling extends PartnerAAddress {
  @Doc('BILLINGLASTNAME: last name of the person who pays.', 'Martin')
  @RequiredByAll()
  @PersonalText(15)
  lastName?: string;

  @Doc('BILLINGADDRESS: street and number in one line.', '12 rue des Lilas')
  @RequiredByAll()
  @SingleLineAddress(50)
  address?: string;
}

@Doc('Address of delivery of method A.')
export class PartnerAShipping extends PartnerAAddress {
  @Doc('SHIPTOCOMPANYNAME: company at the address of delivery.', 'Atelier')
  @Optional()
  @PersonalText(50)
  companyName?: string;

  @Doc('SHIPTOLASTNAME: last name of the person who receives the goods.', 'Martin')
  @RequiredByAll()
  @PersonalText(30)
  lastName?: string;

  @Doc('SHIPTOADDRESS: street and number; it may have line breaks.', '12 rue des Lilas')
  @RequiredByAll()
  @PersonalText(50, { hasLines: true })
  address?: string;
}

@Doc('An item of the order; method A takes its total only.')
export class PartnerACartItem extends CartItem {
  @Doc('TOTALAMOUNT: price of all pieces of the item, in minor units.', 30000)
  @RequiredByAll()
  @MinorUnits()
  totalAmount?: number;
}

@Doc(
  'Data of payment.authorize on the rail partner-a: asks for an authorization of an order that is paid in instalments.',
)
export class PartnerAAuthorization extends InstalmentAuthorization {
  @Doc(
    "PAYMENTOPTION: the plan that the cardholder chose. It belongs to method A and to the merchant's market.",
    'partnerA-3xcb',
  )
  @OneOf(optionsOf('A'))
  paymentOption!: PaymentOptionA;

  @Doc("PRESCORINGCODE: the shop's own score of the customer.", 'A1')
  @Optional()
  @Text(0, 20)
  prescoringCode?: string;

  @Doc('The cardholder and the browser.')
  @Nested(() => PartnerAClient)
  client!: PartnerAClient;

  @Doc('Address of the person who pays. Merchants with requirements all need it.')
  @RequiredByAll()
  @Nested(() => PartnerABilling)
  billing?: PartnerABilling;

  @Doc('Address of delivery. Merchants with requirements all need it.')
  @RequiredByAll()
  @Nested(() => PartnerAShipping)
  shipping?: PartnerAShipping;

  @Doc('Items of the order, 200 at most. Merchants with requirements all need it.')
  @RequiredByAll()
  @NestedList(() => PartnerACartItem, 1, MAX_CART_ITEMS)
  cart?: PartnerACartItem[];
}

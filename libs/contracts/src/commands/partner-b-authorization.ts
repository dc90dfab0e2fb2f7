import { optionsOf, type PaymentOptionB } from '../methods.js';
import { Doc } from '../validation/doc.js';
import { Nested, NestedList, OneOf, Optional, RequiredByAll, Text } from '../validation/fields.js';
import { Address, InstalmentAuthorization } from './instalment-authorization.js';
import { PartnerBCartItem } from './partner-b-cart-item.js';
import {
  EmailWithoutPlus,
  MAX_CART_ITEMS,
  PersonalText,
  PhoneInternational,
  PublicIpv4,
  SingleLineAddress,
} from './payment-fields.js';

@Doc('The cardholder of an authorization of method B.')
export class PartnerBClient {
  @Doc("CLIENTUSERAGENT: User-Agent header of the cardholder's browser.", 'Mozilla/5.0')
  @Text(1, 255)
  userAgent!: string;

  @Doc('CLIENTIP: public IPv4 address of the cardholder. Private and reserved addresses are refused.', '92.184.100.10')
  @PublicIpv4()
  ip!: string;

  @Doc('CLIENTIDENT: unique id of the customer in the shop.', 'customer-1')
  @Text(1, 128)
  id!: string;

  @Doc('CLIENTEMAIL: e-mail address of the customer.', 'jeanne@example.com')
  @EmailWithoutPlus()
  email!: string;
}

abstract class PartnerBAddress extends Address {
  @Doc('BILLINGCITY or SHIPTOCITY: city of the address.', 'Paris')
  @RequiredByAll()
  @PersonalText(32)
  city?: string;

  @Doc(
    'BILLINGPHONE or SHIPTOPHONE: phone with + and country code. Merchants with requirements all need it or mobilePhone.',
    '+33140000000',
  )
  @RequiredByAll('mobilePhone')
  @PhoneInternational()
  phone?: string;

  @Doc(
    'BILLINGMOBILEPHONE or SHIPTOMOBILEPHONE: mobile phone with + and country code. Merchants with requirements all need it or phone.',
    '+33612345678',
  )
  @RequiredByAll('phone')
  @PhoneInternational()
  mobilePhone?: string;
}

@Doc('Billing address of method B.')
export class PartnerBBilling extends PartnerBAddress {
  @Doc('BILLINGLASTNAME: last name of the person who pays.', 'Martin')
  @RequiredByAll()
  @PersonalText(15)
  lastName?: string;

  @Doc('BILLINGADDRESS: street and number in one line.', '12 rue des Lilas')
  @RequiredByAll()
  @SingleLineAddress(38)
  address?: string;
}

@Doc('Address of delivery of method B.')
export class PartnerBShipping extends PartnerBAddress {
  @Doc('SHIPTOCOMPANYNAME: company at the address of delivery.', 'Atelier')
  @Optional()
  @PersonalText(50)
  companyName?: string;

  @Doc('SHIPTOLASTNAME: last name of the person who receives the goods.', 'Martin')
  @RequiredByAll()
  @PersonalText(30)
  lastName?: string;

  @Doc('SHIPTOADDRESS: street and number.', '12 rue des Lilas')
  @RequiredByAll()
  @PersonalText(38)
  address?: string;
}

@Doc(
  'Data of payment.authorize on the rail partner-b: asks for an authorization of an order that is paid in instalments.',
)
export class PartnerBAuthorization extends InstalmentAuthorization {
  @Doc(
    "PAYMENTOPTION: the plan that the cardholder chose. It belongs to method B and to the merchant's market.",
    'partnerB-3xsansfrais',
  )
  @OneOf(optionsOf('B'))
  paymentOption!: PaymentOptionB;

  @Doc('The cardholder and the browser.')
  @Nested(() => PartnerBClient)
  client!: PartnerBClient;

  @Doc('Address of the person who pays. Merchants with requirements all need it.')
  @RequiredByAll()
  @Nested(() => PartnerBBilling)
  billing?: PartnerBBilling;

  @Doc('Address of delivery. Merchants with requirements all need it.')
  @RequiredByAll()
  @Nested(() => PartnerBShipping)
  shipping?: PartnerBShipping;

  @Doc('Items of the order, 200 at most. Merchants with requirements all need it.')
  @RequiredByAll()
  @NestedList(() => PartnerBCartItem, 1, MAX_CART_ITEMS)
  cart?: PartnerBCartItem[];
}

import { optionsOf, type PaymentOptionB } from '../methods.js';
import { Doc } from '../validation/doc.js';
import {
  Nested,
  NestedList,
  OneOf,
  Optional,
  RequiredByAll,
  TakenNotSent,
  Text,
  CalendarDate,
  Int,
  MinorUnits,
} from '../validation/fields.js';
import { addressWith, CartItem, InstalmentAuthorization } from './instalment-authorization.js';
import {
  EmailWithoutPlus,
  MAX_CART_ITEMS,
  PersonalText,
  PhoneInternational,
  PublicIpv4,
  Referrer,
  SingleLineAddress,
  isPriceTimesQuantity,
} from '../payment-fields.js';
import {
  CATEGORIES,
  DELIVERY_SPEEDS,
  DELIVERY_TYPES,
  type Category,
  type DeliverySpeed,
  type DeliveryType,
} from '../platform/enums.js';

@Doc('The cardholder of an authorization of method B.')
class PartnerBClient {
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

  @Doc('Birth date of the customer. Taken and not sent: only method A has a place for it.', '1980-02-29')
  @TakenNotSent()
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

const PartnerBAddress = addressWith(32, PhoneInternational);

@Doc('Billing address of method B.')
class PartnerBBilling extends PartnerBAddress {
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
class PartnerBShipping extends PartnerBAddress {
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
  @PersonalText(38, { hasLines: true })
  address?: string;
}

@Doc('An item of the order, with its delivery.')
export class PartnerBCartItem extends CartItem {
  @Doc('MERCHANTITEMID: id of the item in the shop.', 'chair-7')
  @RequiredByAll()
  @Text(1, 256)
  merchantItemId?: string;

  @Doc('NAME: name of the item.', 'Chair')
  @RequiredByAll()
  @Text(1, 256, { isSearched: true, isTyped: true })
  name?: string;

  @Doc('PRICE: price of one piece in minor units, with taxes and after discounts.', 10000)
  @RequiredByAll()
  @MinorUnits()
  price?: number;

  @Doc('QUANTITY: number of pieces.', 3)
  @RequiredByAll()
  @Int(1, 999)
  quantity?: number;

  @Doc("CATEGORY: kind of goods, from the provider's list.", 'furniture')
  @RequiredByAll()
  @OneOf(CATEGORIES)
  category?: Category;

  @Doc('BRAND: brand of the item.', 'Atelier')
  @RequiredByAll()
  @Text(1, 100, { isSearched: true, isTyped: true })
  brand?: string;

  @Doc('DELIVERYLABEL: name of the way of delivery.', 'Carrier to the door')
  @RequiredByAll()
  @Text(1, 100, { isSearched: true, isTyped: true })
  deliveryLabel?: string;

  @Doc('DELIVERYSPEED: express for a delivery in less than 48 hours, else standard.', 'standard')
  @RequiredByAll()
  @OneOf(DELIVERY_SPEEDS)
  deliverySpeed?: DeliverySpeed;

  @Doc('DELIVERYTYPE: place and way of delivery.', 'carrier')
  @RequiredByAll()
  @OneOf(DELIVERY_TYPES)
  deliveryType?: DeliveryType;

  @Doc(
    'DELIVERYEXPECTEDDATE: day on which the delivery is expected. A given deliveryExpectedDelay may replace it.',
    '2027-03-04',
  )
  @RequiredByAll('deliveryExpectedDelay')
  @CalendarDate()
  deliveryExpectedDate?: string;

  @Doc('DELIVERYEXPECTEDDELAY: days until the delivery. A given deliveryExpectedDate may replace it.', 3)
  @RequiredByAll('deliveryExpectedDate')
  @Int(1, 3)
  deliveryExpectedDelay?: number;

  @Doc("TOTALAMOUNT: price × quantity in minor units. It may differ by the merchant's totalTolerance.", 30000)
  @RequiredByAll()
  @MinorUnits(isPriceTimesQuantity)
  totalAmount?: number;
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

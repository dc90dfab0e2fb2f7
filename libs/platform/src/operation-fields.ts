/**
 * Maps each field of each command to its parameter, in the order of sending (interface, Endpoints). A missing field of a command class is a
 * compile error; a field without a parameter gives the reason.
 */
import type {
  CardPayment,
  Capture,
  PartnerAAuthorization,
  PartnerACartItem,
  PartnerBAuthorization,
  PartnerBCartItem,
  Refund,
  VoidAuthorization,
} from '@tranche/contracts';

/** A field that is not sent under its own name. */
export class NotSent {
  constructor(readonly because: string) {}
}

/** A list: the fields of each item are sent as `NAME[index][FIELD]`. */
export class ListOf<T> {
  constructor(
    readonly name: string,
    readonly fields: FieldsOf<T>,
  ) {}
}

/** A parameter for each text and number and a table for each object, for every field of the class. */
export type FieldsOf<T> = { readonly [K in keyof T]-?: NotSent | FieldOf<NonNullable<T[K]>> };
type FieldOf<V> = V extends string | number ? string : V extends readonly (infer I)[] ? ListOf<I> : FieldsOf<V>;

const IDENTIFIED = new NotSent('IDENTIFIER names the account of the merchant');
const NOT_ASKED = new NotSent('no request parameter of the platform has it: CURRENCY comes in notifications');
const BEHIND_EXTRADATA = new NotSent('its name goes behind EXTRADATA, see extra-data.ts');
const NO_PLACE = new NotSent(
  'the form has no place for it: it is taken so that one customer object serves every method',
);
const OURS = new NotSent('says when and in whose place we send, the platform does not know it');

const address = <P extends 'BILLING' | 'SHIPTO'>(prefix: P) =>
  ({
    title: `${prefix}TITLE`,
    firstName: `${prefix}FIRSTNAME`,
    lastName: `${prefix}LASTNAME`,
    address: `${prefix}ADDRESS`,
    postalCode: `${prefix}POSTALCODE`,
    city: `${prefix}CITY`,
    country: `${prefix}COUNTRY`,
    phone: `${prefix}PHONE`,
    mobilePhone: `${prefix}MOBILEPHONE`,
  }) as const;

const CLIENT = { userAgent: 'CLIENTUSERAGENT', ip: 'CLIENTIP', id: 'CLIENTIDENT', email: 'CLIENTEMAIL' } as const;

const ADDRESSES = {
  billing: address('BILLING'),
  shipping: { companyName: 'SHIPTOCOMPANYNAME', ...address('SHIPTO') },
} as const;

const AUTHORIZATION = {
  merchant: IDENTIFIED,
  paymentOption: 'PAYMENTOPTION',
  amount: 'AMOUNT',
  orderId: 'ORDERID',
  description: 'DESCRIPTION',
  apiKeyId: 'APIKEYID',
  extraData: 'EXTRADATA',
  metadata: 'METADATA',
  currency: NOT_ASKED,
  returnPage: BEHIND_EXTRADATA,
  supersedes: OURS,
  notAfter: OURS,
} as const;

const CART_OF_BOTH = {
  totalAmount: 'TOTALAMOUNT',
  discount: 'DISCOUNT',
  tax: 'TAX',
  subMerchantExternalId: 'SUBMERCHANTEXTERNALID',
} as const;

const PARTNER_A: FieldsOf<PartnerAAuthorization> = {
  ...AUTHORIZATION,
  prescoringCode: 'PRESCORINGCODE',
  client: { ...CLIENT, birthDate: 'CLIENTDOB', referrer: NO_PLACE },
  ...ADDRESSES,
  cart: new ListOf<PartnerACartItem>('CART', CART_OF_BOTH),
};

const PARTNER_B: FieldsOf<PartnerBAuthorization> = {
  ...AUTHORIZATION,
  client: { ...CLIENT, birthDate: NO_PLACE, referrer: NO_PLACE },
  ...ADDRESSES,
  cart: new ListOf<PartnerBCartItem>('CART', {
    merchantItemId: 'MERCHANTITEMID',
    name: 'NAME',
    price: 'PRICE',
    quantity: 'QUANTITY',
    category: 'CATEGORY',
    brand: 'BRAND',
    deliveryLabel: 'DELIVERYLABEL',
    deliverySpeed: 'DELIVERYSPEED',
    deliveryType: 'DELIVERYTYPE',
    deliveryExpectedDate: 'DELIVERYEXPECTEDDATE',
    deliveryExpectedDelay: 'DELIVERYEXPECTEDDELAY',
    ...CART_OF_BOTH,
  }),
};

const CARD_PAYMENT: FieldsOf<CardPayment> = {
  merchant: IDENTIFIED,
  orderId: 'ORDERID',
  amount: 'AMOUNT',
  currency: NOT_ASKED,
  description: 'DESCRIPTION',
  client: {
    id: 'CLIENTIDENT',
    email: 'CLIENTEMAIL',
    referrer: 'CLIENTREFERRER',
    userAgent: 'CLIENTUSERAGENT',
    ip: 'CLIENTIP',
    birthDate: NO_PLACE,
  },
  billing: NO_PLACE,
  shipping: NO_PLACE,
  cardFullName: 'CARDFULLNAME',
  // Interface: "The text names the token parameter TOKEN while the request shape uses HFTOKEN; a builder accepts HFTOKEN."
  hfToken: 'HFTOKEN',
  tokenizedAt: new NotSent('only we count the age of the token'),
  selectedBrand: 'SELECTEDBRAND',
  supersedes: OURS,
  notAfter: OURS,
};

const CAPTURE: FieldsOf<Capture & Refund> = {
  merchant: IDENTIFIED,
  transactionId: 'TRANSACTIONID',
  orderId: 'ORDERID',
  description: 'DESCRIPTION',
  amount: 'AMOUNT',
  extraData: 'EXTRADATA',
  notAfter: OURS,
};

const VOID: FieldsOf<VoidAuthorization> = {
  merchant: IDENTIFIED,
  transactionId: 'TRANSACTIONID',
  orderId: 'ORDERID',
  description: 'DESCRIPTION',
  extraData: 'EXTRADATA',
  notAfter: OURS,
};

/** Keyed by the schema name in the method table; follow-ups by their operation. */
export const OPERATION_FIELDS = {
  'partner-a-authorization': PARTNER_A,
  'partner-b-authorization': PARTNER_B,
  'card-payment': CARD_PAYMENT,
  capture: CAPTURE,
  refund: CAPTURE,
  void: VOID,
} as const;

import type { Merchant } from '@tranche/contracts';
import {
  aCapture,
  aCardPayment,
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  aRefund,
  aVoid,
} from '@tranche/testing';
import type { PlatformOperation } from './payment-rules.js';
import { operationForm } from './operation-form.js';

/** Compares every parameter of every operation with the interface's lists (Endpoints, Payment platform operations). */

const merchant: Merchant = {
  merchant: 'shop-fr',
  identifier: 'SHOP',
  accountKey: 'k',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
};
const apiKeyId = '00000000-0000-4000-8000-00000000000a';

function sent(operation: PlatformOperation['operation'], data: unknown): Record<string, string> {
  const command = { operation, data, merchant, rail: 'partner-a' } as PlatformOperation;
  const form = new URLSearchParams(operationForm(command, { transactionId: 'T1' }).body);
  expect([...form.keys()].filter((name) => !/^params\[[A-Z]+\]/.test(name))).toEqual(['method']);
  const named = [...form].map(([name, value]) => [name.replace(/^params\[([^\]]*)\]/, '$1'), value] as const);
  const { HASH, ...rest } = Object.fromEntries(named);
  expect(HASH).toMatch(/^[0-9a-f]{64}$/);
  return rest;
}

/** Each value names its field, so that swapped fields are found. */
const address = (of: string) => ({
  title: of === 'B' ? ('mr' as const) : ('mrs' as const),
  firstName: `${of}-first`,
  lastName: `${of}-last`,
  address: `${of}-address`,
  postalCode: `${of}-post`,
  city: `${of}-city`,
  country: of === 'B' ? 'FR' : 'ES',
  phone: of === 'B' ? '+33100000001' : '+33100000002',
  mobilePhone: of === 'B' ? '+33600000001' : '+33600000002',
});
const ADDRESSES = {
  BILLINGTITLE: 'mr',
  BILLINGFIRSTNAME: 'B-first',
  BILLINGLASTNAME: 'B-last',
  BILLINGADDRESS: 'B-address',
  BILLINGPOSTALCODE: 'B-post',
  BILLINGCITY: 'B-city',
  BILLINGCOUNTRY: 'FR',
  BILLINGPHONE: '+33100000001',
  BILLINGMOBILEPHONE: '+33600000001',
  SHIPTOCOMPANYNAME: 'S-company',
  SHIPTOTITLE: 'mrs',
  SHIPTOFIRSTNAME: 'S-first',
  SHIPTOLASTNAME: 'S-last',
  SHIPTOADDRESS: 'S-address',
  SHIPTOPOSTALCODE: 'S-post',
  SHIPTOCITY: 'S-city',
  SHIPTOCOUNTRY: 'ES',
  SHIPTOPHONE: '+33100000002',
  SHIPTOMOBILEPHONE: '+33600000002',
};
const common = {
  orderId: 'order-1',
  amount: 30_000,
  description: 'the description',
  extraData: 'the extra data',
  metadata: 'the metadata',
  apiKeyId,
  billing: address('B'),
  shipping: { companyName: 'S-company', ...address('S') },
};
const COMMON = {
  method: 'authorization',
  OPERATIONTYPE: 'authorization',
  IDENTIFIER: 'SHOP',
  VERSION: '3.0',
  ORDERID: 'order-1',
  AMOUNT: '30000',
  DESCRIPTION: 'the description',
  EXTRADATA: 'the extra data',
  METADATA: 'the metadata',
  APIKEYID: apiKeyId,
  ...ADDRESSES,
};
const client = { userAgent: 'the agent', ip: '92.184.100.10', id: 'the id', email: 'a@b.fr' };
const CLIENT = {
  CLIENTUSERAGENT: 'the agent',
  CLIENTIP: '92.184.100.10',
  CLIENTIDENT: 'the id',
  CLIENTEMAIL: 'a@b.fr',
};

it('authorization, method A [Service.3.options] [Cart.names] [Cart.SUBMERCHANTEXTERNALID] [Platform.params] [Platform.cart-params] [Authorization.request.*] [Authorization.optional.*]', () => {
  const data = aPartnerAAuthorization({
    ...common,
    paymentOption: 'partnerA-4xcb',
    prescoringCode: 'the score',
    client: { ...client, birthDate: '1980-02-29' },
    cart: [{ totalAmount: 30_000, discount: '10.5', tax: '20', subMerchantExternalId: 'OPERATOR' }],
  });
  expect(sent('authorize', data)).toEqual({
    ...COMMON,
    ...CLIENT,
    CLIENTDOB: '1980-02-29',
    PAYMENTOPTION: 'partnerA-4xcb',
    PRESCORINGCODE: 'the score',
    'CART[0][TOTALAMOUNT]': '30000',
    'CART[0][DISCOUNT]': '10.5',
    'CART[0][TAX]': '20',
    'CART[0][SUBMERCHANTEXTERNALID]': 'OPERATOR',
  });
});

it('authorization, method B', () => {
  const item = {
    merchantItemId: 'the item',
    name: 'the name',
    price: 15_000,
    quantity: 2,
    category: 'furniture' as const,
    brand: 'the brand',
    deliveryLabel: 'the label',
    deliverySpeed: 'express' as const,
    deliveryType: 'carrier' as const,
    deliveryExpectedDate: '2026-12-24',
    deliveryExpectedDelay: 3,
    totalAmount: 30_000,
    discount: '1',
    tax: '5.5',
    subMerchantExternalId: 'the seller',
  };
  const data = aPartnerBAuthorization({ ...common, paymentOption: 'partnerB-4x', client, cart: [item] });
  expect(sent('authorize', data)).toEqual({
    ...COMMON,
    ...CLIENT,
    PAYMENTOPTION: 'partnerB-4x',
    'CART[0][MERCHANTITEMID]': 'the item',
    'CART[0][NAME]': 'the name',
    'CART[0][PRICE]': '15000',
    'CART[0][QUANTITY]': '2',
    'CART[0][CATEGORY]': 'furniture',
    'CART[0][BRAND]': 'the brand',
    'CART[0][DELIVERYLABEL]': 'the label',
    'CART[0][DELIVERYSPEED]': 'express',
    'CART[0][DELIVERYTYPE]': 'carrier',
    'CART[0][DELIVERYEXPECTEDDATE]': '2026-12-24',
    'CART[0][DELIVERYEXPECTEDDELAY]': '3',
    'CART[0][TOTALAMOUNT]': '30000',
    'CART[0][DISCOUNT]': '1',
    'CART[0][TAX]': '5.5',
    'CART[0][SUBMERCHANTEXTERNALID]': 'the seller',
  });
});

const followUp = { orderId: 'order-1', description: 'the description', extraData: 'the extra data' };
const FOLLOW_UP = {
  IDENTIFIER: 'SHOP',
  VERSION: '3.0',
  TRANSACTIONID: 'T1',
  ORDERID: 'order-1',
  DESCRIPTION: 'the description',
  EXTRADATA: 'the extra data',
};

it.each([
  ['capture', aCapture({ ...followUp, amount: 900 }), { AMOUNT: '900' }],
  ['refund', aRefund({ ...followUp, amount: 800 }), { AMOUNT: '800' }],
  ['void', aVoid(followUp), {}],
] as const)('%s, and nothing else [Void.server-to-server]', (operation, data, own) => {
  expect(sent(operation, data)).toEqual({ method: operation, OPERATIONTYPE: operation, ...FOLLOW_UP, ...own });
});

it('payment with a card token [Payment.request.*] [Payment.optional.SELECTEDBRAND] [Payment.replaces-card-data] [Payment.HFTOKEN-or-TOKEN] [Payment.brand-selector]', () => {
  const data = aCardPayment({
    orderId: 'order-1',
    amount: 25_000,
    description: 'the description',
    hfToken: 'the token',
    selectedBrand: 'cb',
    cardFullName: 'the name',
    client: { ...client, referrer: 'https://shop.example/order' },
  });
  expect(sent('pay', data)).toEqual({
    method: 'payment',
    OPERATIONTYPE: 'payment',
    IDENTIFIER: 'SHOP',
    VERSION: '3.0',
    ORDERID: 'order-1',
    AMOUNT: '25000',
    DESCRIPTION: 'the description',
    ...CLIENT,
    CLIENTREFERRER: 'https://shop.example/order',
    CARDFULLNAME: 'the name',
    HFTOKEN: 'the token',
    SELECTEDBRAND: 'cb',
  });
});

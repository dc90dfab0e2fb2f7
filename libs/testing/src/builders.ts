import {
  isPlainObject,
  PROTOCOL_VERSION,
  type Capture,
  type CardPayment,
  type CloudEvent,
  type CommandData,
  type CommandType,
  type PartnerAAuthorization,
  type PartnerACartItem,
  type PartnerBAuthorization,
  type PartnerBCartItem,
  type PaymentNotification,
  type Refund,
  type VoidAuthorization,
} from '@tranche/contracts';
import { orderKey, readNotification } from '@tranche/contracts';

/** Differences from the valid value; objects are merged, lists are replaced. */
export type Overrides<T> = {
  [K in keyof T]?: T[K] extends readonly unknown[] | undefined
    ? T[K]
    : NonNullable<T[K]> extends object
      ? Overrides<NonNullable<T[K]>>
      : T[K];
};

/** Includes the parts that only merchants with `requirements: 'all'` must send. */
type Complete<T extends { billing?: object; shipping?: object; cart?: readonly object[] }> = T &
  Required<Pick<T, 'billing' | 'shipping' | 'cart'>>;

/** A valid `payment.authorize` of method A with every field. */
export function aPartnerAAuthorization(
  overrides: Overrides<PartnerAAuthorization> = {},
): Complete<PartnerAAuthorization> {
  return merged<Complete<PartnerAAuthorization>>(
    {
      merchant: 'shop-fr',
      orderId: 'order-1',
      amount: 30000,
      paymentOption: 'partnerA-3xcb',
      description: 'Three chairs and a table',
      extraData: 'basket=42',
      metadata: 'channel=web',
      prescoringCode: 'A1',
      client: {
        userAgent: 'Mozilla/5.0',
        ip: '92.184.100.10',
        id: 'customer-1',
        email: 'jeanne@example.com',
        birthDate: '1980-02-29',
      },
      billing: anAddress(),
      shipping: { companyName: 'Atelier', ...anAddress() },
      cart: [aPartnerACartItem()],
    },
    overrides,
  );
}

export function aPartnerACartItem(overrides: Overrides<PartnerACartItem> = {}): PartnerACartItem {
  return merged<PartnerACartItem>(
    { totalAmount: 30000, discount: '10.5', tax: '20', subMerchantExternalId: 'OPERATOR' },
    overrides,
  );
}

/** A valid `payment.authorize` of method B with every field. */
export function aPartnerBAuthorization(
  overrides: Overrides<PartnerBAuthorization> = {},
): Complete<PartnerBAuthorization> {
  return merged<Complete<PartnerBAuthorization>>(
    {
      merchant: 'shop-fr',
      orderId: 'order-1',
      amount: 30000,
      paymentOption: 'partnerB-3xsansfrais',
      description: 'Three chairs and a table',
      extraData: 'basket=42',
      metadata: 'channel=web',
      client: { userAgent: 'Mozilla/5.0', ip: '92.184.100.10', id: 'customer-1', email: 'jeanne@example.com' },
      billing: anAddress(),
      shipping: { companyName: 'Atelier', ...anAddress() },
      cart: [aPartnerBCartItem()],
    },
    overrides,
  );
}

export function aPartnerBCartItem(overrides: Overrides<PartnerBCartItem> = {}): PartnerBCartItem {
  return merged<PartnerBCartItem>(
    {
      merchantItemId: 'chair-7',
      name: 'Chair',
      price: 10000,
      quantity: 3,
      category: 'furniture',
      brand: 'Atelier',
      deliveryLabel: 'Carrier to the door',
      deliverySpeed: 'standard',
      deliveryType: 'carrier',
      deliveryExpectedDate: '2028-02-29',
      deliveryExpectedDelay: 3,
      totalAmount: 30000,
      discount: '10.5',
      tax: '20',
      subMerchantExternalId: 'OPERATOR',
    },
    overrides,
  );
}

export function aCapture(overrides: Overrides<Capture> = {}): Capture {
  return merged<Capture>({ merchant: 'shop-fr', orderId: 'order-1', description: 'Shipped' }, overrides);
}

export function aRefund(overrides: Overrides<Refund> = {}): Refund {
  return merged<Refund>({ merchant: 'shop-fr', orderId: 'order-1', description: 'Sent back' }, overrides);
}

export function aVoid(overrides: Overrides<VoidAuthorization> = {}): VoidAuthorization {
  return merged<VoidAuthorization>({ merchant: 'shop-fr', orderId: 'order-1', description: 'Cancelled' }, overrides);
}

export function aCardPayment(overrides: Overrides<CardPayment> = {}): CardPayment {
  return merged<CardPayment>(
    {
      merchant: 'shop-fr',
      orderId: 'order-1',
      amount: 2500,
      description: 'One lamp',
      hfToken: '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f',
      selectedBrand: 'visa',
      cardFullName: 'Jeanne Martin',
      client: {
        id: 'customer-1',
        email: 'jeanne@example.com',
        referrer: 'https://shop.example.com/checkout',
        userAgent: 'Mozilla/5.0',
        ip: '92.184.100.10',
      },
    },
    overrides,
  );
}

/** Wraps a command's data in its envelope, with a new id unless given. */
export function aCommand<T extends CommandData>(
  type: CommandType,
  data: T,
  overrides: Partial<CloudEvent<T>> = {},
): CloudEvent<T> {
  return {
    id: crypto.randomUUID(),
    source: '/shop',
    type,
    time: new Date().toISOString(),
    subject: orderKey(data.merchant, data.orderId),
    datacontenttype: 'application/json',
    data,
    ...overrides,
  };
}

/** Parameters of a platform notification as sent, without HASH. `undefined` removes a parameter. */
export function notificationParameters(
  overrides: Record<string, string | undefined> = {},
): [name: string, value: string][] {
  const parameters: Record<string, string | undefined> = {
    AMOUNT: '30000',
    CLIENTEMAIL: 'jeanne@example.com',
    CLIENTIDENT: 'customer-1',
    CURRENCY: 'EUR',
    DESCRIPTOR: 'SHOP FR',
    EXECCODE: '0000',
    EXTRADATA: 'basket=42',
    IDENTIFIER: 'Demo Shop FR',
    LANGUAGE: 'fr',
    MESSAGE: 'The transaction has been accepted.',
    OPERATIONTYPE: 'authorization',
    ORDERID: 'order-1',
    TRANSACTIONID: 'T0000000001',
    VERSION: PROTOCOL_VERSION,
    ...overrides,
  };
  return Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
}

export function aNotification(overrides: Partial<PaymentNotification> = {}): PaymentNotification {
  return Object.assign(readNotification('shop-fr', notificationParameters(), '2028-01-31T10:00:00Z'), overrides);
}

/** Parameters of a method B refund, with the two fields that only it has. */
export function refundNotificationParameters(
  overrides: Record<string, string | undefined> = {},
): [name: string, value: string][] {
  return notificationParameters({
    OPERATIONTYPE: 'refund',
    EXTERNALENTITYID: '1234567890',
    EXTERNALREFERENCE: '1234',
    ...overrides,
  });
}

/** Fields common to both addresses, valid for every method. */
export function anAddress() {
  return {
    title: 'mrs' as const,
    firstName: 'Jeanne',
    lastName: 'Martin',
    address: '12 rue des Lilas',
    postalCode: '75011',
    city: 'Paris',
    country: 'FR',
    phone: '+33140000000',
    mobilePhone: '+33612345678',
  };
}

function merged<T extends object>(valid: T, overrides: Overrides<T>): T {
  const result = { ...valid } as Record<string, unknown>;
  for (const [name, value] of Object.entries(overrides)) {
    const current = result[name];
    if (value === undefined) delete result[name];
    else if (isPlainObject(current) && isPlainObject(value))
      result[name] = merged(current, value as Overrides<Record<string, unknown>>);
    else result[name] = value;
  }
  return result as T;
}

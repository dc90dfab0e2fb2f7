const CUSTOMER = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  ip: '92.184.100.10',
  id: 'customer-1',
  email: 'jeanne@example.com',
};
const ADDRESS = {
  title: 'mrs',
  firstName: 'Jeanne',
  lastName: 'Martin',
  address: '12 rue du Port',
  postalCode: '44000',
  city: 'Nantes',
  country: 'FR',
  phone: '+33240000000',
  mobilePhone: '+33600000000',
};

let count = 0;
const run = Date.now().toString(36);

/** Returns an id that is also new on a platform that outlives the demo. */
export const newOrderId = (what) => `${what}-${run}-${(count += 1)}`;

export function partnerAOrder(orderId, overrides = {}) {
  return {
    merchant: 'shop-fr',
    orderId,
    amount: 30_000,
    paymentOption: 'partnerA-3xcb',
    description: 'Three chairs',
    extraData: 'basket=42',
    client: { ...CUSTOMER, birthDate: '1980-02-29' },
    billing: ADDRESS,
    shipping: ADDRESS,
    cart: [{ totalAmount: 30_000, tax: '20.0' }],
    ...overrides,
  };
}

export function partnerBOrder(orderId, overrides = {}) {
  const chair = {
    merchantItemId: 'chair-7',
    name: 'Chair',
    price: 10_000,
    quantity: 3,
    category: 'furniture',
    brand: 'Atelier',
    deliveryLabel: 'Carrier to the door',
    deliverySpeed: 'standard',
    deliveryType: 'carrier',
    deliveryExpectedDate: '2030-01-15',
    deliveryExpectedDelay: 3,
    totalAmount: 30_000,
  };
  return {
    merchant: 'shop-fr',
    orderId,
    amount: 30_000,
    paymentOption: 'partnerB-3xsansfrais',
    description: 'Three chairs',
    extraData: 'basket=43',
    client: CUSTOMER,
    billing: ADDRESS,
    shipping: ADDRESS,
    cart: [chair],
    ...overrides,
  };
}

const DELIVERY_DAYS = 10;

/** An order without delivery address and brand. A delivery time of more than 3 days is sent as its date only. */
export function digitalOrder(orderId) {
  const course = {
    merchantItemId: 'course-3',
    name: 'Evening course, in four parts',
    price: 30_000,
    quantity: 1,
    category: 'servicesforindividuals',
    deliverySpeed: 'standard',
    deliveryType: 'edelivery',
    deliveryExpectedDate: new Date(Date.now() + DELIVERY_DAYS * 86_400_000).toISOString().slice(0, 10),
    totalAmount: 30_000,
  };
  return partnerBOrder(orderId, {
    description: 'An evening course',
    extraData: 'basket=44',
    shipping: undefined,
    cart: [course],
  });
}

export function cardOrder(orderId, hfToken) {
  return {
    merchant: 'shop-fr',
    orderId,
    amount: 25_000,
    description: 'One lamp',
    hfToken,
    tokenizedAt: new Date().toISOString(),
    cardFullName: 'Jeanne Martin',
    client: { ...CUSTOMER, referrer: 'https://shop.example.com/checkout' },
  };
}

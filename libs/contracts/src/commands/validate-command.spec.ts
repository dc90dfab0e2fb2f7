import {
  aCapture,
  aCardPayment,
  aCommand,
  aPartnerAAuthorization,
  aPartnerACartItem,
  aPartnerBAuthorization,
  aRefund,
  aVoid,
} from '@tranche/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { decodeCloudEvent, encodeCloudEvent } from '../cloud-events.js';
import { COMMAND_TYPES } from '../message-types.js';
import { RAILS, type Rail } from '../methods.js';
import { CardPayment } from './card-payment.js';
import { Capture, Refund, VoidAuthorization } from './follow-ups.js';
import { PartnerAAuthorization, PartnerACartItem, PartnerAClient } from './partner-a-authorization.js';
import { PartnerBAuthorization } from './partner-b-authorization.js';
import { TEXT_SCANS, type TextScan } from '../validation/card-data.js';
import type { CommandRules } from '../validation/fields.js';
import { validateCommandData } from './validate-command.js';

const faultsOf = (rail: Rail, type: string, message: unknown, rules?: CommandRules) =>
  validateCommandData(rail, type, message, rules).faults.map(({ path, code }) => `${path}: ${code}`);

describe('what each rail takes', () => {
  it.each([
    ['partner-a', 'payment.authorize', aPartnerAAuthorization(), PartnerAAuthorization],
    ['partner-b', 'payment.authorize', aPartnerBAuthorization(), PartnerBAuthorization],
    ['partner-a', 'payment.capture', aCapture(), Capture],
    ['partner-b', 'payment.capture', aCapture(), Capture],
    ['card', 'payment.capture', aCapture(), Capture],
    ['partner-a', 'payment.refund', aRefund(), Refund],
    ['partner-b', 'payment.refund', aRefund(), Refund],
    ['card', 'payment.refund', aRefund(), Refund],
    ['partner-a', 'payment.void', aVoid(), VoidAuthorization],
    ['card', 'payment.void', aVoid(), VoidAuthorization],
    ['card', 'payment.pay', aCardPayment(), CardPayment],
  ] as const)('%s takes %s', (rail, type, message, messageClass) => {
    const { value, faults } = validateCommandData(rail, type, message);
    expect(faults).toEqual([]);
    expect(value).toBeInstanceOf(messageClass);
    expect(value).toEqual(message);
  });

  it.each([
    ['partner-a', 'payment.pay', 'method_not_on_rail'],
    ['partner-b', 'payment.pay', 'method_not_on_rail'],
    ['card', 'payment.authorize', 'method_not_on_rail'],
    ['partner-b', 'payment.void', 'void_not_offered'],
    ['partner-a', 'payment.settle', 'unknown_type'],
    ['partner-a', '__proto__', 'unknown_type'],
    ['card', 'constructor', 'unknown_type'],
  ] as const)('%s does not take %s: %s', (rail, type, code) => {
    expect(faultsOf(rail, type, {})).toEqual([`type: ${code}`]);
  });

  it('an option of the other method is refused [Service.method-prefixes] [PaymentSpecific.PAYMENTOPTION.{A,B}]', () => {
    expect(
      faultsOf('partner-a', 'payment.authorize', { ...aPartnerAAuthorization(), paymentOption: 'partnerB-3x' }),
    ).toEqual(['paymentOption: enum']);
    expect(
      faultsOf('partner-b', 'payment.authorize', { ...aPartnerBAuthorization(), paymentOption: 'partnerA-3xcb' }),
    ).toEqual(['paymentOption: enum']);
  });

  it.each([
    ['partner-a', aPartnerAAuthorization()],
    ['partner-b', aPartnerBAuthorization()],
  ] as const)('%s: a cart of more than 200 items is refused without a look at one of them', (rail, message) => {
    const looked = jest.fn(() => 1);
    const item = { get totalAmount() { return looked(); } }; // prettier-ignore
    const cart = Array.from({ length: 201 }, () => item);
    expect(faultsOf(rail, 'payment.authorize', { ...message, cart })).toEqual(['cart: length']);
    expect(looked).not.toHaveBeenCalled();
  });

  it('method A takes only its own cart fields [Cart.method-A]', () => {
    const cart = aPartnerBAuthorization().cart;
    expect(faultsOf('partner-a', 'payment.authorize', { ...aPartnerAAuthorization(), cart })).toEqual(
      [
        'merchantItemId',
        'name',
        'price',
        'quantity',
        'category',
        'brand',
        'deliveryLabel',
        'deliverySpeed',
        'deliveryType',
        'deliveryExpectedDate',
        'deliveryExpectedDelay',
      ].map((field) => `cart[0].${field}: unknown_field`),
    );
  });
});

it('names all faults at once, each with its path', () => {
  const message = {
    ...aPartnerBAuthorization({
      amount: 0,
      description: undefined,
      billing: { postalCode: '1234567890', country: 'fr' },
    }),
    surprise: true,
    cart: [
      { ...aPartnerBAuthorization().cart[0], price: -1 },
      { ...aPartnerBAuthorization().cart[0], quantity: 1000, totalAmount: 10000000, brand: '' },
    ],
  };
  expect(faultsOf('partner-b', 'payment.authorize', message).sort()).toEqual(
    [
      'amount: range',
      'billing.country: format',
      'billing.postalCode: length',
      'cart[0].price: range',
      'cart[1].brand: length',
      'cart[1].quantity: range',
      'description: required',
      'surprise: unknown_field',
    ].sort(),
  );
});

it('asks for a phone or a mobile phone in each address where the merchant wants all, and takes either [Customer.{BILLINGPHONE,SHIPTOPHONE,BILLINGMOBILEPHONE,SHIPTOMOBILEPHONE}]', () => {
  const without = (...fields: ('phone' | 'mobilePhone')[]) =>
    Object.fromEntries(fields.map((field) => [field, undefined]));
  const message = (fields: ('phone' | 'mobilePhone')[]) =>
    aPartnerAAuthorization({ billing: without(...fields), shipping: without(...fields) });
  expect(faultsOf('partner-a', 'payment.authorize', message(['phone']))).toEqual([]);
  expect(faultsOf('partner-a', 'payment.authorize', message(['mobilePhone']))).toEqual([]);
  expect(faultsOf('partner-a', 'payment.authorize', message(['phone', 'mobilePhone']))).toEqual([]);
  expect(
    faultsOf('partner-a', 'payment.authorize', message(['phone', 'mobilePhone']), { requirements: 'all' }),
  ).toEqual([
    'billing.phone: required',
    'billing.mobilePhone: required',
    'shipping.phone: required',
    'shipping.mobilePhone: required',
  ]);
});

it('asks for the date or the delay of a delivery, where the merchant wants all [Cart.DELIVERYEXPECTEDDELAY] [Limits.delivery-delay]', () => {
  const faults = (change: object) => {
    const cart = [{ ...aPartnerBAuthorization().cart[0], deliveryExpectedDelay: undefined, ...change }];
    const message = { ...aPartnerBAuthorization(), cart };
    return faultsOf('partner-b', 'payment.authorize', message, { requirements: 'all' }).filter((fault) =>
      fault.startsWith('cart[0].deliveryExpected'),
    );
  };
  expect(faults({ deliveryExpectedDate: '2026-03-10' })).toEqual([]);
  expect(faults({ deliveryExpectedDate: undefined, deliveryExpectedDelay: 2 })).toEqual([]);
  expect(faults({ deliveryExpectedDate: undefined })).toEqual([
    'cart[0].deliveryExpectedDate: required',
    'cart[0].deliveryExpectedDelay: required',
  ]);
});

it('lists at most a hundred faults', () => {
  const cart = Array.from({ length: 200 }, () => ({}));
  const faults = faultsOf('partner-a', 'payment.authorize', aPartnerAAuthorization({ cart }), { requirements: 'all' });
  expect(faults).toHaveLength(101);
  expect(faults.at(-1)).toBe(': too_many_faults');
});

describe('card data', () => {
  const number = '4111111111111111';
  it.each([
    ['a field for it', { cardcode: number }, ['cardcode: card_data_forbidden']],
    ['in another spelling', { 'Card-CVV': '123' }, ['Card-CVV: card_data_forbidden']],
    [
      'deep in an unknown field',
      { payment: { method: [{ pan: 1 }] } },
      ['payment: unknown_field', 'payment.method[0].pan: card_data_forbidden'],
    ],
    ['as the value of an unknown field', { note: number }, ['note: unknown_field', 'note: card_data_forbidden']],
    ['as a number', { note: Number(number) }, ['note: unknown_field', 'note: card_data_forbidden']],
    ['as a name', { [number]: 1 }, ['(name withheld): card_data_forbidden']],
    ['in the description', { description: `paid with ${number}` }, ['description: card_data_forbidden']],
    ['as the description', { description: Number(number) }, ['description: card_data_forbidden']],
    [
      'in an object where a text belongs',
      { description: { pan: '1' } },
      ['description: type', 'description.pan: card_data_forbidden'],
    ],
    ['in extraData', { extraData: `{"n":"${number}"}` }, ['extraData: card_data_forbidden']],
  ])('is refused: %s', (_name, fields, expected) => {
    const { faults, value } = validateCommandData('partner-a', 'payment.capture', { ...aCapture(), ...fields });
    expect(value).toBeUndefined();
    expect(faults.map(({ path, code }) => `${path}: ${code}`)).toEqual(expected);
    expect(JSON.stringify(faults)).not.toContain('4111');
  });

  it('is refused in the whole message too', () => {
    expect(faultsOf('card', 'payment.pay', number)).toEqual([': type', ': card_data_forbidden']);
    expect(faultsOf('card', 'payment.pay', [{ cvv: '123' }])).toEqual([': type', '[0].cvv: card_data_forbidden']);
  });

  it('ids, phones, tokens and user agents may be numbers that pass the Luhn check', () => {
    const message = aCardPayment({
      orderId: number,
      hfToken: number,
      client: { id: number, userAgent: `Phone/${number}`, referrer: `https://shop.example.com/${number}` },
    });
    expect(faultsOf('card', 'payment.pay', message)).toEqual([]);
    expect(
      faultsOf('partner-a', 'payment.authorize', aPartnerAAuthorization({ billing: { phone: '+411111111111114' } })),
    ).toEqual([]);
    expect(
      faultsOf('partner-a', 'payment.capture', aCapture({ transactionId: number, extraData: '1700000000004' })),
    ).toEqual([]);
  });
});

describe('the card scan of a merchant’s texts', () => {
  const card = '4970101234567893';
  it.each([
    ['a number of a scheme', `paid by ${card}`, ['refuse']],
    ['a CVV by its name', 'cvv: 123', ['refuse', 'mask-in-logs']],
    ['an order number that passes the Luhn check', 'order 1700000000004', []],
  ])('%s', (_what, text, refusedBy) => {
    const order = aPartnerBAuthorization();
    const everywhere = {
      ...order,
      ...{ description: text, extraData: text, metadata: text },
      billing: { ...order.billing, address: text, city: text.slice(0, 32) },
      shipping: { ...order.shipping, companyName: text, address: text, lastName: text.slice(0, 30) },
      cart: order.cart.map((item) => ({ ...item, name: text, brand: text, deliveryLabel: text })),
    };
    const refused = (textScan?: TextScan) =>
      validateCommandData('partner-b', 'payment.authorize', everywhere, { textScan }).faults.filter(
        ({ code }) => code === 'card_data_forbidden',
      ).length;
    expect(TEXT_SCANS.filter((scan) => refused(scan) > 0)).toEqual(refusedBy);
    expect(refused(undefined)).toBe(refused('refuse'));
    if (refusedBy.length > 0) expect(refused('refuse')).toBe(11);
  });

  it('card data in a wrong place is refused whatever the merchant chose', () => {
    const rules = { textScan: 'mask-in-logs' } as const;
    expect(faultsOf('partner-a', 'payment.refund', { ...aRefund(), note: card, cvv: '1' }, rules)).toEqual([
      'note: unknown_field',
      'note: card_data_forbidden',
      'cvv: card_data_forbidden',
    ]);
    expect(faultsOf('partner-a', 'payment.refund', { ...aRefund(), description: { pan: '1' } }, rules)).toEqual([
      'description: type',
      'description.pan: card_data_forbidden',
    ]);
  });
});

describe('Unicode', () => {
  // 15 visible letters; decomposed, each accent is a character of its own.
  const composedName = 'Éloïse-Aurélieà';
  const decomposed = composedName.normalize('NFD');

  it('a decomposed name counts and is sent as it is seen [Customer.{BILLINGFIRSTNAME,SHIPTOFIRSTNAME}] [Customer.{BILLINGLASTNAME,SHIPTOLASTNAME}] [Customer.BILLINGADDRESS] [Customer.{BILLINGCITY,SHIPTOCITY}]', () => {
    const order = aPartnerAAuthorization();
    const { value, faults } = validateCommandData('partner-a', 'payment.authorize', {
      ...order,
      billing: { ...order.billing, firstName: decomposed, lastName: decomposed },
      description: decomposed,
      extraData: decomposed,
    });
    expect(faults).toEqual([]);
    expect(value).toMatchObject({
      billing: { firstName: composedName, lastName: composedName },
      description: composedName,
      extraData: decomposed,
    });
    expect(validateSync(plainToInstance(PartnerAAuthorization, { ...order, billing: { ...order.billing, firstName: decomposed } }))).toEqual([]); // prettier-ignore
  });

  it('a name of 16 letters is too long in either form', () => {
    for (const name of [`${composedName}é`, `${composedName}é`.normalize('NFD')])
      expect(
        faultsOf('partner-a', 'payment.authorize', {
          ...aPartnerAAuthorization(),
          billing: { ...aPartnerAAuthorization().billing, firstName: name },
        }),
      ).toEqual(['billing.firstName: length']);
  });
});

it('never repeats a value in a message', () => {
  const canary = 'CANARY';
  const message = JSON.parse(
    JSON.stringify(aPartnerAAuthorization(), (_key, value: unknown) =>
      typeof value === 'object' ? value : `${canary}\n${'x'.repeat(600)}`,
    ),
  ) as unknown;
  const { faults } = validateCommandData('partner-a', 'payment.authorize', message);
  expect(faults.length).toBeGreaterThan(20);
  expect(JSON.stringify(faults)).not.toContain(canary);
});

describe('names of prototypes', () => {
  const poisoned = (json: string) => JSON.parse(JSON.stringify(aCapture()).replace(/}$/, `,${json}}`)) as unknown;

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'refuses %s as an unknown field',
    (name) => {
      expect(faultsOf('partner-a', 'payment.capture', poisoned(`"${name}":{"amount":1}`))).toEqual([
        `${name}: unknown_field`,
      ]);
      expect(({} as Record<string, unknown>).amount).toBeUndefined();
    },
  );

  it('does not take required fields from a prototype', () => {
    const message = JSON.parse('{"__proto__":{"merchant":"shop","orderId":"1","description":"x"}}') as unknown;
    expect(faultsOf('partner-a', 'payment.capture', message)).toEqual([
      '__proto__: unknown_field',
      'merchant: required',
      'orderId: required',
      'description: required',
    ]);
    expect(faultsOf('partner-a', 'payment.capture', Object.create(aCapture()))).toEqual([
      'merchant: required',
      'orderId: required',
      'description: required',
    ]);
  });

  it('does so in nested objects too', () => {
    const cart = [JSON.parse('{"totalAmount":1,"__proto__":{"x":1}}') as never];
    const message = JSON.parse(
      JSON.stringify({ ...aPartnerAAuthorization(), cart: 0 }).replace('"cart":0', `"cart":${JSON.stringify(cart)}`),
    ) as unknown;
    expect(faultsOf('partner-a', 'payment.authorize', message)).toEqual(['cart[0].__proto__: unknown_field']);
  });

  it('takes them as ids', () => {
    expect(
      faultsOf('partner-a', 'payment.capture', aCapture({ orderId: '__proto__', transactionId: 'constructor' })),
    ).toEqual([]);
  });
});

it('never throws, whatever comes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RAILS),
      fc.oneof(fc.constantFrom(...COMMAND_TYPES), fc.string()),
      fc.anything(),
      (rail, type, message) => {
        expect(validateCommandData(rail, type, message).faults.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 1000 },
  );
});

it('decodes and validates a full command faster than class-validator validates it', () => {
  const command = aCommand('payment.authorize', aPartnerBAuthorization());
  const encoded = encodeCloudEvent(command);
  const fastestRound = (run: () => unknown): number => {
    const rounds = Array.from({ length: 6 }, () => {
      const started = performance.now();
      for (let i = 0; i < 300; i++) run();
      return performance.now() - started;
    });
    return Math.min(...rounds);
  };
  const ours = fastestRound(() =>
    validateCommandData('partner-b', 'payment.authorize', decodeCloudEvent(encoded).event?.data),
  );
  const theirs = fastestRound(() => validateSync(plainToInstance(PartnerBAuthorization, command.data)));
  expect(ours).toBeLessThan(theirs);
});

it('METADATA has 1 to 255 characters without a card number, and is of authorizations only [Transaction.METADATA]', () => {
  const authorize = (metadata: string) =>
    faultsOf('partner-a', 'payment.authorize', aPartnerAAuthorization({ metadata }));
  expect(['m', 'm'.repeat(255)].flatMap(authorize)).toEqual([]);
  expect(['', 'm'.repeat(256), 'card 4970101234567893'].flatMap(authorize)).toEqual([
    ...['metadata: length', 'metadata: length', 'metadata: card_data_forbidden'],
  ]);
  const metadata = 'm';
  expect([
    ...faultsOf('partner-a', 'payment.capture', { ...aCapture(), metadata }),
    ...faultsOf('partner-a', 'payment.refund', { ...aRefund(), metadata }),
    ...faultsOf('partner-a', 'payment.void', { ...aVoid(), metadata }),
    ...faultsOf('card', 'payment.pay', { ...aCardPayment(), metadata }),
  ]).toEqual(Array(4).fill('metadata: unknown_field'));
});

describe('metadata of decorators', () => {
  it('survives on the properties of messages', () => {
    expect(Reflect.getMetadata('design:type', PartnerAAuthorization.prototype, 'client')).toBe(PartnerAClient);
    expect(Reflect.getMetadata('design:type', PartnerAAuthorization.prototype, 'amount')).toBe(Number);
    expect(Reflect.getMetadata('design:type', PartnerAAuthorization.prototype, 'cart')).toBe(Array);
    const cart = validateCommandData(
      'partner-a',
      'payment.authorize',
      aPartnerAAuthorization({ cart: [aPartnerACartItem()] }),
    ).value;
    expect((cart as PartnerAAuthorization).cart?.[0]).toBeInstanceOf(PartnerACartItem);
  });

  it('survives on the parameters of a decorated method', () => {
    const decorated = (): MethodDecorator => () => undefined;
    class Handler {
      @decorated()
      handle(message: PartnerAAuthorization, attempt: number): string {
        return `${message.orderId} ${attempt}`;
      }
    }
    expect(Reflect.getMetadata('design:paramtypes', Handler.prototype, 'handle')).toEqual([
      PartnerAAuthorization,
      Number,
    ]);
  });
});

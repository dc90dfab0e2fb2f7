import type { Market, Method } from '@tranche/contracts';
import { hasOption } from '../platform-methods.js';
import type { OperationType } from '../transactions/transaction.js';
import type { Parameters } from './flat-parameters.js';

type Format = (value: string) => boolean;
type Formats = Readonly<Record<string, Format>>;

const text =
  (max: number): Format =>
  (value) =>
    value.length <= max || [...value].length <= max;
const pattern =
  (shape: RegExp): Format =>
  (value) =>
    shape.test(value);
const all =
  (...formats: Format[]): Format =>
  (value) =>
    formats.every((format) => format(value));
const oneOf = (...values: string[]): Format => {
  const known = new Set(values);
  return (value) => known.has(value);
};
const oneLine = pattern(/^[^\r\n]*$/);
const phone = pattern(/^\+[0-9]+$/);
const email = pattern(/^[^@\s]+@[^@\s]+$/);
const integer = pattern(/^[0-9]{1,15}$/);
const percentage = pattern(/^[0-9]+(\.[0-9]+)?$/);
const title = oneOf('mr', 'miss', 'mrs');
const country = pattern(/^[A-Za-z]{2}$/);
const ipv4 = pattern(/^((25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(\.(?=.)|$)){4}$/);
const date: Format = (value) =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;

/** Formats for all operations (interface, Transaction). */
const EVERYWHERE: Formats = {
  IDENTIFIER: text(32),
  TRANSACTIONID: text(32),
  ORDERID: text(40),
  AMOUNT: all(integer, (value) => Number(value) > 0),
  DESCRIPTION: text(510),
  EXTRADATA: text(255),
  METADATA: text(255),
};

const CARD: Formats = {
  CARDCODE: pattern(/^[0-9]{12,19}$/),
  CARDCVV: pattern(/^[0-9]{3,4}$/),
  CARDVALIDITYDATE: pattern(/^(0[1-9]|1[0-2])-[0-9]{2}$/),
  SELECTEDBRAND: oneOf('cb', 'visa', 'vpay', 'electron', 'mastercard', 'maestro'),
};

/** Formats for methods A and B (interface, Customer and address fields). */
const INSTALMENT: Formats = {
  CLIENTUSERAGENT: text(255),
  CLIENTIP: ipv4,
  BILLINGTITLE: title,
  BILLINGFIRSTNAME: text(15),
  BILLINGLASTNAME: text(15),
  BILLINGPOSTALCODE: text(9),
  BILLINGCOUNTRY: country,
  SHIPTOCOMPANYNAME: text(50),
  SHIPTOTITLE: title,
  SHIPTOFIRSTNAME: text(15),
  SHIPTOLASTNAME: text(30),
  SHIPTOPOSTALCODE: text(9),
  SHIPTOCOUNTRY: country,
};

const onBothAddresses = (names: Formats): Formats =>
  Object.fromEntries(
    ['BILLING', 'SHIPTO'].flatMap((prefix) => Object.entries(names).map(([name, format]) => [prefix + name, format])),
  );

const METHOD_A: Formats = {
  ...INSTALMENT,
  ...onBothAddresses({
    ADDRESS: text(50),
    CITY: text(255),
    PHONE: all(phone, text(32)),
    MOBILEPHONE: all(phone, text(32)),
  }),
  BILLINGADDRESS: all(text(50), oneLine),
  CLIENTIDENT: text(255),
  CLIENTEMAIL: all(email, text(255), (value) => value.length >= 5),
  CLIENTDOB: date,
  PRESCORINGCODE: text(20),
};

const METHOD_B: Formats = {
  ...INSTALMENT,
  ...onBothAddresses({
    ADDRESS: text(38),
    CITY: text(32),
    PHONE: all(phone, text(15)),
    MOBILEPHONE: all(phone, text(15)),
  }),
  BILLINGADDRESS: all(text(38), oneLine),
  CLIENTIDENT: text(128),
  CLIENTEMAIL: all(text(100), (value) => !value.includes('+')),
};

const CATEGORIES =
  'computersandsoftware electronics appliances homeandgarden fashion healthandbeauty jewellery sport leisureandhobbies carsandmotorbikes ' +
  'furniture kidsandbaby videogamesandconsoles toysandgames pets foodanddrink giftandflowers entertainment travel auctionsandgroupbuying ' +
  'servicesforindividuals servicesforprofessionals';

const CART_A: Formats = {
  TOTALAMOUNT: integer,
  DISCOUNT: percentage,
  TAX: percentage,
  SUBMERCHANTEXTERNALID: () => true,
};
const CART_B: Formats = {
  ...CART_A,
  MERCHANTITEMID: text(256),
  NAME: text(256),
  PRICE: integer,
  QUANTITY: pattern(/^[0-9]{1,3}$/),
  CATEGORY: oneOf(...CATEGORIES.split(' ')),
  BRAND: text(100),
  DELIVERYLABEL: text(100),
  DELIVERYSPEED: oneOf('standard', 'express'),
  DELIVERYTYPE: oneOf('storepickup', 'networkpickup', 'travelpickup', 'carrier', 'edelivery'),
  DELIVERYEXPECTEDDATE: date,
  DELIVERYEXPECTEDDELAY: oneOf('1', '2', '3'),
};

/** Interface, authorization rule 4. */
const SPAIN: Formats = onBothAddresses({
  PHONE: pattern(/^\+34[89][0-9]{8}$/),
  MOBILEPHONE: pattern(/^\+34[67][0-9]{8}$/),
});

const FORMATS: Readonly<Record<Method, { readonly fields: Formats; readonly cart: Formats }>> = {
  A: { fields: METHOD_A, cart: CART_A },
  B: { fields: METHOD_B, cart: CART_B },
  card: { fields: CARD, cart: {} },
};

const names = (text: string): readonly string[] => text.split(' ');

const OF_ALL = names('IDENTIFIER OPERATIONTYPE ORDERID DESCRIPTION VERSION HASH');
/** An authorization without PAYMENTOPTION is read as a card's, which lists the fields that methods A and B share. */
const OF_AUTHORIZATION = [
  ...names('PAYMENTOPTION AMOUNT CLIENTIDENT CLIENTEMAIL APIKEYID EXTRADATA METADATA'),
  ...Object.keys(INSTALMENT),
  ...names('BILLINGADDRESS BILLINGCITY BILLINGPHONE BILLINGMOBILEPHONE'),
  ...names('SHIPTOADDRESS SHIPTOCITY SHIPTOPHONE SHIPTOMOBILEPHONE'),
];
/** The text of the interface names the token TOKEN, its request shape HFTOKEN. */
const OF_PAYMENT = names(
  'AMOUNT CLIENTIDENT CLIENTEMAIL CLIENTREFERRER CLIENTUSERAGENT CLIENTIP CARDFULLNAME HFTOKEN TOKEN SELECTEDBRAND',
);
const LISTED: Readonly<Record<OperationType, ReadonlySet<string>>> = {
  authorization: new Set([...OF_ALL, ...OF_AUTHORIZATION]),
  capture: new Set([...OF_ALL, ...names('TRANSACTIONID AMOUNT EXTRADATA')]),
  refund: new Set([...OF_ALL, ...names('TRANSACTIONID AMOUNT EXTRADATA')]),
  void: new Set([...OF_ALL, ...names('TRANSACTIONID EXTRADATA')]),
  payment: new Set([...OF_ALL, ...OF_PAYMENT]),
};

/** Interface, Endpoints: the parameters listed for an operation are the ones that it accepts. Returns the first other one. */
export function unlistedParameter(parameters: Parameters, type: OperationType, method: Method): string | undefined {
  const { fields, cart } = FORMATS[method];
  const isOfMethod = (name: string) => type === 'authorization' && method !== 'card' && Object.hasOwn(fields, name);
  return [...parameters.keys()].find((name) => {
    const [, item] = /^CART\[\d+\]\[(\w+)\]$/.exec(name) ?? [];
    return item === undefined ? !LISTED[type].has(name) && !isOfMethod(name) : !Object.hasOwn(cart, item);
  });
}

/** Returns the first parameter that violates the interface's format. Absent, empty and unknown parameters pass. */
export function invalidParameter(
  parameters: Parameters,
  { method, market }: { readonly method: Method; readonly market: Market },
): string | undefined {
  const { fields, cart } = FORMATS[method];
  const ofMarket = method === 'B' && market === 'ES' ? SPAIN : {};
  for (const [name, value] of parameters) {
    if (value === '') continue;
    const cartField = name.startsWith('CART[') ? cartFieldOf(name) : undefined;
    const isValid =
      cartField !== undefined
        ? holds(cart, cartField, value)
        : name === 'PAYMENTOPTION'
          ? method === 'card' || hasOption(method, market, value)
          : holds(EVERYWHERE, name, value) && holds(fields, name, value) && holds(ofMarket, name, value);
    if (!isValid) return name;
  }
  return undefined;
}

const holds = (formats: Formats, name: string, value: string) =>
  !Object.hasOwn(formats, name) || formats[name]?.(value) === true;

const cartFieldOf = (name: string) => name.slice(name.lastIndexOf('[') + 1, -1);

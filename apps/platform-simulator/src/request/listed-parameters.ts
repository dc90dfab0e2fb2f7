import type { Method } from '@tranche/contracts';
import type { OperationType } from '../transactions/transaction.js';
import type { Parameters } from './flat-parameters.js';

const names = (text: string): readonly string[] => text.trim().split(/\s+/);

const ADDRESS = names('TITLE FIRSTNAME LASTNAME ADDRESS POSTALCODE CITY COUNTRY PHONE MOBILEPHONE');
const EVERY = names('IDENTIFIER OPERATIONTYPE ORDERID DESCRIPTION VERSION HASH');
const AUTHORIZATION = [
  ...names('PAYMENTOPTION AMOUNT CLIENTUSERAGENT CLIENTIP CLIENTIDENT CLIENTEMAIL APIKEYID EXTRADATA METADATA'),
  ...ADDRESS.flatMap((name) => [`BILLING${name}`, `SHIPTO${name}`]),
  'SHIPTOCOMPANYNAME',
];
/** The text of the interface names the token TOKEN, its request shape HFTOKEN. */
const PAYMENT = names(
  'AMOUNT CLIENTIDENT CLIENTEMAIL CLIENTREFERRER CLIENTUSERAGENT CLIENTIP CARDFULLNAME HFTOKEN TOKEN SELECTEDBRAND',
);

const LISTED: Readonly<Record<OperationType, ReadonlySet<string>>> = {
  authorization: new Set([...EVERY, ...AUTHORIZATION]),
  capture: new Set([...EVERY, ...names('TRANSACTIONID AMOUNT EXTRADATA')]),
  refund: new Set([...EVERY, ...names('TRANSACTIONID AMOUNT EXTRADATA')]),
  void: new Set([...EVERY, ...names('TRANSACTIONID EXTRADATA')]),
  payment: new Set([...EVERY, ...PAYMENT]),
};

const CART = names('TOTALAMOUNT DISCOUNT TAX SUBMERCHANTEXTERNALID');
const OF_METHOD: Readonly<Record<Method, { fields: ReadonlySet<string>; cart: ReadonlySet<string> }>> = {
  A: { fields: new Set(['CLIENTDOB', 'PRESCORINGCODE']), cart: new Set(CART) },
  B: {
    fields: new Set(),
    cart: new Set([
      ...CART,
      ...names('MERCHANTITEMID NAME PRICE QUANTITY CATEGORY BRAND DELIVERYLABEL DELIVERYSPEED DELIVERYTYPE'),
      ...names('DELIVERYEXPECTEDDATE DELIVERYEXPECTEDDELAY'),
    ]),
  },
  card: { fields: new Set(), cart: new Set() },
};

/** Interface, Endpoints: the parameters listed for an operation are the ones that it accepts. Returns the first other one. */
export function unlistedParameter(parameters: Parameters, type: OperationType, method: Method): string | undefined {
  const { fields, cart } = OF_METHOD[method];
  return [...parameters.keys()].find((name) => {
    const item = /^CART\[\d+\]\[(\w+)\]$/.exec(name);
    if (item) return !cart.has(item[1]!);
    return !LISTED[type].has(name) && !(type === 'authorization' && fields.has(name));
  });
}

import {
  platformHash,
  type CardPayment,
  type Capture,
  type Merchant,
  type PartnerAAuthorization,
  type PartnerBAuthorization,
  type Refund,
  type VoidAuthorization,
} from '@tranche/contracts';
import { tagExtraData } from '@tranche/order-journal';
import type { AcceptedCommand } from '../command/accepted-command.js';

/** Protocol version, the only value there is (interface, Versioning). */
export const VERSION = '3.0';

type Value = string | number | undefined;
type Parameter = readonly [name: string, value: string];

export interface OperationForm {
  /** Value of `method` and OPERATIONTYPE. */
  operationType: OperationType;
  /** `method=…&params[NAME]=…`, urlencoded. */
  body: string;
  /** Whether our tag rides in EXTRADATA; not where it has no room or no field (R8). */
  isTagged: boolean;
}

export type OperationType = 'authorization' | 'capture' | 'refund' | 'void' | 'payment';

export const OPERATION_TYPE = {
  authorize: 'authorization',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  pay: 'payment',
} as const satisfies Record<AcceptedCommand['operation'], OperationType>;

/** What a follow-up takes from its order rather than from its command. */
export interface FormContext {
  attempt: number;
  /** TRANSACTIONID that a capture, refund or void names. */
  transactionId?: string;
}

/** Builds the request of one attempt: parameters as the interface lists them per operation, signed. */
export function operationForm(command: AcceptedCommand, { attempt, transactionId }: FormContext): OperationForm {
  const { merchant, commandId, operation } = command;
  const operationType = OPERATION_TYPE[operation];
  const always: [string, Value][] = [
    ['IDENTIFIER', merchant.identifier],
    ['OPERATIONTYPE', operationType],
    ['VERSION', VERSION],
  ];
  const { own, isTagged = false, apiKeyId } = parametersOf(command, commandId, attempt, transactionId);
  const parameters = [...always, ...own]
    .filter((pair): pair is [string, string | number] => pair[1] !== undefined)
    .map(([name, value]): Parameter => [name, String(value)]);
  const hash = platformHash(signingKey(merchant, apiKeyId), parameters);
  return { operationType, body: encodeForm(operationType, [...parameters, ['HASH', hash]]), isTagged };
}

/** The key of APIKEYID when one is sent, else the account's (platform facts, HASH). */
function signingKey(merchant: Merchant, apiKeyId: string | undefined): string {
  const apiKey = apiKeyId === undefined ? undefined : merchant.apiKeys?.find(({ id }) => id === apiKeyId);
  return apiKey?.key ?? merchant.accountKey;
}

interface OwnParameters {
  own: [string, Value][];
  isTagged?: boolean;
  apiKeyId?: string;
}

function parametersOf(command: AcceptedCommand, commandId: string, attempt: number, transactionId: string | undefined): OwnParameters {
  switch (command.operation) {
    case 'authorize': {
      const { extraData, isTagged } = tagExtraData(command.data.extraData, commandId, attempt);
      return { own: authorization(command.data, extraData), apiKeyId: command.data.apiKeyId, isTagged };
    }
    case 'pay':
      return { own: cardPayment(command.data) };
    case 'capture':
    case 'refund':
    case 'void': {
      const { extraData, isTagged } = tagExtraData(command.data.extraData, commandId, attempt);
      return { own: followUp(command.data, transactionId, extraData), isTagged };
    }
  }
}

function followUp(data: Capture | Refund | VoidAuthorization, transactionId: string | undefined, extraData: string): [string, Value][] {
  return [
    ['TRANSACTIONID', transactionId],
    ['ORDERID', data.orderId],
    ['DESCRIPTION', data.description],
    ['AMOUNT', 'amount' in data ? data.amount : undefined],
    ['EXTRADATA', extraData],
  ];
}

function cardPayment(data: CardPayment): [string, Value][] {
  const { client } = data;
  return [
    ['ORDERID', data.orderId],
    ['AMOUNT', data.amount],
    ['DESCRIPTION', data.description],
    ['CLIENTIDENT', client.id],
    ['CLIENTEMAIL', client.email],
    ['CLIENTREFERRER', client.referrer],
    ['CLIENTUSERAGENT', client.userAgent],
    ['CLIENTIP', client.ip],
    ['CARDFULLNAME', data.cardFullName],
    ['HFTOKEN', data.hfToken],
    ['SELECTEDBRAND', data.selectedBrand],
  ];
}

function authorization(data: PartnerAAuthorization | PartnerBAuthorization, extraData: string): [string, Value][] {
  const { client } = data;
  return [
    ['PAYMENTOPTION', data.paymentOption],
    ['AMOUNT', data.amount],
    ['ORDERID', data.orderId],
    ['DESCRIPTION', data.description],
    ['APIKEYID', data.apiKeyId],
    ['EXTRADATA', extraData],
    ['METADATA', data.metadata],
    ['PRESCORINGCODE', 'prescoringCode' in data ? data.prescoringCode : undefined],
    ['CLIENTUSERAGENT', client.userAgent],
    ['CLIENTIP', client.ip],
    ['CLIENTIDENT', client.id],
    ['CLIENTEMAIL', client.email],
    ['CLIENTDOB', 'birthDate' in client ? client.birthDate : undefined],
    ...address('BILLING', data.billing),
    ['SHIPTOCOMPANYNAME', data.shipping.companyName],
    ...address('SHIPTO', data.shipping),
    ...data.cart.flatMap((item, index) => cartItem(item, index)),
  ];
}

type Address = PartnerAAuthorization['billing'] | PartnerBAuthorization['billing'];

function address(prefix: 'BILLING' | 'SHIPTO', of: Address): [string, Value][] {
  return [
    [`${prefix}TITLE`, of.title],
    [`${prefix}FIRSTNAME`, of.firstName],
    [`${prefix}LASTNAME`, of.lastName],
    [`${prefix}ADDRESS`, of.address],
    [`${prefix}POSTALCODE`, of.postalCode],
    [`${prefix}CITY`, of.city],
    [`${prefix}COUNTRY`, of.country],
    [`${prefix}PHONE`, of.phone],
    [`${prefix}MOBILEPHONE`, of.mobilePhone],
  ];
}

const CART_FIELDS = {
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
  totalAmount: 'TOTALAMOUNT',
  discount: 'DISCOUNT',
  tax: 'TAX',
  subMerchantExternalId: 'SUBMERCHANTEXTERNALID',
} as const;

function cartItem(item: object, index: number): [string, Value][] {
  const fields = new Map<string, Value>(Object.entries(item) as [string, Value][]);
  return Object.entries(CART_FIELDS).map(([field, name]) => [`CART[${index}][${name}]`, fields.get(field)]);
}

/** `CART[0][PRICE]` travels as `params[CART][0][PRICE]` (interface, Payment platform operations). */
export function encodeForm(method: string, parameters: Parameter[]): string {
  let form = `method=${method}`;
  for (const [name, value] of parameters) form += `&${formName(name)}=${escape(value)}`;
  return form;
}

/** Names as they travel: there are as many as the interface has, times the longest cart. */
const formNames = new Map<string, string>();

function formName(name: string): string {
  const known = formNames.get(name);
  if (known !== undefined) return known;
  const { 1: root, 2: rest } = /^([^[]*)(.*)$/.exec(name) ?? [];
  const travelling = escape(`params[${root}]${rest}`);
  formNames.set(name, travelling);
  return travelling;
}

/** As `application/x-www-form-urlencoded` wants it (WHATWG URL); most values hold nothing to escape. */
function escape(text: string): string {
  return /^[A-Za-z0-9*._-]*$/.test(text) ? text : new URLSearchParams([['', text]]).toString().slice(1);
}

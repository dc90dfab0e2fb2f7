import {
  CardPayment,
  COMMAND_TOPICS,
  encodeCloudEvent,
  exampleOf,
  isPlainObject,
  PartnerAAuthorization,
  PartnerABilling,
  PartnerACartItem,
  PartnerBAuthorization,
  PartnerBCartItem,
  PROTOCOL_VERSION,
  type Capture,
  type CloudEvent,
  type CommandData,
  type CommandType,
  type PaymentNotification,
  type Refund,
  type VoidAuthorization,
  orderKey,
  readNotification,
  TOPICS,
} from '@tranche/contracts';

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
export const aPartnerAAuthorization = (overrides: Overrides<PartnerAAuthorization> = {}) =>
  merged<Complete<PartnerAAuthorization>>(
    examplesOf(PartnerAAuthorization) as Complete<PartnerAAuthorization>,
    overrides,
  );

export const aPartnerACartItem = (overrides: Overrides<PartnerACartItem> = {}): PartnerACartItem =>
  merged(examplesOf(PartnerACartItem), overrides);

/** A valid `payment.authorize` of method B with every field. */
export const aPartnerBAuthorization = (overrides: Overrides<PartnerBAuthorization> = {}) =>
  merged<Complete<PartnerBAuthorization>>(
    { ...(examplesOf(PartnerBAuthorization) as Complete<PartnerBAuthorization>), cart: [aPartnerBCartItem()] },
    overrides,
  );

export const aPartnerBCartItem = (overrides: Overrides<PartnerBCartItem> = {}): PartnerBCartItem =>
  merged({ ...examplesOf(PartnerBCartItem), deliveryExpectedDate: '2028-02-29', deliveryExpectedDelay: 3 }, overrides);

export function aCapture(overrides: Overrides<Capture> = {}): Capture {
  return merged<Capture>({ merchant: 'shop-fr', orderId: 'order-1', description: 'Shipped' }, overrides);
}

export function aRefund(overrides: Overrides<Refund> = {}): Refund {
  return merged<Refund>({ merchant: 'shop-fr', orderId: 'order-1', description: 'Sent back' }, overrides);
}

export function aVoid(overrides: Overrides<VoidAuthorization> = {}): VoidAuthorization {
  return merged<VoidAuthorization>({ merchant: 'shop-fr', orderId: 'order-1', description: 'Cancelled' }, overrides);
}

export const aCardPayment = (overrides: Overrides<CardPayment> = {}): CardPayment =>
  merged({ ...examplesOf(CardPayment), amount: 2500, description: 'One lamp' }, overrides);

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

/** A dead letter of an authorization by method B, as a gateway with a fault of its own writes it. `at`: the offset of its command. */
export function aDeadLetter(
  prefix: string,
  command: CloudEvent<CommandData>,
  { at = 0, code = 'handler_failed' }: { at?: number; code?: string | undefined } = {},
) {
  const { headers, value } = encodeCloudEvent(command);
  const about = {
    'dead-letter-topic': prefix + COMMAND_TOPICS['partner-b'].name,
    'dead-letter-partition': '0',
    'dead-letter-offset': String(at),
    'dead-letter-timestamp': String(Date.now()),
    'dead-letter-attempts': '6',
    'dead-letter-code': code,
    'dead-letter-message': 'a fault that is mended now',
  };
  const key = orderKey(command.data.merchant, command.data.orderId);
  return { topic: prefix + TOPICS.commandsDeadLetter.name, key, value, headers: { ...headers, ...about } };
}

export function aNotification(overrides: Partial<PaymentNotification> = {}): PaymentNotification {
  return Object.assign(readNotification('shop-fr', notificationParameters(), '2028-01-31T10:00:00Z'), overrides);
}

/** Valid for every method. */
export const anAddress = (): PartnerABilling => examplesOf(PartnerABilling);

/** The examples of the contracts' fields, without the times and choices that make a command another one. */
function examplesOf<T extends object>(type: new () => T): T {
  const example = exampleOf(type);
  for (const name of ['currency', 'notAfter', 'tokenizedAt']) delete example[name];
  return example as T;
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

/** Spellings of an encryption key that key services use. Each reader of such keys must read all of these as the same key. */
export function keySpellings(base64: string): [how: string, text: string][] {
  const in64 = base64.replace(/.{1,64}/g, '$&\n');
  const pem = `-----BEGIN PUBLIC KEY-----\n${in64}-----END PUBLIC KEY-----\n`;
  return [
    ['bare', base64],
    ['in lines of 64', in64],
    ['in lines that end with CRLF', in64.replaceAll('\n', '\r\n')],
    ['as PEM', pem],
    ['as PEM in one line', pem.replaceAll('\n', '')],
    ['with spaces around', ` ${base64}\t`],
  ];
}

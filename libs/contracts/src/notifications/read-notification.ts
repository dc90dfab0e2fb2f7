import { isUnmasked, maskedCode } from '../validation/card-data.js';
import { METHOD_NAMES, METHODS, type Method } from '../methods.js';
import { OPERATION_TYPES, PROTOCOL_VERSION } from '../platform/enums.js';
import { isKnownExecCode } from '../platform/execcodes.js';
import { sentValue } from '../extra-data.js';
import { codePoints } from '../validation/texts.js';
import { PaymentNotification, type NotificationFlag } from './payment-notification.js';

/** Parameters in the notifications of both methods (interface, Events). */
export const NOTIFICATION_PARAMETERS = [
  'AMOUNT',
  'CLIENTEMAIL',
  'CLIENTIDENT',
  'CURRENCY',
  'DESCRIPTOR',
  'EXECCODE',
  'EXTRADATA',
  'HASH',
  'IDENTIFIER',
  'LANGUAGE',
  'MESSAGE',
  'OPERATIONTYPE',
  'ORDERID',
  'TRANSACTIONID',
  'VERSION',
] as const;

/** Additional parameters of a refund of method B. */
export const EXTERNAL_PARAMETERS = ['EXTERNALENTITYID', 'EXTERNALREFERENCE'] as const;

/** The interface says only that a `payment` notification "carries the transaction parameters"; this list comes from public clients. */
export const CARD_PARAMETERS = [
  'CARDCODE',
  'CARDCOUNTRY',
  'CARDFULLNAME',
  'CARDTYPE',
  'CARDVALIDITYDATE',
  'CLIENTIP',
  'CLIENTREFERRER',
  'CLIENTUSERAGENT',
  'DESCRIPTION',
  'SELECTEDBRAND',
] as const;

/** Parameters about the buyer, which no service here needs. */
export const CLIENT_PARAMETERS = [
  'CLIENTEMAIL',
  'CLIENTIDENT',
  'CLIENTIP',
  'CLIENTREFERRER',
  'CLIENTUSERAGENT',
  'CARDFULLNAME',
] as const;

const KNOWN: ReadonlySet<string> = new Set([...NOTIFICATION_PARAMETERS, ...EXTERNAL_PARAMETERS, ...CARD_PARAMETERS]);
const NEEDED = ['IDENTIFIER', 'OPERATIONTYPE', 'ORDERID', 'EXECCODE'] as const;

type ReceivedPair = readonly [name: string, value: string, sentBytes?: object];

/**
 * Reads a notification whose HASH was verified. It never refuses: anomalies become flags. It masks card data that the platform should
 * have masked.
 * @param parameters the third member holds the bytes of a pair that is not UTF-8; the pair is flagged, because its text may be wrong
 * @param keepsClient true if `parameters` keep the buyer's data
 */
export function readNotification(
  merchant: string,
  parameters: Iterable<ReceivedPair>,
  receivedAt: string,
  keepsClient = true,
): PaymentNotification {
  const flags = new Set<NotificationFlag>();
  const received = collect(parameters, flags);
  // The platform sends an empty value for an absent one.
  const read = (name: string) => sentValue(name, received.get(name) ?? '') || undefined;

  const notification = new PaymentNotification();
  notification.merchant = merchant;
  notification.orderId = read('ORDERID') ?? '';
  notification.identifier = read('IDENTIFIER') ?? '';
  notification.operationType = read('OPERATIONTYPE') ?? '';
  notification.execCode = read('EXECCODE') ?? '';
  const optional = {
    transactionId: read('TRANSACTIONID'),
    amount: amountOf(read('AMOUNT'), flags),
    currency: read('CURRENCY'),
    message: read('MESSAGE'),
    descriptor: read('DESCRIPTOR'),
    language: read('LANGUAGE'),
    extraData: read('EXTRADATA'),
    maskedCard: read('CARDCODE'),
    cardBrand: read('CARDTYPE') ?? read('SELECTEDBRAND'),
    selectedBrand: read('SELECTEDBRAND'),
    cardCountry: read('CARDCOUNTRY'),
    ...(keepsClient && {
      cardValidUntil: read('CARDVALIDITYDATE'),
      cardFullName: read('CARDFULLNAME'),
      clientEmail: read('CLIENTEMAIL'),
      clientIdent: read('CLIENTIDENT'),
    }),
    externalEntityId: digits(read('EXTERNALENTITYID'), 10, 'invalid_external_entity_id', flags),
    externalReference: digits(read('EXTERNALREFERENCE'), 9, 'invalid_external_reference', flags)?.padStart(9, '0'),
  };
  for (const [name, value] of Object.entries(optional))
    if (value !== undefined) Object.assign(notification, { [name]: value });
  flagTheUnknown(notification, received, flags);
  if (!keepsClient) for (const name of CLIENT_PARAMETERS) received.delete(name);
  notification.parameters = Object.fromEntries(received);
  notification.flags = [...flags].sort();
  notification.receivedAt = receivedAt;
  return notification;
}

function collect(parameters: Iterable<ReceivedPair>, flags: Set<NotificationFlag>): Map<string, string> {
  const received = new Map<string, string>();
  for (const [name, value, sentBytes] of parameters) {
    if (name === 'HASH') continue;
    if (sentBytes !== undefined) flags.add('not_utf8');
    if (received.has(name)) flags.add('duplicate_parameters');
    else if (name === 'CARDCVV') flags.add('card_data_removed');
    else if (name === 'CARDCODE' && isUnmasked(value)) {
      flags.add('card_data_removed');
      received.set(name, maskedCode(value));
    } else received.set(name, value);
  }
  return received;
}

function amountOf(text: string | undefined, flags: Set<NotificationFlag>): number | undefined {
  if (text === undefined) return undefined;
  const amount = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(amount)) return amount;
  flags.add('invalid_amount');
  return undefined;
}

function digits(
  text: string | undefined,
  max: number,
  flag: NotificationFlag,
  flags: Set<NotificationFlag>,
): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text) && text.length <= max) return text;
  flags.add(flag);
  return undefined;
}

function flagTheUnknown(
  notification: PaymentNotification,
  received: ReadonlyMap<string, string>,
  flags: Set<NotificationFlag>,
): void {
  const { orderId, operationType, execCode, language, currency } = notification;
  const version = received.get('VERSION')?.trim();
  if (NEEDED.some((name) => !received.get(name)?.trim())) flags.add('missing_parameters');
  if (codePoints(orderId) > 40) flags.add('invalid_order_id');
  if (operationType !== '' && !(OPERATION_TYPES as readonly string[]).includes(operationType))
    flags.add('unknown_operation');
  if (execCode !== '' && !isKnownExecCode(execCode)) flags.add('unknown_execcode');
  if (language !== undefined && !languagesOf(operationType, received).has(language)) flags.add('unknown_language');
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) flags.add('invalid_currency');
  if (version && version !== PROTOCOL_VERSION) flags.add('unknown_version');
  for (const name of received.keys()) if (!KNOWN.has(name)) flags.add('extra_parameters');
}

/** A notification does not name its method. If its parameters identify one method, we use that method's languages, else those of all. */
function languagesOf(operationType: string, received: ReadonlyMap<string, string>): ReadonlySet<string> {
  const methods = METHOD_NAMES.filter((method) => maySend(method, operationType, received));
  return new Set(methods.flatMap((method): readonly string[] => METHODS[method].languages));
}

function maySend(method: Method, operationType: string, received: ReadonlyMap<string, string>): boolean {
  if (EXTERNAL_PARAMETERS.some((name) => received.get(name))) return method === 'B';
  if (operationType === 'payment') return method === 'card';
  return operationType !== 'void' || (METHODS[method].takesVoid && METHODS[method].begins === 'authorize');
}

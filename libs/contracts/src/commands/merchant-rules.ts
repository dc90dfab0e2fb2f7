import type { MerchantRules } from '../merchants.js';
import { fault, type Fault } from '../error-codes.js';
import { isCommandType, type CommandType } from '../message-types.js';
import {
  amountLimits,
  isOptionOf,
  isPaymentOption,
  MARKET_TABLE,
  methodOfRail,
  methodRow,
  optionsOf,
  type Method,
  type Rail,
} from '../methods.js';
import { endsLikeOurs, hasRoomForReturnPage } from '../extra-data.js';
import { isCalendarDate } from '../validation/texts.js';
import type { Checked } from '../validation/check.js';
import { validateCommandData, type CommandData } from './validate-command.js';

/**
 * Checks a command as far as that is possible without its order: its fields, and with `merchant` the rules that depend on the merchant. The
 * gateway, the client and its double share this function. Returns an instance of the command's class, or all faults; never throws.
 * @param timeMs creation time of the command; NaN if it has none
 */
export function checkCommand(
  rail: Rail,
  type: string,
  data: unknown,
  { merchant, timeMs }: { merchant: MerchantRules | undefined; timeMs: number },
): Checked<CommandData> {
  const { value, faults } = validateCommandData(rail, type, data, merchant);
  if (!isCommandType(type)) return { faults: [...faults] };
  const all = [...faults, ...faultsOfExtraData(data)];
  if (merchant !== undefined) all.push(...faultsOfRules(rail, type, data, merchant, timeMs));
  return value !== undefined && all.length === 0 ? { value, faults: [] } : { faults: all };
}

function faultsOfExtraData(data: unknown): Fault[] {
  const extraData = read(data, 'extraData');
  if (typeof extraData !== 'string' || !endsLikeOurs(extraData)) return [];
  return [fault('extraData', 'format', 'must not end like what is put behind it')];
}

/**
 * Checks the interface's rules that depend only on command and merchant. `data` may be invalid; each rule reads only valid parts.
 * @param timeMs creation time of the command; NaN if it has none
 */
export function faultsOfRules(
  rail: Rail,
  type: CommandType,
  data: unknown,
  merchant: MerchantRules,
  timeMs: number,
): Fault[] {
  const faults = faultsOfCurrency(data, merchant);
  if (type !== 'payment.authorize') return faults;
  const apiKeyId = read(data, 'apiKeyId');
  const apiKey = merchant.apiKeys?.find(({ id }) => id === apiKeyId);
  if (typeof apiKeyId === 'string' && apiKey === undefined)
    faults.push(fault('apiKeyId', 'unknown_api_key', 'is not configured for the merchant'));
  else if (apiKey?.type === 'Public')
    faults.push(fault('apiKeyId', 'public_api_key', 'is of type Public, which never signs'));
  const method = methodOfRail(rail);
  return [
    ...faults,
    ...faultsOfReturnPage(data, merchant),
    ...faultsOfAmount(method, data, merchant),
    ...faultsOfMarket(method, data, merchant),
    ...faultsOfDelivery(method, data, timeMs),
  ];
}

function faultsOfCurrency(data: unknown, merchant: MerchantRules): Fault[] {
  const { currency } = merchant;
  if (currencyOf(data, merchant) === currency) return [];
  const message = `must be ${currency}: no request names a currency, so the account of the IDENTIFIER decides; another one needs a merchant of its own`;
  return [fault('currency', 'currency_not_of_merchant', message)];
}

/** ISO 4217 code: the command's own, otherwise the merchant's. */
export function currencyOf(data: unknown, { currency }: Pick<MerchantRules, 'currency'>): string {
  const named = read(data, 'currency');
  return typeof named === 'string' ? named : currency;
}

function faultsOfReturnPage(data: unknown, { returnPages = [] }: MerchantRules): Fault[] {
  const page = read(data, 'returnPage');
  const extraData = read(data, 'extraData');
  if (typeof page !== 'string') return [];
  if (!returnPages.some(({ name }) => name === page)) {
    const message = `must be ${returnPages.map(({ name }) => name).join(' or ') || 'left out: the merchant has none'}`;
    return [fault('returnPage', 'return_page_unknown', message)];
  }
  if (typeof extraData !== 'string' || hasRoomForReturnPage(extraData, page)) return [];
  return [fault('extraData', 'length', 'leaves no room for the returnPage that goes behind it')];
}

function faultsOfAmount(method: Method, data: unknown, merchant: MerchantRules): Fault[] {
  const currency = currencyOf(data, merchant);
  const limits = amountLimits(method);
  const amount = read(data, 'amount');
  if (limits?.currency !== currency || typeof amount !== 'number' || (amount >= limits.min && amount <= limits.max))
    return [];
  return [fault('amount', 'amount_out_of_range', `must be ${limits.min} to ${limits.max} with method ${method}`)];
}

function faultsOfMarket(method: Method, data: unknown, { market }: MerchantRules): Fault[] {
  const account = `a ${MARKET_TABLE[market].name}-market account`;
  const faults: Fault[] = [];
  const option = read(data, 'paymentOption');
  if (isPaymentOption(option) && !isOptionOf(option, method, market)) {
    const message = `must be ${optionsOf(method, market).join(' or ')} for ${account}`;
    faults.push(fault('paymentOption', 'option_not_in_market', message));
  }
  const forms = methodRow(method).phones?.[market];
  if (forms === undefined) return faults;
  for (const address of ['billing', 'shipping']) {
    for (const field of ['phone', 'mobilePhone'] as const) {
      const phone = read(read(data, address), field);
      const { pattern, says } = forms[field];
      if (typeof phone === 'string' && !pattern.test(phone))
        faults.push(fault(`${address}.${field}`, 'phone_not_in_market', `must be ${says} for ${account}`));
    }
  }
  return faults;
}

const HOUR_MS = 3_600_000;
/** Offset of UTC+14, where a day begins first. */
const EARLIEST_ZONE_MS = 14 * HOUR_MS;

/** Interface: "express when under 48 hours". An item with a longer stated delivery time cannot be express. */
function faultsOfDelivery(method: Method, data: unknown, timeMs: number): Fault[] {
  const { expressHours } = methodRow(method);
  const cart = read(data, 'cart');
  if (expressHours === undefined || !Array.isArray(cart)) return [];
  return cart.flatMap((item: unknown, index): Fault[] => {
    if (read(item, 'deliverySpeed') !== 'express' || hoursAtLeast(item, timeMs) < expressHours) return [];
    return [fault(`cart[${index}].deliverySpeed`, 'not_express', `is for deliveries under ${expressHours} hours`)];
  });
}

/**
 * Minimum hours until a delivery, by its number of days or its date; 0 if it has neither. Days are read as dates: a delivery in two days may
 * come when the second day begins, up to 48 hours from now and at least 24.
 */
function hoursAtLeast(item: unknown, timeMs: number): number {
  const delay = read(item, 'deliveryExpectedDelay');
  const date = read(item, 'deliveryExpectedDate');
  const byDate =
    typeof date === 'string' && isCalendarDate(date) ? Date.parse(`${date}T00:00:00Z`) - EARLIEST_ZONE_MS - timeMs : 0;
  return Math.max(typeof delay === 'number' ? (delay - 1) * 24 : 0, Number.isNaN(byDate) ? 0 : byDate / HOUR_MS);
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

import {
  amountLimits,
  isCalendarDate,
  isPaymentOption,
  MARKET_TABLE,
  methodOfRail,
  methodRow,
  METHODS,
  optionsOf,
  type CommandType,
  type Fault,
  type Merchant,
  type Method,
  type Rail,
} from '@tranche/contracts';
import type { PlatformOperation } from './operation.js';
import { hasRoomForReturnPage } from './return-page.js';

const HFTOKEN_LIFETIME_MS = METHODS.card.tokenMinutes * 60_000;
/** Older commands are refused: the index may have dropped their originals, and a snapshot their order's verdicts (`RECENT_MS`). */
export const COMMAND_LIFETIME_MS = 7 * 86_400_000;

/**
 * Checks the interface's rules that depend only on command and merchant. `data` may be invalid; each rule reads only valid parts.
 * @param timeMs creation time of the command; NaN if it has none
 */
export function faultsOfRules(
  rail: Rail,
  type: CommandType,
  data: unknown,
  merchant: Merchant,
  timeMs: number,
): Fault[] {
  const faults = faultsOfCurrency(data, merchant);
  if (type !== 'payment.authorize') return faults;
  const apiKeyId = read(data, 'apiKeyId');
  const apiKey = merchant.apiKeys?.find(({ id }) => id === apiKeyId);
  if (typeof apiKeyId === 'string' && apiKey === undefined)
    faults.push({ path: 'apiKeyId', code: 'unknown_api_key', message: 'is not configured for the merchant' });
  else if (apiKey?.type === 'Public')
    faults.push({ path: 'apiKeyId', code: 'public_api_key', message: 'is of type Public, which never signs' });
  const method = methodOfRail(rail);
  return [
    ...faults,
    ...faultsOfReturnPage(data, merchant),
    ...faultsOfAmount(method, data, merchant),
    ...faultsOfMarket(method, data, merchant),
    ...faultsOfDelivery(method, data, timeMs),
  ];
}

function faultsOfCurrency(data: unknown, merchant: Merchant): Fault[] {
  const has = [merchant.currency, ...(merchant.currencies ?? [])];
  if (has.includes(currencyOf(data, merchant))) return [];
  return [{ path: 'currency', code: 'currency_not_of_merchant', message: `must be ${has.join(' or ')}` }];
}

/** ISO 4217 code: the command's own, otherwise the merchant's. */
export function currencyOf(data: unknown, { currency }: Merchant): string {
  const named = read(data, 'currency');
  return typeof named === 'string' ? named : currency;
}

function faultsOfReturnPage(data: unknown, { returnPages = [] }: Merchant): Fault[] {
  const page = read(data, 'returnPage');
  const extraData = read(data, 'extraData');
  if (typeof page !== 'string') return [];
  if (!returnPages.some(({ name }) => name === page)) {
    const message = `must be ${returnPages.map(({ name }) => name).join(' or ') || 'left out: the merchant has none'}`;
    return [{ path: 'returnPage', code: 'return_page_unknown', message }];
  }
  if (typeof extraData !== 'string' || hasRoomForReturnPage(extraData, page)) return [];
  return [{ path: 'extraData', code: 'length', message: 'leaves no room for the returnPage that goes behind it' }];
}

function faultsOfAmount(method: Method, data: unknown, merchant: Merchant): Fault[] {
  const currency = currencyOf(data, merchant);
  const { limits, setBy } = amountLimits(method, read(data, 'paymentOption')) ?? {};
  const amount = read(data, 'amount');
  if (limits?.currency !== currency || typeof amount !== 'number' || (amount >= limits.min && amount <= limits.max))
    return [];
  return [
    { path: 'amount', code: 'amount_out_of_range', message: `must be ${limits.min} to ${limits.max} with ${setBy}` },
  ];
}

function faultsOfMarket(method: Method, data: unknown, { market }: Merchant): Fault[] {
  const account = `a ${MARKET_TABLE[market].name}-market account`;
  const faults: Fault[] = [];
  const option = read(data, 'paymentOption');
  const options: readonly string[] = optionsOf(method, market);
  if (isPaymentOption(option) && !options.includes(option)) {
    faults.push({
      path: 'paymentOption',
      code: 'option_not_in_market',
      message: `must be ${options.join(' or ')} for ${account}`,
    });
  }
  const forms = methodRow(method).phones?.[market];
  if (forms === undefined) return faults;
  for (const address of ['billing', 'shipping']) {
    for (const field of ['phone', 'mobilePhone'] as const) {
      const phone = read(read(data, address), field);
      const { pattern, says } = forms[field];
      if (typeof phone === 'string' && !pattern.test(phone)) {
        faults.push({
          path: `${address}.${field}`,
          code: 'phone_not_in_market',
          message: `must be ${says} for ${account}`,
        });
      }
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
    return [
      {
        path: `cart[${index}].deliverySpeed`,
        code: 'not_express',
        message: `is for deliveries under ${expressHours} hours`,
      },
    ];
  });
}

/** Minimum hours until a delivery, by its number of days or its date; 0 if it has neither. */
function hoursAtLeast(item: unknown, timeMs: number): number {
  const delay = read(item, 'deliveryExpectedDelay');
  const date = read(item, 'deliveryExpectedDate');
  const byDate =
    typeof date === 'string' && isCalendarDate(date) ? Date.parse(`${date}T00:00:00Z`) - EARLIEST_ZONE_MS - timeMs : 0;
  return Math.max(typeof delay === 'number' ? delay * 24 : 0, Number.isNaN(byDate) ? 0 : byDate / HOUR_MS);
}

/** Rules that depend on the time, checked before each attempt. The older of publisher's and broker's time counts. */
export function faultsOfAge(
  command: PlatformOperation & { timeMs: number; appendedMs?: number },
  nowMs: number,
): Fault[] {
  const { data } = command;
  const faults: Fault[] = [];
  const madeMs = Math.min(command.timeMs, command.appendedMs ?? Infinity);
  if (nowMs - madeMs > COMMAND_LIFETIME_MS)
    faults.push({ path: 'ce_time', code: 'command_too_old', message: 'is more than 7 days ago' });
  if (data.notAfter !== undefined && nowMs > Date.parse(data.notAfter))
    faults.push({ path: 'notAfter', code: 'not_after_passed', message: 'has passed' });
  if (command.operation === 'pay') {
    const tokenizedAtMs =
      command.data.tokenizedAt === undefined ? madeMs : Math.min(madeMs, Date.parse(command.data.tokenizedAt));
    if (nowMs - tokenizedAtMs > HFTOKEN_LIFETIME_MS)
      faults.push({
        path: 'hfToken',
        code: 'hftoken_expired',
        message: `is older than ${METHODS.card.tokenMinutes} minutes`,
      });
  }
  return faults;
}

export function faultsOfOrder(command: PlatformOperation, method: Method, transactionId: string | undefined): Fault[] {
  const faults: Fault[] = [];
  const isFollowUp = command.operation === 'capture' || command.operation === 'refund' || command.operation === 'void';
  if (command.operation === 'void' && !METHODS[method].takesVoid)
    faults.push({ path: '', code: 'void_not_offered', message: `Method ${method} has no void` });
  if (isFollowUp && transactionId === undefined) {
    faults.push({
      path: 'transactionId',
      code: 'transaction_unknown',
      message: 'is not given and the order shows none that fits',
    });
  }
  return faults;
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

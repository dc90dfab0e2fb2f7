import type { CommandType, Fault, Merchant, Method, Rail } from '@tranche/contracts';
import { looksTagged } from '@tranche/order-journal';
import type { AcceptedCommand } from './accepted-command.js';

/** "Order amounts between 150 and 2000 EUR" (interface, Limits), in cents. */
const METHOD_B_AMOUNT = { min: 15_000, max: 200_000 } as const;
/** "Expires after 15 minutes" (interface, Limits: card token). */
const HFTOKEN_LIFETIME_MS = 15 * 60_000;
/** Commands older than 7 days are refused: the index may have forgotten what they repeat. */
const COMMAND_LIFETIME_MS = 7 * 86_400_000;

/** Spanish-market accounts (interface, authorization, rule 4): + followed by 348 or 349, resp. 346 or 347, then 8 digits. */
const SPANISH_OPTION = 'partnerB-3xsansfrais';
const SPANISH_PHONE = /^\+34[89][0-9]{8}$/;
const SPANISH_MOBILE_PHONE = /^\+34[67][0-9]{8}$/;

/** Rules of the interface that command and merchant decide alone. `data` may be faulty: each rule looks only at what it can read. */
export function faultsOfRules(rail: Rail, type: CommandType, data: unknown, merchant: Merchant): Fault[] {
  const faults: Fault[] = [];
  const extraData = read(data, 'extraData');
  if (typeof extraData === 'string' && looksTagged(extraData)) {
    faults.push({ path: 'extraData', code: 'format', message: 'must not end like the tag that is put behind it' });
  }
  if (type !== 'payment.authorize') return faults;
  const apiKeyId = read(data, 'apiKeyId');
  if (typeof apiKeyId === 'string' && !merchant.apiKeys?.some(({ id }) => id === apiKeyId)) {
    faults.push({ path: 'apiKeyId', code: 'unknown_api_key', message: 'is not configured for the merchant' });
  }
  if (rail === 'partner-b') faults.push(...faultsOfMethodB(data, merchant));
  return faults;
}

function faultsOfMethodB(data: unknown, merchant: Merchant): Fault[] {
  const faults: Fault[] = [];
  const amount = read(data, 'amount');
  if (merchant.currency === 'EUR' && typeof amount === 'number' && (amount < METHOD_B_AMOUNT.min || amount > METHOD_B_AMOUNT.max)) {
    faults.push({
      path: 'amount',
      code: 'amount_out_of_range',
      message: `must be ${METHOD_B_AMOUNT.min} to ${METHOD_B_AMOUNT.max} with method B`,
    });
  }
  if (merchant.market !== 'ES') return faults;
  const option = read(data, 'paymentOption');
  if (typeof option === 'string' && option !== SPANISH_OPTION) {
    faults.push({ path: 'paymentOption', code: 'option_not_in_market', message: `must be ${SPANISH_OPTION} for a Spanish-market account` });
  }
  for (const address of ['billing', 'shipping']) {
    for (const [field, pattern, form] of [
      ['phone', SPANISH_PHONE, '+348 or +349 and 8 digits'],
      ['mobilePhone', SPANISH_MOBILE_PHONE, '+346 or +347 and 8 digits'],
    ] as const) {
      const phone = read(read(data, address), field);
      if (typeof phone === 'string' && !pattern.test(phone)) {
        faults.push({ path: `${address}.${field}`, code: 'phone_not_in_market', message: `must be ${form} for a Spanish-market account` });
      }
    }
  }
  return faults;
}

/** Rules that need a clock: asked before each attempt, for what was sound on arrival may have aged in a queue. */
export function faultsOfAge(command: AcceptedCommand, nowMs: number): Fault[] {
  const { data } = command;
  const faults: Fault[] = [];
  if (nowMs - command.timeMs > COMMAND_LIFETIME_MS)
    faults.push({ path: 'ce_time', code: 'command_too_old', message: 'is more than 7 days ago' });
  if (data.notAfter !== undefined && nowMs > Date.parse(data.notAfter))
    faults.push({ path: 'notAfter', code: 'not_after_passed', message: 'has passed' });
  if (command.operation === 'pay') {
    const tokenizedAtMs = command.data.tokenizedAt === undefined ? command.timeMs : Date.parse(command.data.tokenizedAt);
    if (nowMs - tokenizedAtMs > HFTOKEN_LIFETIME_MS)
      faults.push({ path: 'hfToken', code: 'hftoken_expired', message: 'is older than 15 minutes' });
  }
  return faults;
}

/** Rules that need to know what the follow-up follows. */
export function faultsOfOrder(command: AcceptedCommand, method: Method, transactionId: string | undefined): Fault[] {
  const faults: Fault[] = [];
  const isFollowUp = command.operation === 'capture' || command.operation === 'refund' || command.operation === 'void';
  if (command.operation === 'void' && method === 'B') faults.push({ path: '', code: 'void_not_offered', message: 'Method B has no void' });
  if (isFollowUp && transactionId === undefined) {
    faults.push({ path: 'transactionId', code: 'transaction_unknown', message: 'is not given and the order shows none that fits' });
  }
  return faults;
}

function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

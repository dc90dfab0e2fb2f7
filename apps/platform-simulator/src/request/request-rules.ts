import type { Merchant, Method } from '@tranche/contracts';
import { euroLimits, methodOfOption } from '../platform-methods.js';
import { refusal, type Refusal } from '../transactions/exec-codes.js';
import { isOperationType, type OperationType } from '../transactions/transaction.js';
import { invalidParameter, unlistedParameter } from './field-formats.js';
import type { FormBody, Parameters } from './flat-parameters.js';
import { isHashOf } from './platform-hash.js';

/** A valid request. The state of its transactions is checked later. */
export type Order =
  | {
      readonly kind: 'initial';
      readonly type: OperationType;
      readonly method: Method;
      readonly orderId: string;
      readonly amount: number;
      readonly hfToken?: string;
    }
  | {
      readonly kind: 'followUp';
      readonly type: 'capture' | 'refund' | 'void';
      readonly transactionId: string;
      readonly amount?: number;
    };

/** Checks that need no merchant: the form must name its operation and its account. */
export function checkForm({ method, parameters }: FormBody): Refusal | undefined {
  if (given(parameters, 'OPERATIONTYPE') === undefined) return refusal('1001', 'OPERATIONTYPE');
  if (method === undefined) return refusal('1001', 'method');
  if (method !== parameters.get('OPERATIONTYPE')) return refusal('1002', 'OPERATIONTYPE');
  if (given(parameters, 'IDENTIFIER') === undefined) return refusal('1001', 'IDENTIFIER');
  return undefined;
}

/** Checks HASH, then VERSION. K is the account key, or the key of APIKEYID if one was sent. */
export function checkSignature(parameters: Parameters, merchant: Merchant): Refusal | undefined {
  const apiKeyId = given(parameters, 'APIKEYID');
  const key = apiKeyId === undefined ? merchant.accountKey : merchant.apiKeys?.find(({ id }) => id === apiKeyId)?.key;
  if (key === undefined) return refusal('1002', 'APIKEYID');
  const hash = given(parameters, 'HASH');
  if (hash === undefined) return refusal('1001', 'HASH');
  if (!isHashOf(key, parameters, hash)) return refusal('1003');
  // Existing clients send 2.0 or no VERSION.
  const version = given(parameters, 'VERSION');
  return version === undefined || version === '3.0' || version === '2.0' ? undefined : refusal('1004');
}

/** Reads the operation. It requires only the parameters that the operation cannot work without, and checks all others. */
export function readOrder(
  parameters: Parameters,
  merchant: Merchant,
  { nowMs, takesUnlisted }: { nowMs: number; takesUnlisted: boolean },
): Order | Refusal {
  const type = parameters.get('OPERATIONTYPE') ?? '';
  if (!isOperationType(type)) return refusal('1002', 'OPERATIONTYPE');
  const option = type === 'authorization' ? given(parameters, 'PAYMENTOPTION') : undefined;
  const method = option === undefined ? 'card' : methodOfOption(option);
  if (method === undefined) return refusal('1002', 'PAYMENTOPTION');
  const invalid =
    (takesUnlisted ? undefined : unlistedParameter(parameters, type, method)) ??
    invalidParameter(parameters, { method, market: merchant.market }) ??
    (method === 'B' ? slowExpress(parameters, nowMs) : undefined);
  if (invalid !== undefined) return refusal('1002', invalid);

  const amount = given(parameters, 'AMOUNT') === undefined ? undefined : Number(parameters.get('AMOUNT'));
  if (type === 'capture' || type === 'refund' || type === 'void') {
    const transactionId = given(parameters, 'TRANSACTIONID');
    return transactionId === undefined
      ? refusal('1001', 'TRANSACTIONID')
      : { kind: 'followUp', type, transactionId, amount };
  }
  const orderId = given(parameters, 'ORDERID');
  if (orderId === undefined) return refusal('1001', 'ORDERID');
  if (amount === undefined) return refusal('1001', 'AMOUNT');
  const order = { kind: 'initial', type, method, orderId, amount } as const;
  if (method === 'card') return readCardOrder(parameters, order);
  const limits = merchant.currency === 'EUR' ? euroLimits(method) : undefined;
  if (limits !== undefined && (amount < limits.min || amount > limits.max)) return refusal('1002', 'AMOUNT');
  return order;
}

/**
 * Finds an express item that takes 48 hours or more (interface, Cart item). A date counts from its start in the first time zone; a delivery in
 * two days may come when the second day begins, within 48 hours.
 */
function slowExpress(parameters: Parameters, nowMs: number): string | undefined {
  const isSlow = (item: string) => {
    const delay = parameters.get(`${item}[DELIVERYEXPECTEDDELAY]`);
    const date = parameters.get(`${item}[DELIVERYEXPECTEDDATE]`);
    const isLate = date !== undefined && Date.parse(date) - FIRST_ZONE_MS - nowMs >= EXPRESS_MS;
    return delay === '3' || isLate;
  };
  return [...parameters.keys()].find(
    (name) =>
      name.endsWith('[DELIVERYSPEED]') &&
      parameters.get(name) === 'express' &&
      isSlow(name.slice(0, -'[DELIVERYSPEED]'.length)),
  );
}

const EXPRESS_MS = 48 * 3_600_000;
/** UTC+14 is the first time zone in which a day begins. */
const FIRST_ZONE_MS = 14 * 3_600_000;

/** The interface's text names the token TOKEN, its request shape HFTOKEN. We accept both. */
function readCardOrder(parameters: Parameters, order: Extract<Order, { kind: 'initial' }>): Order | Refusal {
  const hfToken = given(parameters, 'HFTOKEN') ?? given(parameters, 'TOKEN');
  if (hfToken !== undefined) return { ...order, hfToken };
  if (given(parameters, 'CARDCODE') !== undefined) {
    return given(parameters, 'CARDVALIDITYDATE') === undefined ? refusal('1001', 'CARDVALIDITYDATE') : order;
  }
  if (given(parameters, 'ALIAS') !== undefined) return refusal('2001');
  return refusal('1001', order.type === 'payment' ? 'HFTOKEN' : 'PAYMENTOPTION');
}

/** An empty value counts as absent. */
function given(parameters: Parameters, name: string): string | undefined {
  return parameters.get(name) || undefined;
}

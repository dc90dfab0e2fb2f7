import { isKnownCode } from '../transactions/exec-codes.js';

export const NOTIFICATION_MODES = ['get', 'post', 'multipart', 'both'] as const;
export type NotificationMode = (typeof NOTIFICATION_MODES)[number];

export interface FaultMatch {
  readonly operation?: string;
  readonly orderPrefix?: string;
  /** The merchant's name or its IDENTIFIER. */
  readonly merchant?: string;
  readonly probability?: number;
  readonly seed?: number;
  /** How often the rule strikes at most; calls and notifications are counted apart. */
  readonly times?: number;
}

/** `before`: the call has no effect; `after`: it was executed, only the answer is missing. */
export type When = 'before' | 'after';

export interface CallFault {
  readonly latencyMs?: number;
  readonly latencyMsUniform?: readonly [from: number, to: number];
  /** No answer until the client gives up. */
  readonly timeout?: When;
  readonly dropBefore?: boolean;
  readonly executeThenReset?: boolean;
  readonly status5xx?: { readonly when: When; readonly status: number };
  /** 401 with `WWW-Authenticate: Bearer`, not executed. */
  readonly unauthorized?: boolean;
  /** This EXECCODE is answered, nothing executed. */
  readonly execCode?: string;
}

export interface NotificationFault {
  readonly none?: boolean;
  readonly duplicate?: boolean;
  readonly lateMs?: number;
  /** Kept back until the order's next notification was sent. */
  readonly outOfOrder?: boolean;
  readonly mode?: NotificationMode;
}

export interface FaultRule {
  readonly match: FaultMatch;
  readonly fault: CallFault & { readonly notification?: NotificationFault };
}

export interface Subject {
  readonly operation: string;
  readonly orderId?: string;
  readonly merchant?: string;
  readonly identifier?: string;
}

export function matches({ operation, orderPrefix, merchant }: FaultMatch, subject: Subject): boolean {
  return (
    (operation === undefined || operation === subject.operation) &&
    (orderPrefix === undefined || (subject.orderId ?? '').startsWith(orderPrefix)) &&
    (merchant === undefined || merchant === subject.merchant || merchant === subject.identifier)
  );
}

/** A repeatable stream of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isYes: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
const isWhen: Check = (value) => value === 'before' || value === 'after';
const isStatus: Check = (value) => Number.isInteger(value) && (value as number) >= 500 && (value as number) <= 599;
const isRange: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(isCount) && value[0] <= value[1];
const isMode: Check = (value) => (NOTIFICATION_MODES as readonly unknown[]).includes(value);

const MATCH: Record<string, Check> = {
  operation: isText,
  orderPrefix: isText,
  merchant: isText,
  probability: isShare,
  seed: (value) => Number.isSafeInteger(value),
  times: isCount,
};
const NOTIFICATION: Record<string, Check> = { none: isYes, duplicate: isYes, lateMs: isCount, outOfOrder: isYes, mode: isMode };
const FAULT: Record<string, Check> = {
  latencyMs: isCount,
  latencyMsUniform: isRange,
  timeout: (value) => value === true || isWhen(value),
  dropBefore: isYes,
  executeThenReset: isYes,
  status5xx: (value) => wrongFields(value, { when: isWhen, status: isStatus }).length === 0 && Object.keys(value as object).length === 2,
  unauthorized: isYes,
  execCode: (value) => typeof value === 'string' && isKnownCode(value),
  notification: (value) =>
    value === 'none' || value === 'duplicate' || value === 'outOfOrder' || wrongFields(value, NOTIFICATION).length === 0,
};

/** `timeout: true` is short for `after`, `notification: "none"` for `{ none: true }`. Wrong fields are named, all at once. */
export function readFaultRule(body: unknown): FaultRule | { wrong: string[] } {
  if (!isObject(body)) return { wrong: ['the body must be a JSON object'] };
  const { match = {}, fault } = body;
  const wrong = [
    ...Object.keys(body).filter((name) => name !== 'match' && name !== 'fault'),
    ...wrongFields(match, MATCH).map((name) => `match.${name}`),
    ...wrongFields(fault, FAULT).map((name) => `fault.${name}`),
  ];
  if (wrong.length > 0) return { wrong };
  const { timeout, notification, ...rest } = fault as Record<string, unknown>;
  return {
    match: match as FaultMatch,
    fault: {
      ...(rest as CallFault),
      ...(timeout === undefined ? {} : { timeout: timeout === true ? 'after' : (timeout as When) }),
      ...(notification === undefined
        ? {}
        : { notification: (typeof notification === 'string' ? { [notification]: true } : notification) as NotificationFault }),
    },
  };
}

function wrongFields(value: unknown, checks: Record<string, Check>): string[] {
  if (!isObject(value)) return ['(must be an object)'];
  return Object.keys(value).filter((name) => !Object.hasOwn(checks, name) || checks[name]?.(value[name]) !== true);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

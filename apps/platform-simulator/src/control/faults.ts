import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPlainObject } from '@tranche/contracts';
import { isKnownCode } from '../transactions/exec-codes.js';

export const NOTIFICATION_MODES = ['get', 'post', 'multipart', 'both'] as const;
export type NotificationMode = (typeof NOTIFICATION_MODES)[number];

interface FaultMatch {
  readonly operation?: string;
  readonly orderPrefix?: string;
  /** The merchant's name or IDENTIFIER. */
  readonly merchant?: string;
  readonly probability?: number;
  readonly seed?: number;
  /** Maximum number of calls, and separately of notifications, that the rule disturbs. */
  readonly times?: number;
}

/** `before`: the call is not executed. `after`: it is executed and only its answer is lost. */
export type When = 'before' | 'after';

interface StatusFault {
  readonly when: When;
  readonly status: number;
}

export interface Part {
  readonly share: number;
  readonly isStated: boolean;
}

export interface CallFault {
  readonly latencyMs?: number;
  readonly latencyMsUniform?: readonly [from: number, to: number];
  /** The server does not answer until the client times out. */
  readonly timeout?: When;
  readonly dropBefore?: boolean;
  readonly executeThenReset?: boolean;
  /** HTTP 300 to 399 with a Location of the same path: a client that follows it sends the call twice. */
  readonly status3xx?: StatusFault;
  readonly status4xx?: StatusFault;
  readonly status5xx?: StatusFault;
  /** HTTP 200 with a body that is not JSON. */
  readonly garbage?: When;
  /** HTTP 200 without a body. */
  readonly emptyAnswer?: When;
  /** Executes the call and closes the connection in the middle of the answer. */
  readonly truncate?: boolean;
  /** Executes the call and sends the answer byte by byte over so many milliseconds. */
  readonly slowDrip?: number;
  /** Executes the call and answers with another OPERATIONTYPE. */
  readonly wrongOperationType?: boolean;
  /** Executes an authorization and answers at once, without a form; `0003` with method B only. */
  readonly withoutForm?: '0000' | '0003';
  /** Executes this part of the amount. `isStated`: the answer says so (0004), else only the notification's AMOUNT does. */
  readonly part?: Part;
  /** Executes the call and answers with a page (REDIRECTHTML) of at least so many bytes, base64 apart. */
  readonly pageBytes?: number;
  /**
   * Resets the connection while the body arrives, without execution. `match` cannot use the order or merchant, because the body was not
   * read.
   */
  readonly resetWhileReading?: boolean;
  /** Answers 401 with `WWW-Authenticate: Bearer`, without execution. */
  readonly unauthorized?: boolean;
  /** Answers with this EXECCODE, without execution. */
  readonly execCode?: string;
}

interface NotificationFault {
  readonly none?: boolean;
  readonly duplicate?: boolean;
  readonly lateMs?: number;
  /** Held until the order's next notification was sent. */
  readonly outOfOrder?: boolean;
  readonly mode?: NotificationMode;
  /** Sends a forged copy before the genuine notification or instead of it. It has another EXECCODE with the genuine HASH. */
  readonly forgedHash?: 'also' | 'instead';
}

interface FaultRule {
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
const isWhenOrYes: Check = (value) => value === true || isWhen(value);
const isRange: Check = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(isCount) && value[0] <= value[1];
const isMode: Check = (value) => (NOTIFICATION_MODES as readonly unknown[]).includes(value);

const MATCH: Record<string, Check> = {
  operation: isText,
  orderPrefix: isText,
  merchant: isText,
  probability: isShare,
  seed: (value) => Number.isSafeInteger(value),
  times: isCount,
};
const NOTIFICATION: Record<string, Check> = {
  none: isYes,
  duplicate: isYes,
  lateMs: isCount,
  outOfOrder: isYes,
  mode: isMode,
  forgedHash: (value) => value === 'also' || value === 'instead',
};
const PART: Record<string, Check> = { share: (value) => isShare(value) && value !== 0, isStated: isYes };
const SHORT_NOTIFICATIONS: readonly unknown[] = ['none', 'duplicate', 'outOfOrder'];
const FAULT: Record<string, Check> = {
  latencyMs: isCount,
  latencyMsUniform: isRange,
  timeout: isWhenOrYes,
  hang: isWhenOrYes,
  dropBefore: isYes,
  executeThenReset: isYes,
  status3xx: isStatusOf(300),
  status4xx: isStatusOf(400),
  status5xx: isStatusOf(500),
  garbage: isWhenOrYes,
  emptyAnswer: isWhenOrYes,
  truncate: isYes,
  withoutForm: (value) => value === '0000' || value === '0003',
  part: (value) => wrongFields(value, PART).length === 0 && Object.keys(value as object).length === 2,
  pageBytes: isCount,
  slowDrip: isCount,
  wrongOperationType: isYes,
  resetWhileReading: isYes,
  unauthorized: isYes,
  execCode: (value) => typeof value === 'string' && isKnownCode(value),
  notification: (value) => SHORT_NOTIFICATIONS.includes(value) || wrongFields(value, NOTIFICATION).length === 0,
};

/** Short forms: `hang` for `timeout`, `true` for `after`, `notification: "none"` for `{none: true}`. All wrong fields are listed at once. */
export function readFaultRule(body: unknown): FaultRule | { wrong: string[] } {
  if (!isPlainObject(body)) return { wrong: ['the body must be a JSON object'] };
  const { match = {}, fault } = body;
  const wrong = [
    ...Object.keys(body).filter((name) => name !== 'match' && name !== 'fault'),
    ...wrongFields(match, MATCH).map((name) => `match.${name}`),
    ...wrongFields(fault, FAULT).map((name) => `fault.${name}`),
  ];
  if (wrong.length > 0) return { wrong };
  const whole = Object.entries(fault as object).map(([name, value]: [string, unknown]) => {
    if (FAULT[name] === isWhenOrYes) return [name === 'hang' ? 'timeout' : name, value === true ? 'after' : value];
    return [name, typeof value === 'string' && name === 'notification' ? { [value]: true } : value];
  });
  return { match: match as FaultMatch, fault: Object.fromEntries(whole) as FaultRule['fault'] };
}

function isStatusOf(from: number): Check {
  const isStatus: Check = (value) =>
    Number.isInteger(value) && (value as number) >= from && (value as number) < from + 100;
  return (value) =>
    wrongFields(value, { when: isWhen, status: isStatus }).length === 0 && Object.keys(value as object).length === 2;
}

function wrongFields(value: unknown, checks: Record<string, Check>): string[] {
  if (!isPlainObject(value)) return ['(must be an object)'];
  return Object.keys(value).filter((name) => !Object.hasOwn(checks, name) || checks[name]?.(value[name]) !== true);
}

/** Latency in milliseconds: the fault's, else one from the configured range. */
export function latencyOf(fault: CallFault | undefined, [from, to]: readonly [number, number]): number {
  if (fault?.latencyMs !== undefined) return fault.latencyMs;
  const [low, high] = fault?.latencyMsUniform ?? [from, to];
  return high === low ? low : low + Math.random() * (high - low);
}

export async function pause(latencyMs: number): Promise<void> {
  if (latencyMs > 0) await sleep(latencyMs);
}

interface ActiveRule extends FaultRule {
  readonly id: string;
  readonly random: () => number;
  readonly struck: { calls: number; notifications: number };
}

/** The active fault rules. The first rule that matches and is due applies. */
export class Faults {
  #rules: ActiveRule[] = [];

  add(rule: FaultRule): string {
    const id = randomUUID();
    const random = seededRandom(rule.match.seed ?? 1);
    this.#rules.push({ ...rule, id, random, struck: { calls: 0, notifications: 0 } });
    return id;
  }

  list() {
    return this.#rules.map(({ id, match, fault }) => ({ id, match, fault }));
  }

  remove(id: string): void {
    this.#rules = this.#rules.filter((rule) => rule.id !== id);
  }

  clear(): void {
    this.#rules = [];
  }

  ofCall(subject: Subject): CallFault | undefined {
    const isOfCalls = (fault: FaultRule['fault']) =>
      fault.resetWhileReading !== true && Object.keys(fault).some((name) => name !== 'notification');
    return this.#first('calls', subject, isOfCalls);
  }

  /** True if a rule resets this call before its body is read. Only the operation `process` is known then. */
  strikesUnread(): boolean {
    return this.#first('calls', { operation: 'process' }, (fault) => fault.resetWhileReading === true) !== undefined;
  }

  ofNotification(subject: Subject): NotificationFault | undefined {
    return this.#first('notifications', subject, (fault) => fault.notification !== undefined)?.notification;
  }

  #first(
    what: keyof ActiveRule['struck'],
    subject: Subject,
    isMeant: (fault: FaultRule['fault']) => boolean,
  ): FaultRule['fault'] | undefined {
    const rule = this.#rules.find(({ fault, match, struck, random }) => {
      const isDue = isMeant(fault) && matches(match, subject) && struck[what] < (match.times ?? Infinity);
      return isDue && (match.probability === undefined || random() < match.probability);
    });
    if (rule !== undefined) rule.struck[what] += 1;
    return rule?.fault;
  }
}

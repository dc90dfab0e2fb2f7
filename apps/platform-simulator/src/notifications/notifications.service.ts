import { setTimeout as sleep } from 'node:timers/promises';
import type { Merchant } from '@tranche/contracts';
import type { Clock } from '../clock.service.js';
import type { Faults, NotificationMode } from '../control/faults.js';
import type { Transaction } from '../transactions/transaction.js';
import { signedNotification, type NamedValues } from './notification-parameters.js';
import type { Attempt, Encoding, Notifier } from './notifier.client.js';

export interface Notification {
  readonly time: string;
  readonly merchant: string;
  readonly identifier: string;
  readonly orderId: string;
  readonly operationType: string;
  readonly transactionId: string;
  readonly execCode: string;
  readonly mode: NotificationMode;
  readonly parameters: Record<string, string>;
  readonly attempts: Attempt[];
  /** `suppressed`: a fault rule prevented the delivery. */
  state: 'waiting' | 'delivered' | 'given_up' | 'suppressed';
}

interface OrderFilter {
  readonly identifier?: string;
  readonly orderId?: string;
  /** The beginning of the ORDERID. */
  readonly orderPrefix?: string;
  readonly state?: string;
}

/** Half of them at least are there: a soak of 300 commands a second judges an order within 90 s. */
const MAX_KEPT = 60_000;
const MAX_FORGED = 20_000;
/** A held notification is sent after this time, even if the order's next one did not come. */
const MAX_HOLD_MS = 10_000;
const ENCODINGS: Record<NotificationMode, Encoding[]> = {
  get: ['get'],
  post: ['post'],
  multipart: ['multipart'],
  both: ['get', 'post'],
};

/** Notifies each merchant's NOTIFICATION_URL: one after the other per order, with a limited number of retries until the answer is `OK`. */
export class Notifications {
  #kept: Notification[] = [];
  #forged: Notification[] = [];
  #forgeries = 0;
  #forgotten = 0;
  /** Deliveries of suppressed notifications, for `sendSuppressed`. The WeakMap drops them with their notification. */
  readonly #unsent = new WeakMap<Notification, () => void>();
  readonly #queues = new Map<string, Promise<void>>();
  readonly #held = new Map<string, (() => void)[]>();
  readonly #modes = new Map<string, NotificationMode>();
  #stopping = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly faults: Faults,
    private readonly notifier: Notifier,
    private readonly retryDelaysMs: readonly number[],
    private readonly defaultMode: NotificationMode,
  ) {}

  /** Sends the present state, even if the transaction changes before delivery. */
  send(transaction: Transaction, merchant: Merchant): void {
    if (merchant.notificationUrl === undefined) return;
    const { identifier, orderId, operationType, transactionId, execCode } = transaction;
    const fault = this.faults.ofNotification({
      operation: operationType,
      orderId,
      merchant: merchant.merchant,
      identifier,
    });
    const parameters = signedNotification(transaction, merchant);
    const isKeptBack = fault?.none === true || fault?.forgedHash === 'instead';
    const mode = fault?.mode ?? this.#modes.get(merchant.merchant) ?? this.defaultMode;
    const notification: Notification = {
      time: this.clock.iso(),
      merchant: merchant.merchant,
      identifier,
      orderId,
      operationType,
      transactionId,
      mode,
      execCode,
      parameters: Object.fromEntries(parameters),
      attempts: [],
      state: isKeptBack ? 'suppressed' : 'waiting',
    };
    this.#keep(notification);
    if (fault?.forgedHash !== undefined)
      this.#forge({ ...notification, attempts: [], state: 'waiting' }, merchant, parameters);
    const key = JSON.stringify([identifier, orderId]);
    const deliver = () => this.#deliver(notification, merchant.notificationUrl ?? '', parameters, this.retryDelaysMs);
    if (isKeptBack) return void this.#unsent.set(notification, () => this.#enqueue(key, deliver));
    const enqueue = () => {
      this.#enqueue(key, deliver);
      if (fault?.duplicate) this.#enqueue(key, deliver);
    };
    if (fault?.outOfOrder) return this.#hold(key, enqueue);
    if (fault?.lateMs !== undefined) return void this.#after(fault.lateMs, deliver);
    enqueue();
    this.#releaseHeld(key);
  }

  /** Sends the notifications that a fault rule suppressed, each so often. Returns their number. */
  sendSuppressed({ transactionId, ...filter }: OrderFilter & { transactionId?: string }, times = 1): number {
    const suppressed = this.list(filter).filter(
      (one) => one.state === 'suppressed' && (transactionId === undefined || one.transactionId === transactionId),
    );
    for (const one of suppressed) {
      one.state = 'waiting';
      for (let left = times; left > 0; left--) this.#unsent.get(one)?.();
    }
    return suppressed.length;
  }

  setMode(mode: NotificationMode, merchant: string): void {
    this.#modes.set(merchant, mode);
  }

  list(filter: OrderFilter): readonly Notification[] {
    return this.#kept.filter((one) => isWanted(one, filter));
  }

  /** Forged notifications. A service that applied one of them has accepted a forgery. */
  listForged(filter: OrderFilter): readonly Notification[] {
    return this.#forged.filter((one) => isWanted(one, filter));
  }

  /** `notificationsForgotten` is 0 if the lists are complete. */
  get totals() {
    return {
      notifications: this.#kept.length + this.#forgotten,
      notificationsForgotten: this.#forgotten,
      forgeries: this.#forgeries,
    };
  }

  clear(): void {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    this.#kept = [];
    this.#forged = [];
    this.#forgeries = 0;
    this.#forgotten = 0;
    this.#queues.clear();
    this.#held.clear();
    this.#modes.clear();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.notifier.close();
  }

  /** Queues one delivery before the genuine notification, with the opposite EXECCODE and the genuine HASH. Only the latest are kept. */
  #forge(forgery: Notification, merchant: Merchant, parameters: NamedValues): void {
    const execCode = forgery.execCode === '0000' ? '4001' : '0000';
    const forged = parameters.map(([name, value]): [string, string] => [name, name === 'EXECCODE' ? execCode : value]);
    const lie = { ...forgery, execCode, parameters: Object.fromEntries(forged) };
    this.#forgeries += 1;
    this.#forged = [...this.#forged.slice(-MAX_FORGED), lie];
    this.#enqueue(JSON.stringify([lie.identifier, lie.orderId]), () =>
      this.#deliver(lie, merchant.notificationUrl ?? '', forged, []),
    );
  }

  async #deliver(
    notification: Notification,
    address: string,
    parameters: NamedValues,
    retryDelaysMs: readonly number[],
  ): Promise<void> {
    const { signal } = this.#stopping;
    const missing = new Set(ENCODINGS[notification.mode]);
    for (const delayMs of [0, ...retryDelaysMs]) {
      if (delayMs > 0 && !(await slept(delayMs, signal))) return;
      for (const encoding of [...missing]) {
        const attempt = await this.notifier.deliver(address, encoding, parameters, signal);
        if (signal.aborted) return;
        notification.attempts.push({ time: this.clock.iso(), ...attempt });
        if (attempt.isAccepted) missing.delete(encoding);
      }
      if (missing.size === 0) {
        notification.state = 'delivered';
        return;
      }
    }
    if (notification.state === 'waiting') notification.state = 'given_up';
  }

  #enqueue(key: string, deliver: () => Promise<void>): void {
    const turn = (this.#queues.get(key) ?? Promise.resolve()).then(deliver);
    this.#queues.set(key, turn);
    void turn.then(() => {
      if (this.#queues.get(key) === turn) this.#queues.delete(key);
    });
  }

  #hold(key: string, enqueue: () => void): void {
    this.#held.set(key, [...(this.#held.get(key) ?? []), enqueue]);
    void this.#after(MAX_HOLD_MS, () => Promise.resolve(this.#releaseHeld(key)));
  }

  #releaseHeld(key: string): void {
    const enqueues = this.#held.get(key) ?? [];
    this.#held.delete(key);
    for (const enqueue of enqueues) enqueue();
  }

  async #after(delayMs: number, run: () => Promise<void>): Promise<void> {
    if (await slept(delayMs, this.#stopping.signal)) await run();
  }

  #keep(notification: Notification): void {
    this.#kept.push(notification);
    if (this.#kept.length <= MAX_KEPT) return;
    this.#forgotten += MAX_KEPT / 2;
    this.#kept = this.#kept.slice(MAX_KEPT / 2);
  }
}

const isWanted = (one: Notification, { identifier, orderId, orderPrefix = '', state }: OrderFilter) =>
  (state === undefined || one.state === state) &&
  (identifier === undefined || one.identifier === identifier) &&
  (orderId === undefined || one.orderId === orderId) &&
  one.orderId.startsWith(orderPrefix);

/** Resolves to false if the stop interrupted it. */
async function slept(delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(delayMs, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  isMadeElsewhereToo,
  type CommandData,
  type CommandType,
  type OperationKind,
  type Rail,
} from '@tranche/contracts';
import { compact } from '@tranche/order-journal';
import {
  aCapture,
  aCardPayment,
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  aRefund,
  aVoid,
} from '@tranche/testing';
import type { LoadEvents } from '../faults/load-events.js';
import { endOf, isAtRest } from '../faults/load-order.js';
import { kindOf } from '../faults/referee-book.js';
import { MERCHANT } from '../faults/surroundings.js';
import type { LedgerOfPlatform, NotificationOfPlatform, OperationOfPlatform } from '../faults/traces.js';
import type { Random } from '../simulation/random.js';
import type { Executed, Request } from './ledger.js';
import { stepsOf, timesNotified, type Call, type Step } from './steps.js';

/** A step that takes longer is stuck. */
const PATIENCE_MS = 120_000;
const POLL_MS = 50;
/** The answer takes so long, so that notifications and the back office come before it. */
const ANSWER_MS = 300;
/** Leaves no room for our tag. */
const LONG_EXTRADATA = 'x'.repeat(255);
const OPERATIONTYPES: Readonly<Record<OperationKind, string>> = {
  authorize: 'authorization',
  pay: 'payment',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
};

export interface Resolution {
  outcome: 'succeeded' | 'not_executed';
  transactionId?: string;
  execCode?: string;
  amount?: number;
}

export interface StackOrderParts {
  orderId: string;
  random: Random;
  events: Pick<LoadEvents, 'of' | 'next'>;
  send: (rail: Rail, type: CommandType, id: string, data: CommandData) => Promise<void>;
  /** Asks the simulator; undefined where it refuses. */
  platform: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;
  /** True if the resolution counts. */
  resolve: (orderId: string, commandId: string, resolution: Resolution) => Promise<boolean>;
  /** Resolves when the gateway's clock is so late that "not executed" counts; to false if it never will be. */
  later: () => Promise<boolean>;
}

/** Plays the steps of one order on the real stack. */
export class StackOrder {
  readonly executed: Executed[] = [];
  /** TRANSACTIONIDs of which an answer, a notification or an operator told us. */
  readonly reported = new Set<string>();
  /** Number of times that a notification under way will be sent. */
  readonly #under = new Map<string, 1 | 2>();
  readonly #calls = new Map<string, Call>();
  /** The call that is not answered yet. */
  #open: { id: string; fault: string } | undefined;

  constructor(private readonly parts: StackOrderParts) {}

  async play(): Promise<void> {
    const steps = stepsOf(this.parts.random);
    for (let next = steps.next(); !next.done; next = steps.next(this.executed)) await this.#step(next.value);
  }

  async #step(step: Step): Promise<void> {
    switch (step.step) {
      case 'call':
        return this.#call(step.call);
      case 'answer':
        return this.#answer();
      case 'byHand':
        return this.#byHand(step.request);
      case 'notifications':
        return this.#arrive(step.chance);
      case 'lookAtDoubts':
        return this.#lookAtDoubts(step.chance);
      case 'snapshot':
        // Only days bring a snapshot about.
        return;
    }
  }

  async #call(call: Call): Promise<void> {
    const { orderId, platform } = this.parts;
    const id = randomUUID();
    this.#calls.set(id, call);
    const match = { operation: OPERATIONTYPES[call.operation], orderPrefix: orderId, times: 1 };
    const rule = (await platform('POST', '/simulator/faults', { match, fault: faultOf(call) })) as { id: string };
    this.#open = { id, fault: rule.id };
    const before = (await this.#ledger()).calls.length;
    const [rail, type, data] = await this.#command(call);
    await this.parts.send(rail, type, id, data);
    await this.#until(`${type} ${id} to be called or refused`, async () => {
      const { calls } = await this.#ledger();
      return this.#isAtRest(id) || (calls.length > before && calls.every(({ answered }) => answered !== undefined));
    });
    await this.#noteExecuted();
  }

  async #answer(): Promise<void> {
    const { id, fault } = this.#open!;
    const { events, orderId, platform } = this.parts;
    const find = (all: readonly Parameters<typeof isAtRest>[0][]) =>
      all.find((one) => one.data.commandId === id && isAtRest(one));
    if ((await events.next(orderId, find, PATIENCE_MS)) === undefined) throw new Error(`no event of ${id}`);
    await platform('DELETE', `/simulator/faults/${fault}`);
    await this.#noteExecuted();
    this.#open = undefined;
    const isAnswered = !events
      .of(orderId)
      .some(({ type, data }) => data.commandId === id && type.endsWith('.in_doubt'));
    for (const one of this.executed) if (one.commandId === id && isAnswered) this.reported.add(one.transactionId);
  }

  async #byHand({ operation, of, amount }: Request): Promise<void> {
    const { orderId, platform } = this.parts;
    const { identifier } = MERCHANT;
    await platform('POST', `/simulator/${operation}s`, {
      identifier,
      orderId,
      ...compact({ transactionId: of, amount }),
    });
    await this.#noteExecuted();
  }

  async #arrive(chance: number): Promise<void> {
    const { orderId, random, platform } = this.parts;
    const { identifier } = MERCHANT;
    for (const [transactionId, times] of this.#under) {
      if (!random.chance(chance)) continue;
      this.#under.delete(transactionId);
      await platform('POST', '/simulator/notifications/suppressed', { identifier, orderId, transactionId, times });
      await this.#until(`the notification of ${transactionId}`, async () => {
        const all = (await platform('GET', `/simulator/notifications?orderId=${orderId}`)) as NotificationOfPlatform[];
        const taken = all.find((one) => one.transactionId === transactionId)?.attempts.filter((one) => one.isAccepted);
        return (taken?.length ?? 0) >= times;
      });
      this.reported.add(transactionId);
    }
  }

  async #lookAtDoubts(chance: number): Promise<void> {
    const { orderId, random, later, resolve } = this.parts;
    for (const [id, { operation, isTagged }] of this.#calls) {
      if (!this.#isInDoubt(id) || !random.chance(chance)) continue;
      const made = this.executed.find(({ commandId }) => commandId === id);
      if (made === undefined) {
        if (await later()) await resolve(orderId, id, { outcome: 'not_executed' });
        continue;
      }
      const { transactionId, execCode, amount } = made;
      const isAmountSeen = random.chance(0.5) || execCode === '0004';
      const isNamed = (isMadeElsewhereToo(operation) && !isTagged) || random.chance(0.5);
      const seen = { ...(isAmountSeen ? { amount } : {}), ...(isNamed ? { transactionId } : {}) };
      if (await resolve(orderId, id, { outcome: 'succeeded', execCode, ...seen })) this.reported.add(transactionId);
    }
  }

  /** Adds what the platform has executed since, and draws how often each is notified. */
  async #noteExecuted(): Promise<void> {
    const known = new Set(this.executed.map(({ transactionId }) => transactionId));
    for (const operation of (await this.#ledger()).operations) {
      if (known.has(operation.transactionId)) continue;
      const commandId = operation.origin === 'request' ? this.#open?.id : undefined;
      this.executed.push(executedOf(operation, commandId));
      const part = this.#calls.get(commandId ?? '')?.part;
      const times = timesNotified(this.parts.random, part !== undefined && !part.isStated);
      if (times > 0) this.#under.set(operation.transactionId, times as 1 | 2);
    }
  }

  async #command({ operation, method, amount, of, isTagged }: Call): Promise<[Rail, CommandType, CommandData]> {
    const name = { merchant: MERCHANT.name, orderId: this.parts.orderId };
    const tagging = isTagged ? {} : { extraData: LONG_EXTRADATA };
    const followUp = { ...name, ...tagging, ...compact({ transactionId: of }) };
    const rail = method === 'card' ? 'card' : method === 'A' ? 'partner-a' : 'partner-b';
    switch (operation) {
      case 'pay': {
        const { identifier } = MERCHANT;
        const { HFTOKEN } = (await this.parts.platform('POST', '/simulator/tokens', { identifier })) as {
          HFTOKEN: string;
        };
        return [rail, 'payment.pay', aCardPayment({ ...name, amount: amount!, hfToken: HFTOKEN })];
      }
      case 'authorize': {
        const authorization = { ...name, ...tagging, amount: amount! };
        return method === 'A'
          ? [rail, 'payment.authorize', aPartnerAAuthorization(authorization)]
          : [rail, 'payment.authorize', aPartnerBAuthorization(authorization)];
      }
      case 'capture':
        return [rail, 'payment.capture', aCapture({ ...followUp, ...compact({ amount }) })];
      case 'refund':
        return [rail, 'payment.refund', aRefund({ ...followUp, ...compact({ amount }) })];
      case 'void':
        return [rail, 'payment.void', aVoid(followUp)];
    }
  }

  #isAtRest(id: string): boolean {
    return this.parts.events.of(this.parts.orderId).some((one) => one.data.commandId === id && isAtRest(one));
  }

  #isInDoubt(id: string): boolean {
    const own = this.parts.events.of(this.parts.orderId).filter(({ data }) => data.commandId === id);
    return own.some(({ type }) => type.endsWith('.in_doubt')) && !own.some((one) => endOf(one) !== undefined);
  }

  async #ledger(): Promise<LedgerOfPlatform> {
    return (await this.parts.platform('GET', `/simulator/ledger?orderId=${this.parts.orderId}`)) as LedgerOfPlatform;
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS} ms for ${what}`);
      await delay(POLL_MS);
    }
  }
}

export const executedOf = (
  { operationType, transactionId, amount, finalExecCode }: OperationOfPlatform,
  commandId: string | undefined,
): Executed => ({
  ...{ operation: kindOf(operationType)!, transactionId, amount, execCode: finalExecCode },
  ...compact({ commandId }),
});

/** Fault rule that gives the call its course. Authorizations succeed at once: no cardholder is needed. */
function faultOf({ operation, isExecuted, isAnswerLost, part }: Call): object {
  if (!isExecuted) return isAnswerLost ? { dropBefore: true } : { execCode: '4001' };
  return {
    ...(isAnswerLost ? { executeThenReset: true } : { slowDrip: ANSWER_MS }),
    ...(operation === 'authorize' ? { withoutForm: '0000' } : {}),
    ...(part === undefined ? {} : { part }),
  };
}

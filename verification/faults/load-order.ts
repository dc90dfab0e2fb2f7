import { randomUUID } from 'node:crypto';
import type { CloudEvent, CommandData, CommandType, PaymentEvent, Rail } from '@tranche/contracts';
import { ask } from '../ask.js';
import { finalOf } from '../simulation/referee.js';
import type { Random } from '../simulation/random.js';
import type { LoadEvents } from './load-events.js';
import type { NotificationOfPlatform } from './traces.js';

type Event = CloudEvent<PaymentEvent>;

export interface LoadOrderParts {
  orderId: string;
  merchant: string;
  /** Each order has its own random numbers, so other orders do not change them. */
  random: Random;
  platform: PlatformDoors;
  events: Pick<LoadEvents, 'next'>;
  patienceMs: number;
  /** Timeout for what only a notification brings: the end of a doubt, or an external operation. */
  doubtPatienceMs: number;
  send(rail: Rail, type: CommandType, id: string, data: CommandData): void;
}

/** After a doubt, a late answer may still bring the page. */
const PAGE_PATIENCE_MS = 2_000;

/** Ends a story whose awaited event did not come, or was another one. This is no failure of the run. */
export class CutShort extends Error {
  override name = 'CutShort';
}

/** One order, as its story sees it: it sends commands and waits for their events. */
export class LoadOrder {
  readonly name: { merchant: string; orderId: string };
  readonly random: Random;
  readonly platform: PlatformDoors;

  constructor(private readonly parts: LoadOrderParts) {
    const { merchant, orderId } = parts;
    this.name = { merchant, orderId };
    ({ random: this.random, platform: this.platform } = parts);
  }

  send(rail: Rail, type: CommandType, data: CommandData, id: string = randomUUID()): string {
    this.parts.send(rail, type, id, data);
    return id;
  }

  /** Resolves to the event of the operation's success. @throws {CutShort} if the operation ends otherwise */
  async succeeds(commandId: string): Promise<Event> {
    const event = await this.ends(commandId);
    if (endOf(event) !== 'succeeded') throw new CutShort(event.type);
    return event;
  }

  ends(commandId: string): Promise<Event> {
    return this.#event(commandId, endOf);
  }

  /**
   * Resolves to REDIRECTHTML of an authorization. After a doubt the page is usually lost: no notification brings it, so the story waits
   * only briefly.
   */
  async redirects(commandId: string): Promise<string> {
    const isWanted = (one: Event) => one.data.redirectHtml ?? endOf(one);
    const event = await this.#event(commandId, isWanted, Math.min(this.parts.doubtPatienceMs, PAGE_PATIENCE_MS));
    if (event.data.redirectHtml === undefined) throw new CutShort(event.type);
    return event.data.redirectHtml;
  }

  /** Resolves to the TRANSACTIONID of an authorization that waits for approval. */
  async waitsForApproval(commandId: string): Promise<string> {
    const event = await this.#event(commandId, (one) => isPending(one) || endOf(one));
    if (!isPending(event) || event.data.transactionId === undefined) throw new CutShort(event.type);
    return event.data.transactionId;
  }

  /** Resolves to `payment.operation.external`, which only a notification brings. */
  async hearsOfAnother(): Promise<Event> {
    const isExternal = (one: Event) => one.type === 'payment.operation.external';
    return this.#within(this.parts.doubtPatienceMs, 'an external operation', isExternal);
  }

  async #event(
    commandId: string,
    isWanted: (event: Event) => unknown,
    doubtPatienceMs = this.parts.doubtPatienceMs,
  ): Promise<Event> {
    const isEnd = (one: Event) => one.data.commandId === commandId && isWanted(one);
    const isDoubt = (one: Event) => one.data.commandId === commandId && one.type.endsWith('.in_doubt');
    const first = await this.#within(this.parts.patienceMs, commandId, (one) => isEnd(one) || isDoubt(one));
    return isEnd(first) ? first : this.#within(doubtPatienceMs, `the doubt about ${commandId} to end`, isEnd);
  }

  async #within(timeoutMs: number, what: string, isWanted: (event: Event) => unknown): Promise<Event> {
    const { events, orderId } = this.parts;
    const event = await events.next(orderId, isWanted, timeoutMs);
    if (event === undefined) throw new CutShort(`waited ${timeoutMs} ms for ${what}`);
    return event;
  }
}

const isPending = ({ type, data }: Event): boolean => type.endsWith('.pending') || data.outcome === 'pending';

/** The end that the event says, or undefined. */
export const endOf = ({ type, data }: Event): string | undefined =>
  type === 'payment.command.rejected' ? 'rejected' : finalOf(type, data.outcome);

/** True if we no longer act on the command: it ended, waits for cardholder or approval, or is in doubt. */
export const isAtRest = (event: Event): boolean =>
  endOf(event) !== undefined ||
  isPending(event) ||
  event.type.endsWith('.in_doubt') ||
  /\.(redirect_required|doubt_resolved)$/.test(event.type);

const TIMEOUT_MS = 10_000;

/**
 * Actions of people at the platform: the cardholder at the form, the provider, the merchant's back office. They go to the simulator
 * directly, without proxy.
 */
export class PlatformDoors {
  constructor(
    private readonly simulatorUrl: string,
    private readonly identifier: string,
  ) {}

  async decide(redirectHtml: string, decision: 'validate' | 'pending' | 'refuse' | 'abandon'): Promise<void> {
    const page = Buffer.from(redirectHtml, 'base64').toString('utf8');
    const [, address] = /(?:action|href|url)\s*=\s*["']?(https?:\/\/[^"'\s>]+)/i.exec(page) ?? [];
    if (address === undefined) throw new Error('REDIRECTHTML leads nowhere');
    const answer = await fetch(address.replaceAll('&amp;', '&'), {
      method: 'POST',
      body: new URLSearchParams({ decision }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    if (answer.status >= 400) throw new Error(`the decision ${decision} was answered with ${answer.status}`);
  }

  approve(transactionId: string): Promise<unknown> {
    return this.#ask(`transactions/${transactionId}/decide`, { decision: 'approve' });
  }

  refundInBackOffice(orderId: string, amount: number): Promise<unknown> {
    return this.#ask('refunds', { identifier: this.identifier, orderId, amount });
  }

  async cardToken(): Promise<string> {
    return (await this.#ask<{ HFTOKEN: string }>('tokens', { identifier: this.identifier })).HFTOKEN;
  }

  /** Only those that wait: all of them, asked for ten times a second, would take most of the processor in a long soak. */
  waitingNotifications(orderPrefix: string): Promise<NotificationOfPlatform[]> {
    return this.#ask(`notifications?state=waiting&orderPrefix=${encodeURIComponent(orderPrefix)}`);
  }

  #ask<T>(path: string, body?: object): Promise<T> {
    return ask(`${this.simulatorUrl}/simulator/${path}`, { ...(body && { body }) });
  }
}

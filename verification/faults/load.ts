import { setTimeout as delay } from 'node:timers/promises';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  orderKey,
  topicName,
  type CommandData,
  type CommandType,
  type Rail,
} from '@tranche/contracts';
import { BatchingProducer, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCommand } from '@tranche/testing';
import { Random } from '../simulation/random.js';
import { LoadEvents, type Arrival } from './load-events.js';
import { isAtRest, LoadOrder, PlatformDoors } from './load-order.js';
import { STORIES, STORY_NAMES, type StoryName } from './stories.js';
import { MERCHANT } from './surroundings.js';
import type { SentCommand } from './traces.js';

export interface LoadOptions {
  client: KafkaClient;
  topicPrefix: string;
  simulatorUrl: string;
  /** Every ORDERID of this load, and no other, begins with it; 16 characters at most. */
  orderPrefix: string;
  random: Random;
  orders: number;
  perSecond: number;
  stories?: readonly StoryName[];
  /** Shared by several loads: its owner starts and closes it. */
  events?: LoadEvents;
}

export interface PlannedOrder {
  orderId: string;
  story: StoryName;
  atMs: number;
}

const POLL_MS = 100;
const ACKNOWLEDGED_WITHIN_MS = 30_000;
/** A story waits this long for one event, and for the end of a doubt or for an external operation, before it ends. */
const PATIENCE = { patienceMs: 30_000, doubtPatienceMs: 8_000 };

/** Orders at a steady pace, each with a story that continues by the events it reads. The same random numbers give the same orders. */
export class Load {
  /** Known before the start, so that a scenario can choose its target. */
  readonly orders: readonly PlannedOrder[];
  readonly commands: SentCommand[] = [];
  readonly #options: LoadOptions;
  readonly #platform: PlatformDoors;
  readonly #events: LoadEvents;
  readonly #producer: BatchingProducer;
  readonly #randoms: Random[];
  #timers: NodeJS.Timeout[] = [];
  readonly #sending: Promise<void>[] = [];
  readonly #telling: Promise<void>[] = [];
  /** Orders whose story goes on, or has not begun. */
  readonly #untold: Set<string>;

  constructor(options: LoadOptions) {
    const { client, topicPrefix, simulatorUrl, orderPrefix, random, orders, perSecond } = options;
    this.#options = options;
    this.#platform = new PlatformDoors(simulatorUrl, MERCHANT.identifier);
    this.#events = options.events ?? new LoadEvents(client, topicPrefix, orderPrefix);
    this.#producer = new BatchingProducer({ client, log: silentLog });
    const stories = decks(random, options.stories ?? STORY_NAMES, orders);
    this.orders = stories.map((story, index) => ({
      orderId: `${orderPrefix}${String(index + 1).padStart(3, '0')}-${story}`,
      story,
      atMs: (index * 1000) / perSecond,
    }));
    this.#untold = new Set(this.orders.map(({ orderId }) => orderId));
    this.#randoms = stories.map(() => new Random(random.below(2 ** 31)));
  }

  /** The first publication of each event of this load, in order of arrival. */
  get arrivals(): readonly Arrival[] {
    return this.#events.arrivals;
  }

  start(): void {
    if (!this.#options.events) this.#events.start();
    this.#timers = this.orders.map((order, at) => setTimeout(() => this.#begin(order, this.#randoms[at]!), order.atMs));
  }

  /** Call it right after the start. Resolves when every order has begun and every story has ended. */
  async allTold(): Promise<void> {
    await delay((this.orders.at(-1)?.atMs ?? 0) + 200);
    await this.stop();
  }

  /**
   * Begins no more orders. Resolves when the running stories have ended and all commands are acknowledged, or after 30 s without. `settled`
   * may follow.
   */
  async stop(): Promise<SentCommand[]> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { orderId } of this.orders.slice(this.#telling.length)) this.#untold.delete(orderId);
    await Promise.all(this.#telling);
    await Promise.race([Promise.all(this.#sending), delay(ACKNOWLEDGED_WITHIN_MS, undefined, { ref: false })]);
    return this.commands;
  }

  /**
   * Resolves when all stories have ended; every acknowledged command has ended, waits for cardholder or approval, or is in doubt; and the
   * platform has delivered or given up every notification. Rejects with a list of what is open.
   */
  async settled(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const open = await this.#open();
      if (open.length === 0) return;
      if (performance.now() >= deadline)
        throw new Error(`after ${timeoutMs} ms still open:\n${open.slice(0, 20).join('\n')}`);
      await delay(POLL_MS);
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([this.#options.events ?? this.#events.close(), this.#producer.close()]);
  }

  async #open(): Promise<string[]> {
    const commands = this.commands.filter(
      ({ id, orderId }) => !this.#events.of(orderId).some((event) => event.data.commandId === id && isAtRest(event)),
    );
    const open = [
      ...[...this.#untold].map((orderId) => `the story of ${orderId}`),
      ...commands.map(({ type, id, orderId, acknowledged, refusal }) => {
        return `${type} ${id} of ${orderId}${acknowledged ? '' : `, not acknowledged: ${refusal ?? 'no answer'}`}`;
      }),
    ];
    if (open.length > 0) return open;
    const notifications = await this.#platform
      .waitingNotifications(this.#options.orderPrefix)
      .catch((error: unknown) => String(error));
    if (typeof notifications === 'string') return [notifications];
    return notifications.map(({ operationType, execCode, orderId, attempts }) => {
      const { status, error } = attempts.at(-1) ?? {};
      return `notification ${operationType} ${execCode} of ${orderId}: ${attempts.length} attempts, the last ${status ?? error ?? 'under way'}`;
    });
  }

  #begin({ orderId, story }: PlannedOrder, random: Random): void {
    const order = new LoadOrder({
      ...{ orderId, merchant: MERCHANT.name, random, ...PATIENCE, platform: this.#platform, events: this.#events },
      send: (rail, type, id, data) => this.#send(rail, type, id, data),
    });
    // A story that cannot go on ends there, and that is no failure of the run.
    const told = STORIES[story](order).catch(() => undefined);
    this.#telling.push(told.then(() => void this.#untold.delete(orderId)));
  }

  #send(rail: Rail, type: CommandType, id: string, data: CommandData): void {
    const { merchant, orderId } = data;
    const topic = topicName(this.#options.topicPrefix, COMMAND_TOPICS[rail]);
    const sent: SentCommand = { id, type, merchant, orderId, topic, sentAtMs: Date.now(), acknowledged: false, data };
    this.commands.push(sent);
    const sending = this.#producer
      .send({ topic, key: orderKey(merchant, orderId), ...encodeCloudEvent(aCommand(type, data, { id })) })
      .then(
        () => void (sent.acknowledged = true),
        // A refused command may still be in Kafka; the referee looks in the command topic.
        (error: unknown) => void (sent.refusal = String(error)),
      );
    this.#sending.push(sending);
  }
}

function decks(random: Random, stories: readonly StoryName[], count: number): StoryName[] {
  const drawn: StoryName[] = [];
  while (drawn.length < count) {
    const deck = [...stories];
    while (deck.length > 0) drawn.push(...deck.splice(random.below(deck.length), 1));
  }
  return drawn.slice(0, count);
}

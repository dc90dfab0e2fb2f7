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
import type { SentCommand } from './traces.js';

export interface LoadOptions {
  client: KafkaClient;
  topicPrefix: string;
  simulatorUrl: string;
  /** Every ORDERID of this load, and no other, begins with it; 16 characters at most. */
  orderPrefix: string;
  merchant: { name: string; identifier: string };
  random: Random;
  orders: number;
  perSecond: number;
  stories?: readonly StoryName[];
  /** Milliseconds that a story waits for one event before it ends (30,000). */
  patienceMs?: number;
  /** Milliseconds that it waits for the end of a doubt or for an external operation (8,000). */
  doubtPatienceMs?: number;
}

export interface PlannedOrder {
  orderId: string;
  story: StoryName;
  atMs: number;
}

const TICK_MS = 10;
const POLL_MS = 100;
const ACKNOWLEDGED_WITHIN_MS = 30_000;

/** Orders at a steady pace, each with a story that continues by the events it reads. The same random numbers give the same orders. */
export class Load {
  /** Known before the start, so that a scenario can choose its target. */
  readonly orders: readonly PlannedOrder[];
  /** Maps each order to `told`, or to the reason why its story stopped early. */
  readonly endings = new Map<string, string>();
  readonly #options: LoadOptions;
  readonly #platform: PlatformDoors;
  readonly #events: LoadEvents;
  readonly #producer: BatchingProducer;
  readonly #randoms: Random[];
  readonly #commands: SentCommand[] = [];
  readonly #sending = new Set<Promise<void>>();
  readonly #telling = new Set<Promise<void>>();
  #begun = 0;
  #timer?: NodeJS.Timeout;

  constructor(options: LoadOptions) {
    const { client, topicPrefix, simulatorUrl, orderPrefix, merchant, random, orders, perSecond } = options;
    this.#options = options;
    this.#platform = new PlatformDoors(simulatorUrl, merchant.identifier);
    this.#events = new LoadEvents(client, topicPrefix, orderPrefix);
    this.#producer = new BatchingProducer({ client, log: silentLog });
    const stories = decks(random, options.stories ?? STORY_NAMES, orders);
    this.orders = stories.map((story, index) => ({
      orderId: `${orderPrefix}${String(index + 1).padStart(3, '0')}-${story}`,
      story,
      atMs: (index * 1000) / perSecond,
    }));
    this.#randoms = stories.map(() => new Random(random.below(2 ** 31)));
  }

  /** The first publication of each event of this load, in order of arrival. */
  get arrivals(): readonly Arrival[] {
    return this.#events.arrivals;
  }

  get commands(): readonly SentCommand[] {
    return this.#commands;
  }

  start(): void {
    this.#events.start();
    const startedMs = performance.now();
    this.#timer = setInterval(() => {
      const passedMs = performance.now() - startedMs;
      for (let next = this.orders[this.#begun]; next && next.atMs <= passedMs; next = this.orders[this.#begun])
        this.#begin(next);
      if (this.#begun === this.orders.length) clearInterval(this.#timer);
    }, TICK_MS);
  }

  /**
   * Begins no more orders. Resolves when the running stories have ended and all commands are acknowledged, or after 30 s without. `settled`
   * may follow.
   */
  async stop(): Promise<SentCommand[]> {
    clearInterval(this.#timer);
    this.#begun = this.orders.length;
    await Promise.all(this.#telling);
    await Promise.race([Promise.all(this.#sending), delay(ACKNOWLEDGED_WITHIN_MS, undefined, { ref: false })]);
    return this.#commands;
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
    clearInterval(this.#timer);
    await Promise.all([this.#events.close(), this.#producer.close()]);
  }

  async #open(): Promise<string[]> {
    const isBegun = this.#begun === this.orders.length;
    const stories = this.orders.slice(0, this.#begun).filter(({ orderId }) => !this.endings.has(orderId));
    const commands = this.#commands.filter(
      ({ id, orderId }) => !this.#events.of(orderId).some((event) => event.data.commandId === id && isAtRest(event)),
    );
    const open = [
      ...(isBegun ? [] : [`${this.orders.length - this.#begun} orders have not begun`]),
      ...stories.map(({ orderId }) => `the story of ${orderId}`),
      ...commands.map(
        ({ type, id, orderId, acknowledged, refusal }) =>
          `${type} ${id} of ${orderId}${acknowledged ? '' : `, not acknowledged${refusal === undefined ? '' : `: ${refusal}`}`}`,
      ),
    ];
    if (open.length > 0) return open;
    const notifications = await this.#platform.notifications().catch((error: unknown) => String(error));
    if (typeof notifications === 'string') return [notifications];
    return notifications
      .filter(({ orderId, state }) => orderId.startsWith(this.#options.orderPrefix) && state === 'waiting')
      .map(({ operationType, execCode, orderId, attempts }) => {
        const { status, error } = attempts.at(-1) ?? {};
        return `notification ${operationType} ${execCode} of ${orderId}: ${attempts.length} attempts, the last ${status ?? error ?? 'under way'}`;
      });
  }

  #begin({ orderId, story }: PlannedOrder): void {
    const random = this.#randoms[this.#begun++]!;
    const { merchant, patienceMs = 30_000, doubtPatienceMs = 8_000 } = this.#options;
    const order = new LoadOrder({
      ...{ orderId, merchant: merchant.name, random, patienceMs, doubtPatienceMs },
      platform: this.#platform,
      events: this.#events,
      send: (rail, type, id, data) => this.#send(rail, type, id, data),
    });
    const telling = STORIES[story](order)
      .then(
        () => 'told',
        (error: unknown) => String(error),
      )
      .then((ending) => void this.endings.set(orderId, ending))
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  #send(rail: Rail, type: CommandType, id: string, data: CommandData): void {
    const { merchant, orderId } = data;
    const topic = topicName(this.#options.topicPrefix, COMMAND_TOPICS[rail]);
    const sent: SentCommand = { id, type, merchant, orderId, topic, sentAtMs: Date.now(), acknowledged: false, data };
    this.#commands.push(sent);
    const sending = this.#producer
      .send({ topic, key: orderKey(merchant, orderId), ...encodeCloudEvent(aCommand(type, data, { id })) })
      .then(
        () => void (sent.acknowledged = true),
        // A refused command may still be in Kafka; the referee looks in the command topic.
        (error: unknown) => void (sent.refusal = String(error)),
      )
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
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

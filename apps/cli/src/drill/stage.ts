import { setTimeout as delay } from 'node:timers/promises';
import { COMMAND_TOPICS, encodeCloudEvent, MESSAGES, orderKey, topicName, type CommandType } from '@tranche/contracts';
import { BatchingProducer } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { loadConfig } from '@tranche/service-kit';
import type { Order, Orders, Records } from '../api/operations.js';
import { CommandsConfig, openKafka } from '../commands/commands.config.js';
import { CannotTellError, ExitError, RefusedError } from '../exit.js';
import { say } from '../output/output.js';
import { operationsOf } from '../orders/order-text.js';
import { pathOfOrder } from '../session/api.js';
import type { Session } from '../session/session.js';
import { askSimulator } from '../sim/simulator.js';

/** The merchant of every drill; the demo has it. It has no look-ups, which would end a doubt by themselves. */
export const MERCHANT = 'shop-fr';
/** Its currency; the simulator's ledger names none. */
export const CURRENCY = 'EUR';
const WITHIN_MS = 120_000;
const REACHED_WITHIN_MS = 30_000;
const ASK_AGAIN_MS = 250;

export interface Executed {
  time: string;
  operationType: string;
  amount: number;
  transactionId: string;
  finalExecCode: string;
  origin: string;
}
interface Ledger {
  calls: { identifier?: string }[];
  operations: Executed[];
}

/** Returns what the platform's back office shows of an order: here it is the simulator's ledger. */
export const ledgerOf = async (orderId: string): Promise<Ledger> =>
  JSON.parse((await askSimulator('GET', `ledger?orderId=${encodeURIComponent(orderId)}`)).text) as Ledger;

interface How {
  rail?: 'partner-a' | 'partner-b';
  orderId?: string;
  id?: string;
  amount?: unknown;
}

/** One drill: its order, the shop that commands it, the simulator, and what operations shows. Of several orders it has the beginning of their numbers. */
export class Stage {
  readonly config = loadConfig(CommandsConfig);
  #producer?: BatchingProducer;

  constructor(
    readonly session: Session,
    readonly orderId: string,
  ) {}

  /** A command of the shop, not published yet. */
  command(type: CommandType, { rail = 'partner-a', orderId = this.orderId, id, amount }: How = {}) {
    const key = orderKey(MERCHANT, orderId);
    const { example } = MESSAGES.find((one) => one.topic === rail && one.type === type)!;
    const own = type === 'payment.authorize' ? { ...example, notAfter: undefined } : { description: 'A drill', amount };
    // Published again with the same id it is executed once.
    const about = { id: id ?? `${orderId}-${type}`, source: '/drill', type, time: new Date().toISOString() };
    const encoded = encodeCloudEvent({ ...about, subject: key, data: { ...own, merchant: MERCHANT, orderId } });
    return { topic: topicName(this.config.kafkaTopicPrefix, COMMAND_TOPICS[rail]), key, ...encoded };
  }

  async publish(record: ReturnType<Stage['command']>): Promise<void> {
    this.#producer ??= new BatchingProducer({ client: await openKafka(this.config), log: silentLog });
    await this.#producer.send(record);
  }

  send = (type: CommandType, how?: How): Promise<void> => this.publish(this.command(type, how));

  /** Opens the form of an order, which costs nobody anything. @throws RefusedError where the gateway calls another platform */
  async open(how: How = {}): Promise<void> {
    await this.send('payment.authorize', how);
    const isCalled = async () => (await ledgerOf(how.orderId ?? this.orderId)).calls.length > 0;
    await this.wait('the call at the simulator', isCalled, REACHED_WITHIN_MS).catch((cause: unknown) => {
      throw new RefusedError('the gateway does not call the simulator at SIMULATOR_URL, so nothing more is sent: drills are for the simulator alone', { cause });
    });
  } // prettier-ignore

  /** Plays an order as far as the cardholder's decision; what was validated is authorized. */
  async authorize(decision = 'validate'): Promise<void> {
    await this.open();
    const id = await this.until('the form', (order) => operationsOf(order)[0]?.transactionId);
    await askSimulator('POST', `/form/${id}`, new URLSearchParams({ decision }));
    if (decision === 'validate') await this.until('the authorization', ({ status }) => status === 'authorized');
  }

  async capture(): Promise<void> {
    await this.authorize();
    await this.send('payment.capture');
    await this.until('the capture', ({ status }) => status === 'captured');
  }

  /** The simulator misbehaves with this order, so often. */
  async fault(operation: string, fault: object, times = 1): Promise<void> {
    await askSimulator('POST', 'faults', { match: { operation, orderPrefix: this.orderId, times }, fault });
  }

  order(orderId = this.orderId): Promise<Order | undefined> {
    return this.session.api.get<Order>(pathOfOrder({ merchant: MERCHANT, orderId })).catch((error: unknown) => {
      if (error instanceof ExitError && error.message.startsWith('order_unknown')) return undefined;
      throw error;
    });
  }

  async orders(): Promise<Orders['orders']> {
    return (await this.session.api.get<Orders>('/v1/orders', { q: this.orderId, merchant: MERCHANT })).orders;
  }

  async records(path: string, query: Record<string, string> = {}): Promise<Records['entries']> {
    return (await this.session.api.get<Records>(`/v1/${path}`, { limit: 500, ...query })).entries;
  }

  /** Waits until operations shows it of the order. */
  until<T>(what: string, found: (order: Order) => T | undefined | false): Promise<T> {
    const ask = async () => {
      const order = await this.order();
      return order && found(order);
    };
    return this.wait(what, ask);
  }

  /** @throws CannotTellError */
  async wait<T>(what: string, found: () => Promise<T | undefined | false>, withinMs = WITHIN_MS): Promise<T> {
    say(`waiting for ${what}`);
    for (const end = performance.now() + withinMs; performance.now() < end; await delay(ASK_AGAIN_MS)) {
      const result = await found();
      if (result !== undefined && result !== false) return result;
    }
    throw new CannotTellError(`${what} of ${MERCHANT}/${this.orderId} did not come within ${withinMs / 1_000} s\n  next: are KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, OPERATIONS_URL and SIMULATOR_URL those of one demo? \`npm run demo -- --keep\` prints them`);
  } // prettier-ignore

  async close(): Promise<void> {
    await this.#producer?.close();
  }
}

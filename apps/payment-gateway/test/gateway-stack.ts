import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  isPaymentOption,
  METHODS,
  NOTIFICATION_TYPE,
  orderKey,
  PAYMENT_OPTIONS,
  TOPICS,
  topicName,
  validateEventData,
  type CloudEvent,
  type CommandData,
  type CommandType,
  type PaymentEvent,
  type PaymentNotification,
} from '@tranche/contracts';
import { BatchingProducer, createKafkaClient, ensureTopics, type ProducerRecord } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import {
  aCommand,
  aNotification,
  eventsOf,
  infrastructure,
  ownPrefix,
  startApp,
  startSimulator,
  waitFor,
  type EventsOf,
  type RunningApp,
  type StartOptions,
} from '@tranche/testing';

/** What the platform did with one order. */
export interface Ledger {
  calls: { operation: string; executed: boolean; answered?: string; parameters: string[] }[];
  operations: { operationType: string; transactionId: string; extraData?: string; amount: number }[];
}

/** A gateway on the real Kafka and Redis against a simulator of its own. Nobody forwards notifications: specs publish their own. */
export interface GatewayStack {
  gateway: RunningApp;
  readonly simulator: RunningApp;
  readonly prefix: string;
  readonly results: EventsOf;
  /** Settings that a further gateway of this stack needs. */
  readonly env: Record<string, string>;
  send(type: CommandType, data: CommandData, id?: string): Promise<void>;
  sendRecord(topic: string, key: string, value: Buffer, headers?: ProducerRecord['headers']): Promise<void>;
  notify(notification: Partial<PaymentNotification>): Promise<void>;
  ledgerOf(orderId: string): Promise<Ledger>;
  /** Waits for the n-th event of the type about the order. */
  event(orderId: string, type: string, count?: number): Promise<CloudEvent<PaymentEvent>>;
  typesOf(orderId: string): string[];
  /** Value of a metric of the gateway; its first sample where it has labels, not a number where it has none. */
  metric(name: string): Promise<number>;
  /** Makes the simulator misbehave, see its README. */
  fault(rule: object): Promise<void>;
  stop(): Promise<void>;
}

export async function startGatewayStack(
  settings: Record<string, string> = {},
  ofSimulator: Record<string, string> = {},
  start: StartOptions = {},
): Promise<GatewayStack> {
  const { brokers, redisUrl } = infrastructure();
  const prefix = settings.KAFKA_TOPIC_PREFIX ?? ownPrefix();
  const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'gateway-spec' }, silentLog);
  await ensureTopics(client, {
    prefix,
    definitions: Object.values(TOPICS),
    replicationFactor: 1,
    minInSyncReplicas: 1,
    log: silentLog,
  });
  const producer = new BatchingProducer({ client, log: silentLog });
  const simulator = await startSimulator(ofSimulator);
  const env = {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: prefix,
    REDIS_URL: redisUrl,
    PAYMENT_URL: simulator.url,
    AUTH_SERVICE_KEY: 'not-used',
    // Long: a slow machine must not make a time-out of an answer. Specs that play a time-out set a short one.
    PLATFORM_TIMEOUT_MS: '15000',
    DOUBT_GRACE_MS: '500',
    ...settings,
  };
  const [results, gateway] = await Promise.all([eventsOf(brokers, prefix), startApp('payment-gateway', env, start)]);
  const about = (orderId: string) => results.events.filter((event) => event.data.orderId === orderId);
  const stack: GatewayStack = {
    gateway,
    simulator,
    prefix,
    results,
    env,
    async send(type, data, id = randomUUID()) {
      const topic = topicOf(type, data);
      await producer.send({
        topic: prefix + topic,
        key: orderKey(data.merchant, data.orderId),
        ...encodeCloudEvent(aCommand(type, data, { id, time: new Date().toISOString() })),
      });
    },
    async sendRecord(topic, key, value, headers = {}) {
      await producer.send({ topic: prefix + topic, key, value, headers });
    },
    async notify(notification) {
      const data = aNotification(notification);
      const event = {
        id: randomUUID(),
        source: '/spec',
        type: NOTIFICATION_TYPE,
        time: new Date().toISOString(),
        data,
      };
      await producer.send({
        topic: topicName(prefix, TOPICS.notifications),
        key: orderKey(data.merchant, data.orderId),
        ...encodeCloudEvent(event),
      });
    },
    async ledgerOf(orderId) {
      return (await (await fetch(`${simulator.url}/simulator/ledger?orderId=${orderId}`)).json()) as Ledger;
    },
    async event(orderId, type, count = 1) {
      const seen = () => stack.typesOf(orderId).join(', ') || 'nothing';
      const find = () => about(orderId).filter((event) => event.type === type)[count - 1];
      const event = await waitFor(find, { timeoutMs: 40_000, what: `${type} of ${orderId}` }).catch(
        (cause: unknown) => {
          throw new Error(`No ${type} of ${orderId}, only ${seen()}`, { cause });
        },
      );
      const { faults } = validateEventData(event.type, event.data);
      if (faults.length > 0)
        throw new Error(`${type} of ${orderId} is no event of the contracts: ${JSON.stringify(faults)}`);
      return event;
    },
    typesOf: (orderId) => about(orderId).map((event) => event.type),
    async metric(name) {
      const metrics = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
      return Number(metrics.match(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm'))?.[1]);
    },
    async fault(rule) {
      const response = await fetch(`${simulator.url}/simulator/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rule),
      });
      if (response.status !== 201) throw new Error(await response.text());
    },
    async stop() {
      await Promise.all([stack.gateway.stop(), simulator.stop(), results.stop(), producer.close()]);
    },
  };
  return stack;
}

/** Where a publisher would send it. A payment option that nobody knows goes to the topic of method A: specs send such ones. */
function topicOf(type: CommandType, data: CommandData): string {
  const option = 'paymentOption' in data ? data.paymentOption : undefined;
  const ofOption = isPaymentOption(option) ? PAYMENT_OPTIONS[option].method : 'A';
  return COMMAND_TOPICS[METHODS[type === 'payment.pay' ? 'card' : ofOption].rail].name;
}

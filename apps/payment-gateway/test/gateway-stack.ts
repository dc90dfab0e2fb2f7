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
import { BatchingProducer, createKafkaClient, type ProducerRecord } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import {
  aCommand,
  aNotification,
  eventsOf,
  gatewaySettings,
  infrastructure,
  makeTopics,
  ownPrefix,
  stage,
  startApp,
  startSimulator,
  waitFor,
  type EventsOf,
  type RunningApp,
  type StartOptions,
} from '@tranche/testing';

/** Long, because on a slow machine events come late. It ends only a spec that hangs. */
const EVENT_TIMEOUT_MS = 100_000;

/** Calls and operations of one order at the platform. */
export interface Ledger {
  calls: { operation: string; executed: boolean; answered?: string; parameters: string[] }[];
  operations: { operationType: string; transactionId: string; extraData?: string; amount: number }[];
}

/** A gateway on the real Kafka and Redis against a simulator. No notifications are forwarded: specs publish their own. */
export interface GatewayStack {
  gateway: RunningApp;
  readonly simulator: RunningApp;
  readonly prefix: string;
  readonly results: EventsOf;
  /** Settings for a further gateway of this stack. */
  readonly env: Record<string, string>;
  send(type: CommandType, data: CommandData, id?: string): Promise<void>;
  sendRecord(topic: string, key: string, value: Buffer, headers?: ProducerRecord['headers']): Promise<void>;
  notify(notification: Partial<PaymentNotification>): Promise<void>;
  ledgerOf(orderId: string): Promise<Ledger>;
  /** Waits for the n-th event of the type about the order. */
  event(orderId: string, type: string, count?: number): Promise<CloudEvent<PaymentEvent>>;
  typesOf(orderId: string): string[];
  /** Value of a metric of the gateway: its first sample where it has labels, NaN where there is none. */
  metric(name: string): Promise<number>;
  /** Makes the simulator misbehave, see its README. */
  fault(rule: object): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Joins the gateway and simulator that all specs of a run share. For a spec that needs only the stage's merchants (libs/testing/src/stages/shops.ts)
 * and looks only at its own orders, named after the spec. A fault must name them too.
 */
export async function joinGatewayStage(): Promise<GatewayStack> {
  const { prefix, env, apps } = await stage('gateway');
  const { 'payment-gateway': gateway, 'platform-simulator': simulator } = apps;
  if (!gateway || !simulator) throw new Error('the stage has no gateway');
  const results = await eventsOf(infrastructure().brokers, prefix, TOPICS.events, 'end');
  const stack = gatewayStack({ prefix, env, gateway, simulator, results });
  return { ...stack, fault: named(stack), stop: () => stack.leave() };
}

/**
 * Starts a gateway against the simulator that all specs share. For a spec that kills, restarts or configures its gateway, and looks only at its own
 * orders there.
 */
export async function startOwnGateway(settings: Record<string, string> = {}): Promise<GatewayStack> {
  const { apps, env } = await stage('gateway');
  const { 'platform-simulator': simulator } = apps;
  if (!simulator) throw new Error('the stage has no simulator');
  const { MERCHANTS_FILE = '', OPERATORS_FILE = '' } = env;
  const prefix = ownPrefix();
  await makeTopics(prefix);
  const stack = await startedStack(prefix, simulator, { MERCHANTS_FILE, OPERATORS_FILE, ...settings });
  return Object.assign(stack, {
    fault: named(stack),
    stop: async () => void (await Promise.all([stack.gateway.stop(), stack.leave()])),
  });
}

/** Starts a gateway and a simulator. For a spec that counts everything that either did, or configures the simulator. */
export async function startGatewayStack(
  settings: Record<string, string> = {},
  ofSimulator: Record<string, string> = {},
  start: StartOptions = {},
): Promise<GatewayStack> {
  const prefix = settings.KAFKA_TOPIC_PREFIX ?? ownPrefix();
  const [simulator] = await Promise.all([startSimulator(ofSimulator), makeTopics(prefix)]);
  const stack = await startedStack(prefix, simulator, settings, start);
  return Object.assign(stack, {
    stop: async () => void (await Promise.all([stack.gateway.stop(), simulator.stop(), stack.leave()])),
  });
}

async function startedStack(
  prefix: string,
  simulator: RunningApp,
  settings: Record<string, string>,
  start: StartOptions = {},
) {
  const env = { ...gatewaySettings(prefix, simulator.url), ...settings };
  const { brokers } = infrastructure();
  const [results, gateway] = await Promise.all([eventsOf(brokers, prefix), startApp('payment-gateway', env, start)]);
  return gatewayStack({ prefix, env, gateway, simulator, results });
}

/** Checks that a fault of a shared simulator names the orders it is for. */
function named({ fault }: Pick<GatewayStack, 'fault'>): GatewayStack['fault'] {
  return (rule) => {
    const { match = {} } = rule as { match?: { orderPrefix?: string } };
    if (!match.orderPrefix) return Promise.reject(new Error('a fault of a shared simulator names an orderPrefix'));
    return fault(rule);
  };
}

type Parts = Pick<GatewayStack, 'prefix' | 'env' | 'gateway' | 'simulator' | 'results'>;

function gatewayStack({ prefix, env, gateway, simulator, results }: Parts) {
  const client = createKafkaClient(
    { brokers: infrastructure().brokers.split(','), clientId: 'gateway-spec' },
    silentLog,
  );
  const producer = new BatchingProducer({ client, log: silentLog });
  const about = (orderId: string) => results.events.filter((event) => event.data.orderId === orderId);
  const stack: Omit<GatewayStack, 'stop'> & { leave(): Promise<void> } = {
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
      const event = await waitFor(find, { timeoutMs: EVENT_TIMEOUT_MS, what: `${type} of ${orderId}` }).catch(
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
    /** Closes only the connections of this spec; the shared processes stay. */
    async leave() {
      await Promise.all([results.stop(), producer.close()]);
    },
  };
  return stack;
}

/** Topic that a publisher would use. Specs also send unknown payment options, which go to the topic of method A. */
function topicOf(type: CommandType, data: CommandData): string {
  const option = 'paymentOption' in data ? data.paymentOption : undefined;
  const ofOption = isPaymentOption(option) ? PAYMENT_OPTIONS[option].method : 'A';
  return COMMAND_TOPICS[METHODS[type === 'payment.pay' ? 'card' : ofOption].rail].name;
}

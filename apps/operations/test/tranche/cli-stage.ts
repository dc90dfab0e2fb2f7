import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  METHODS,
  NOTIFICATION_TYPE,
  orderKey,
  PAYMENT_OPTIONS,
  TOPICS,
  type CloudEvent,
  type CommandData,
  type CommandType,
  type PaymentNotification,
  type PaymentOption,
} from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import {
  aCommand,
  aDeadLetter,
  aNotification,
  gatewaySettings,
  infrastructure,
  makeTopics,
  openFront,
  operationsSettings,
  operatorKey,
  ownPrefix,
  stage,
  startApp,
  waitFor,
  type RunningApp,
} from '@tranche/testing';
// A spec runs the command in its own process, which is faster than the bundle. It does so here and not in apps/cli: the gateway's tests start
// `tranche`, and a test of apps/cli that starts the gateway would close a circle of projects.
// eslint-disable-next-line @nx/enforce-module-boundaries
import { aTerminal, type Ended } from '../../../cli/test/run-tranche.js';

export { aTerminal };

export type Person = Parameters<typeof operatorKey>[0];
export interface Item {
  kind: string;
  id?: string;
  merchant?: string;
  orderId?: string;
  about: Record<string, unknown>;
}

interface Parts {
  prefix: string;
  env: Record<string, string>;
  simulator: RunningApp;
  /** Address of operations now. */
  operationsUrl: () => string;
}

/** The command on the shared stage of operations. A spec looks at its own orders only. */
export async function joinCliStage() {
  const [{ apps, prefix, env }, gateway] = await Promise.all([stage('operations'), stage('gateway')]);
  const simulator = gateway.apps['platform-simulator']!;
  return cliStage({ prefix, env, simulator, operationsUrl: () => apps.operations!.url });
}

/**
 * The command with a gateway and an operations of its own, which a spec stops, kills and starts. They share the simulator: a spec names its orders
 * after itself.
 */
export async function startCliStage(settings: Record<string, string> = {}) {
  const { apps, env: shared } = await stage('gateway');
  const simulator = apps['platform-simulator']!;
  const prefix = ownPrefix();
  const front = await openFront();
  await makeTopics(prefix);
  const { MERCHANTS_FILE = '', OPERATORS_FILE = '' } = shared;
  const env = { ...gatewaySettings(prefix, simulator.url), MERCHANTS_FILE, OPERATORS_FILE, ...settings };
  const running: Partial<Record<'gateway' | 'operations', RunningApp>> = {};
  const ofOperations = {
    ...operationsSettings({ prefix, env, apps: { 'payment-gateway': { managementUrl: front.url } as RunningApp } }, `own_${prefix.replace(/\W/g, '')}`),
  }; // prettier-ignore
  const startGateway = async (more: Record<string, string> = {}): Promise<void> => {
    running.gateway = await startApp('payment-gateway', { ...env, ...more });
    front.leadTo(running.gateway.managementUrl);
  };
  const startOperations = async (): Promise<void> => {
    running.operations = await startApp('operations', ofOperations);
  };
  await startGateway();
  await startOperations();
  const joined = cliStage({ prefix, env, simulator, operationsUrl: () => running.operations!.url });
  return {
    ...joined,
    startGateway,
    startOperations,
    end: (name: keyof typeof running, signal?: NodeJS.Signals) => running[name]!.stop(signal),
    async stop(): Promise<void> {
      await Promise.all([running.gateway?.stop(), running.operations?.stop(), joined.stop()]);
      await front.close();
    },
  };
}

function cliStage({ prefix, env, simulator, operationsUrl }: Parts) {
  const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'cli-spec' }, silentLog);
  const producer = new BatchingProducer({ client, log: silentLog });
  const terminal = aTerminal({ SIMULATOR_URL: simulator.url });

  const run = (person: Person, ...args: string[]): Promise<Ended> =>
    terminal.run(args, { OPERATIONS_URL: operationsUrl(), TRANCHE_TOKEN: operatorKey(person) });

  /** The order's entry in the queue, as `tranche attention` shows it to the person. */
  async function find(person: Person, kind: string, merchant: string, orderId?: string): Promise<Item | undefined> {
    const { out } = await run(person, 'attention', '--kind', kind, '--merchant', merchant, '--limit', '500', '-o', 'json');
    const { items } = JSON.parse(out) as { items: Item[] };
    return items.find((item) => item.kind === kind && (orderId === undefined || item.orderId === orderId));
  } // prettier-ignore

  const sendCommand = async (command: CloudEvent<CommandData>): Promise<void> => {
    const { merchant, orderId } = command.data;
    const { method } =
      PAYMENT_OPTIONS[(command.data as { paymentOption?: PaymentOption }).paymentOption ?? 'partnerB-3x'];
    const topic = prefix + COMMAND_TOPICS[METHODS[method].rail].name;
    await producer.send({ topic, key: orderKey(merchant, orderId), ...encodeCloudEvent(command) });
  };

  return {
    ...{ prefix, env, simulator, run, find, terminal, sendCommand },
    listed: (person: Person, kind: string, merchant: string, orderId?: string): Promise<Item> =>
      waitFor(() => find(person, kind, merchant, orderId), { what: `${kind} of ${merchant}/${orderId} in the queue` }),
    gone: (person: Person, kind: string, merchant: string, orderId?: string): Promise<boolean> =>
      waitFor(async () => (await find(person, kind, merchant, orderId)) === undefined, {
        what: `a queue without ${kind} of ${merchant}/${orderId}`,
      }),
    send: (type: CommandType, data: CommandData, id: string = randomUUID()): Promise<void> =>
      sendCommand(aCommand(type, data, { id, time: new Date().toISOString() })),
    sendRecord: (key: string, value: Buffer, topic: string = COMMAND_TOPICS['partner-b'].name) =>
      producer.send({ topic: prefix + topic, key, value }),
    sendDeadLetters: (commands: readonly CloudEvent<CommandData>[], code?: string) =>
      producer.sendAll(commands.map((command, at) => aDeadLetter(prefix, command, { at, code }))),
    async notify(notification: Partial<PaymentNotification> & { merchant: string; orderId: string }): Promise<void> {
      const data = aNotification(notification);
      const time = new Date().toISOString();
      const event = { id: randomUUID(), source: '/spec', type: NOTIFICATION_TYPE, time, data };
      const topic = prefix + TOPICS.notifications.name;
      const key = orderKey(notification.merchant, notification.orderId);
      await producer.send({ topic, key, ...encodeCloudEvent(event) });
    },
    async stop(): Promise<void> {
      await producer.close();
      terminal.close();
    },
  };
}

import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  NOTIFICATION_TYPE,
  orderKey,
  TOPICS,
  type CommandData,
  type CommandType,
  type PaymentNotification,
} from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCommand, aNotification, infrastructure, operatorKey, stage, waitFor } from '@tranche/testing';
import { aTerminal, type Ended } from './run-tranche.js';

export type Person = Parameters<typeof operatorKey>[0];
export interface Item {
  kind: string;
  id?: string;
  merchant?: string;
  orderId?: string;
  about: Record<string, unknown>;
}

/** The command on the shared stage of operations. A spec looks at its own orders only. */
export async function joinCliStage() {
  const [{ apps, prefix, env }, gateway] = await Promise.all([stage('operations'), stage('gateway')]);
  const client = createKafkaClient({ brokers: infrastructure().brokers.split(','), clientId: 'cli-spec' }, silentLog);
  const producer = new BatchingProducer({ client, log: silentLog });
  const terminal = aTerminal({
    OPERATIONS_URL: apps.operations!.url,
    SIMULATOR_URL: gateway.apps['platform-simulator']!.url,
  });

  const run = (person: Person, ...args: string[]): Promise<Ended> =>
    terminal.run(args, { TRANCHE_TOKEN: operatorKey(person) });

  /** The order's entry in the queue, as `tranche attention` shows it to the person. */
  async function find(person: Person, kind: string, merchant: string, orderId?: string): Promise<Item | undefined> {
    const { out } = await run(person, 'attention', '--kind', kind, '--merchant', merchant, '--limit', '500', '-o', 'json');
    const { items } = JSON.parse(out) as { items: Item[] };
    return items.find((item) => item.kind === kind && (orderId === undefined || item.orderId === orderId));
  } // prettier-ignore

  return {
    ...{ prefix, env, gateway, run, find },
    listed: (person: Person, kind: string, merchant: string, orderId?: string): Promise<Item> =>
      waitFor(() => find(person, kind, merchant, orderId), { what: `${kind} of ${merchant}/${orderId} in the queue` }),
    gone: (person: Person, kind: string, merchant: string, orderId?: string): Promise<boolean> =>
      waitFor(async () => (await find(person, kind, merchant, orderId)) === undefined, {
        what: `a queue without ${kind} of ${merchant}/${orderId}`,
      }),
    async send(type: CommandType, data: CommandData, id: string = randomUUID()): Promise<void> {
      const { merchant, orderId } = data;
      const topic = prefix + COMMAND_TOPICS['partner-b'].name;
      const command = aCommand(type, data, { id, time: new Date().toISOString() });
      await producer.send({ topic, key: orderKey(merchant, orderId), ...encodeCloudEvent(command) });
    },
    sendRecord: (key: string, value: Buffer) =>
      producer.send({ topic: prefix + COMMAND_TOPICS['partner-b'].name, key, value }),
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

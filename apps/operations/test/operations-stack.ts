import { randomUUID } from 'node:crypto';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  orderKey,
  type CloudEvent,
  type CommandData,
  type CommandType,
} from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { aCommand, aDeadLetter, infrastructure, operatorKey, stage, waitFor, type RunningApp } from '@tranche/testing';

export type Person = Parameters<typeof operatorKey>[0];
export interface Answer<T> {
  status: number;
  body: T;
}
export interface Item {
  kind: string;
  id: string;
  merchant: string;
  orderId: string;
  about: Record<string, unknown>;
}

/** Operations on the shared stage, and what a spec does with it. A spec looks at its own orders only. */
export async function joinOperationsStage() {
  const [{ apps, prefix, env }, gateway] = await Promise.all([stage('operations'), stage('gateway')]);
  const operations = apps.operations!;
  const { brokers } = infrastructure();
  const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'operations-spec' }, silentLog);
  const producer = new BatchingProducer({ client, log: silentLog });
  return {
    ...{ operations, prefix, env, gateway, client, producer },
    ask: <T>(person: Person, path: string, body?: object) => askAt<T>(operations, person, path, body),
    async send(type: CommandType, data: CommandData): Promise<void> {
      const { merchant, orderId } = data;
      const topic = prefix + COMMAND_TOPICS['partner-b'].name;
      const command = aCommand(type, data, { id: randomUUID(), time: new Date().toISOString() });
      await producer.send({ topic, key: orderKey(merchant, orderId), ...encodeCloudEvent(command) });
    },
    deadLetter: (command: CloudEvent<CommandData>) => producer.send(aDeadLetter(prefix, command)),
    async fault(rule: object): Promise<void> {
      const url = `${gateway.apps['platform-simulator']!.url}/simulator/faults`;
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(rule) });
      if (status !== 201) throw new Error(`The simulator answered ${status}`);
    },
    /** Waits for the order's entry in the queue. */
    listed: (merchant: string, orderId: string, kind: string) =>
      waitFor(
        async () => {
          const path = `attention?merchant=${merchant}&kind=${kind}&limit=500`;
          const { body } = await askAt<{ items: Item[] }>(operations, 'alice', path);
          return body.items.find((item) => item.orderId === orderId);
        },
        { what: `${kind} of ${orderId} in the queue` },
      ),
    stop: () => producer.close(),
  };
}

export async function askAt<T>(app: RunningApp, person: Person, path: string, body?: object): Promise<Answer<T>> {
  const response = await fetch(`${app.url}/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${operatorKey(person)}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

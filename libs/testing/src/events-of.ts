import {
  decodeCloudEvent,
  orderKey,
  TOPICS,
  topicName,
  type CloudEvent,
  type PaymentEvent,
  type TopicDefinition,
} from '@tranche/contracts';
import { silentLog } from '@tranche/runtime';
import { waitFor } from './wait-for.js';

export interface EventsOf<T = PaymentEvent> {
  /** All events so far in order of arrival; the events of one order are in their order. */
  readonly events: CloudEvent<T>[];
  of(merchant: string, orderId: string): CloudEvent<T>[];
  next(condition: (event: CloudEvent<T>) => boolean, what?: string, timeoutMs?: number): Promise<CloudEvent<T>>;
  stop(): Promise<void>;
}

/** Collects a topic of CloudEvents: by default the result events from their beginning. */
export async function eventsOf<T = PaymentEvent>(
  brokers: string,
  prefix: string,
  topic: TopicDefinition = TOPICS.events,
  from: 'beginning' | 'end' = 'beginning',
): Promise<EventsOf<T>> {
  // Imported here, so that specs which need only builders do not load a Kafka client.
  const { createKafkaClient, LogFollower, topicOffsets } = await import('@tranche/kafka');
  const client = createKafkaClient({ brokers: brokers.split(','), clientId: 'events-of' }, silentLog);
  // A new topic may have no leader yet.
  await waitFor(() => topicOffsets(client, topicName(prefix, topic)), {
    what: `the offsets of ${topic.name}`,
  });
  const keyed: { key: string | null; event: CloudEvent<T> }[] = [];
  const follower = new LogFollower({ client, topic: topic.name, topicPrefix: prefix, log: silentLog });
  // kafkajs loads the code of a request when it first sends one, and Jest refuses to load a file between two tests.
  const fetched = follower.fetched();
  await follower.start({
    ...(from === 'beginning' && { from }),
    onRecords(_partition, records) {
      for (const { key, headers, value } of records) {
        const { event, faults } = decodeCloudEvent({ headers, value });
        if (faults.length > 0)
          throw new Error(`${topic.name} holds something that is no event: ${JSON.stringify(faults)}`);
        keyed.push({ key, event: event as CloudEvent<T> });
      }
    },
  });
  await fetched;
  return {
    get events() {
      return keyed.map(({ event }) => event);
    },
    of: (merchant, orderId) => keyed.filter(({ key }) => key === orderKey(merchant, orderId)).map(({ event }) => event),
    next: (condition, what = `an event on ${topic.name}`, timeoutMs = 30_000) =>
      waitFor(() => keyed.find(({ event }) => condition(event))?.event, { timeoutMs, what }),
    stop: () => follower.stop(),
  };
}

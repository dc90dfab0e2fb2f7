/** The commerce service of the demo: publishes commands, follows the result events. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const EVENT_TIMEOUT_MS = 45_000;
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** `contracts` and `kafka` are the built libraries: they exist only after the bootstrap. `nowMs` is the time its commands tell. */
export async function openShop({ contracts, kafka, brokers, topicPrefix, nowMs = Date.now }) {
  const { TOPICS, COMMAND_TOPICS, topicName, encodeCloudEvent, decodeCloudEvent, orderKey } = contracts;
  const client = kafka.createKafkaClient({ brokers: brokers.split(','), clientId: 'demo-shop' }, SILENT);
  const producer = new kafka.BatchingProducer({ client, log: SILENT });
  await producer.connect();

  const arrivals = [];
  const offsets = await kafka.topicOffsets(client, topicName(topicPrefix, TOPICS.events));
  const tail = new kafka.TailConsumer({
    client,
    topic: TOPICS.events.name,
    topicPrefix,
    from: new Map([...offsets].map(([partition, { high }]) => [partition, high])),
    log: SILENT,
    onRecords(_partition, records) {
      for (const { headers, value, key } of records) {
        const { event } = decodeCloudEvent({ headers, value });
        arrivals.push({ key, event, atMs: performance.now() });
      }
    },
  });
  await tail.start();

  return {
    /** Publishes a command and gives back its id. */
    async send(rail, type, order, { id = randomUUID() } = {}) {
      const key = orderKey(order.merchant, order.orderId);
      const time = new Date(nowMs()).toISOString();
      const command = { id, source: '/demo-shop', type, time, subject: key, correlationid: order.orderId, data: order };
      await producer.send({ topic: topicName(topicPrefix, COMMAND_TOPICS[rail]), key, ...encodeCloudEvent(command) });
      return id;
    },

    /** The events of one order so far, in the order of their arrival. */
    arrivals: (merchant, orderId) => arrivals.filter(({ key }) => key === orderKey(merchant, orderId)),

    /**
     * Waits for the order's next event after the `followed` ones. One that was published again (the same id) is passed over, as consumers
     * do, unless it is asked for.
     */
    async next(merchant, orderId, followed, { again = false, timeoutMs = EVENT_TIMEOUT_MS } = {}) {
      const deadline = performance.now() + timeoutMs;
      const ids = new Set(followed.map(({ id }) => id));
      const find = () =>
        again
          ? this.arrivals(merchant, orderId)[followed.length]?.event
          : this.arrivals(merchant, orderId).find(({ event }) => !ids.has(event.id))?.event;
      while (find() === undefined && performance.now() < deadline) await delay(10);
      return find();
    },

    async close() {
      await Promise.all([tail.stop(), producer.close()]);
    },
  };
}

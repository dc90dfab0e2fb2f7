/** The commerce service of the demo: publishes commands with @tranche/client, follows the result events, repeated ones too. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const EVENT_TIMEOUT_MS = 45_000;

/** `libraries`: the built `{ contracts, kafka, runtime, Tranche }`; they exist only after the bootstrap. `nowMs` is the time its commands tell. */
export async function openShop({
  libraries: { contracts, kafka, runtime, Tranche },
  brokers,
  topicPrefix,
  sasl,
  nowMs = Date.now,
}) {
  const { TOPICS, topicName, decodeCloudEvent, orderKey } = contracts;
  const { silentLog } = runtime;
  const settings = { brokers: brokers.split(','), clientId: 'demo-shop', ...(sasl && { sasl }) };
  const tranche = await Tranche.connect({ ...settings, topicPrefix, log: silentLog });
  const client = kafka.createKafkaClient(settings, silentLog);

  // A subscription of the client would pass a repeated event over, and one scenario is about it.
  const arrivals = [];
  const offsets = await kafka.topicOffsets(client, topicName(topicPrefix, TOPICS.events));
  const tail = new kafka.TailConsumer({
    client,
    topic: TOPICS.events.name,
    topicPrefix,
    from: new Map([...offsets].map(([partition, { high }]) => [partition, high])),
    log: silentLog,
    onRecords(_partition, records) {
      for (const { headers, value, key } of records) {
        const { event } = decodeCloudEvent({ headers, value });
        arrivals.push({ key, event, atMs: performance.now() });
      }
    },
  });
  await tail.start();

  return {
    /** Publishes a command and gives back its id; throws the client's InvalidCommandError. */
    async send(rail, type, order, { id = randomUUID() } = {}) {
      const [, operation] = type.split('.');
      await tranche.publisher[operation](order, { id, rail, correlationId: order.orderId, time: new Date(nowMs()) });
      return id;
    },

    /** As somebody does who has no client: nobody checks the command before the gateway. */
    async sendUnchecked(rail, type, order) {
      const key = orderKey(order.merchant, order.orderId);
      const command = {
        id: randomUUID(),
        source: '/demo-shop',
        type,
        time: new Date(nowMs()).toISOString(),
        subject: key,
        data: order,
      };
      const producer = new kafka.BatchingProducer({ client, log: silentLog });
      try {
        await producer.connect();
        const topic = topicName(topicPrefix, contracts.COMMAND_TOPICS[rail]);
        await producer.send({ topic, key, ...contracts.encodeCloudEvent(command) });
      } finally {
        await producer.close();
      }
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
      const isNew = ({ event }) => !ids.has(event.id) && !isAddition(event, followed);
      const find = () =>
        again
          ? this.arrivals(merchant, orderId)[followed.length]?.event
          : this.arrivals(merchant, orderId).find(isNew)?.event;
      while (find() === undefined && performance.now() < deadline) await delay(10);
      return find();
    },

    async close() {
      await Promise.all([tail.stop(), tranche.close()]);
    },
  };
}

/** A success that comes once more because a notification told more of it, as its card: it may come or not, before or after the next step. */
const isAddition = ({ type, data }, followed) =>
  followed.some((one) => one.type === type) && (data.flags ?? []).some((flag) => flag.endsWith('_added'));

/** Plays the commerce service: publishes commands with @tranche/client and follows the result events, repeated ones too. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const EVENT_TIMEOUT_MS = 45_000;

/**
 * `libraries` are the built `{ contracts, kafka, runtime, Tranche }`, which exist only after the bootstrap. `nowMs` gives the time of its
 * commands.
 */
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

  // A subscription of the client would drop repeated events, which one scenario needs.
  const arrivals = [];
  const offsets = await kafka.topicOffsets(client, topicName(topicPrefix, TOPICS.events));
  const follower = new kafka.LogFollower({ client, topic: TOPICS.events.name, topicPrefix, log: silentLog });
  await follower.start({
    onRecords(_partition, records) {
      for (const { headers, value, key } of records) {
        const { event } = decodeCloudEvent({ headers, value });
        arrivals.push({ key, event, atMs: performance.now() });
      }
    },
  });

  return {
    /** Publishes a command and resolves to its id. @throws the client's InvalidCommandError */
    async send(rail, type, order, { id = randomUUID() } = {}) {
      const [, operation] = type.split('.');
      await tranche.publisher[operation](order, { id, rail, correlationId: order.orderId, time: new Date(nowMs()) });
      return id;
    },

    /** Publishes without the client, so that only the gateway checks the command. */
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

    /** The order's events so far, in order of arrival. */
    arrivals: (merchant, orderId) => arrivals.filter(({ key }) => key === orderKey(merchant, orderId)),

    /**
     * Waits for the order's next event after the `followed` ones. It ignores a repeated event (the same id), as consumers do, unless
     * `again` is set.
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
      await Promise.all([follower.stop(), tranche.close()]);
    },
  };
}

/**
 * A success is published again if a notification adds something, such as the card or the amount. This may happen at any time or not at all, so stories
 * ignore it.
 */
const isAddition = ({ type, data }, followed) =>
  followed.some((one) => one.type === type) && (data.flags ?? []).some((flag) => /_(added|confirmed)$/.test(flag));

/** Plays the commerce service: publishes commands with @tranche/client and follows the result events, repeated ones too. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const EVENT_TIMEOUT_MS = 45_000;

/** `libraries` are built `{ contracts, kafka, runtime, Tranche }`, which exist only after the bootstrap. `nowMs`: the time of commands. */
export async function openShop({ libraries, brokers, topicPrefix, sasl, nowMs }) {
  const { contracts, kafka, Tranche } = libraries;
  const { TOPICS, MESSAGES, COMMAND_TOPICS, topicName, decodeCloudEvent, orderKey } = contracts;
  const log = libraries.runtime.silentLog;
  const settings = { brokers: brokers.split(','), clientId: 'demo-shop', ...(sasl && { sasl }) };
  const tranche = await Tranche.connect({ ...settings, topicPrefix, log });
  const client = kafka.createKafkaClient(settings, log);

  // A subscription of the client would drop repeated events, which one scenario needs.
  const all = [];
  const follower = new kafka.LogFollower({ client, topic: TOPICS.events.name, topicPrefix, log });
  await follower.start({
    onRecords(_partition, records) {
      for (const { headers, value, key } of records)
        all.push({ key, event: decodeCloudEvent({ headers, value }).event, atMs: performance.now() });
    },
  });
  const arrivals = ({ merchant, orderId }) => all.filter(({ key }) => key === orderKey(merchant, orderId));

  return {
    /** The order's events so far, in order of arrival. */
    arrivals,

    exampleOf: (rail, type) => MESSAGES.find((one) => one.topic === rail && one.type === type).example,

    /** Publishes a command and resolves to its id. @throws the client's InvalidCommandError */
    async send(rail, type, order, { id = randomUUID() } = {}) {
      const [, operation] = type.split('.');
      await tranche.publisher[operation](order, { id, rail, correlationId: order.orderId, time: new Date(nowMs()) });
      return id;
    },

    /** Publishes without the client, so that only the gateway checks the command. */
    async sendUnchecked(rail, type, data) {
      const key = orderKey(data.merchant, data.orderId);
      const time = new Date(nowMs()).toISOString();
      const command = { id: randomUUID(), source: '/demo-shop', type, time, subject: key, data };
      const producer = new kafka.BatchingProducer({ client, log });
      try {
        await producer.connect();
        const topic = topicName(topicPrefix, COMMAND_TOPICS[rail]);
        await producer.send({ topic, key, ...contracts.encodeCloudEvent(command) });
      } finally {
        await producer.close();
      }
    },

    /** Waits for the story's next event. It ignores a repeated event (the same id), as consumers do, unless `again` is set. */
    async next(story, { again = false, timeoutMs = EVENT_TIMEOUT_MS } = {}) {
      const { followed } = story;
      const deadline = performance.now() + timeoutMs;
      const isNew = ({ event }) => followed.every(({ id }) => id !== event.id) && !isAddition(event, followed);
      const find = () => (again ? arrivals(story)[followed.length] : arrivals(story).find(isNew))?.event;
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

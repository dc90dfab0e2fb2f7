import { built, configOf } from '../infra/built.mjs';
import { Expected } from '../infra/processes.mjs';
import { printed, STRIMZI_OPTIONS, strimziTopics } from '../infra/strimzi.mjs';
import { brokers } from './values.mjs';

/** The services end with the same code if their settings are wrong. */
const EXIT_CONFIG = 78;

export const description = 'compares the topics on a broker with the table of libs/contracts, and makes them so';
export const options = {
  plan: { help: 'says what is to be done, and changes nothing; so it does without an option too' },
  apply: { help: 'does it: creates and configures, never deletes, never shortens what is kept' },
  flush: {
    help: 'with it brokers write each record of the journal and of commands to disk before they acknowledge it: slower, see docs/guide/4-when-things-fail.md',
  },
  ...STRIMZI_OPTIONS,
  json: { help: 'prints one JSON object' },
};
export const variables = {
  KAFKA_BROKERS: {
    help: 'host:port, comma-separated; with KAFKA_SSL, KAFKA_SSL_*, KAFKA_SASL_* and KAFKA_TOPIC_PREFIX as for a service',
    check: brokers,
  },
};
export const exitCodes = {
  0: 'the topics are as TOPICS=check wants them',
  1: 'something is to be done, or is left to people, or Kafka cannot be asked',
  [EXIT_CONFIG]: 'a setting of Kafka is wrong; a line for each says which',
};

export const fault = ({ options: { plan, apply, strimzi } }) =>
  [plan, apply, strimzi].filter(Boolean).length > 1 ? 'give one of --plan, --apply and --strimzi' : undefined;

export async function run({ options: { apply, strimzi, cluster, flush = false, json } }) {
  const { TOPICS } = await built('libs/contracts/dist/index.js');
  const definitions = Object.values(TOPICS);
  const { applyTopicPlan, createKafkaClient, newTopics, planTopics } = await built('libs/kafka/dist/index.js');
  if (strimzi) {
    const topics = newTopics({ prefix: process.env.KAFKA_TOPIC_PREFIX ?? '', definitions, flush });
    const resources = strimziTopics(topics, cluster);
    console.log(json ? JSON.stringify(resources) : await printed(resources));
    return 0;
  }
  const { silentLog } = await built('libs/runtime/dist/index.js');
  const { faults, kafka, prefix } = await kafkaSettings();
  for (const { name, message } of faults) console.error(`${name}: ${message}`);
  if (faults.length > 0) return EXIT_CONFIG;
  const client = createKafkaClient({ ...kafka, clientId: 'topics' }, silentLog);
  const plan = await askedAt(kafka.brokers, () => planTopics(client, { prefix, definitions, flush }));
  if (apply) await askedAt(kafka.brokers, () => applyTopicPlan(client, plan));
  if (json) console.log(JSON.stringify({ applied: apply, ...plan }));
  else console.log(linesOf(plan, apply).join('\n'));
  const left = apply ? plan.byHand.length : plan.create.length + plan.configure.length + plan.byHand.length;
  return left === 0 ? 0 : 1;
}

/** Reads the Kafka settings as a service does. Any service's will do: all use the same topics. */
async function kafkaSettings() {
  const { ConfigError, loadConfig } = await built('libs/service-kit/dist/index.js');
  const ofKafka = Object.entries(process.env).filter(([name]) => name.startsWith('KAFKA_'));
  try {
    const config = loadConfig(await configOf('checkout-demo'), Object.fromEntries(ofKafka));
    return { faults: [], kafka: config.kafka, prefix: config.kafkaTopicPrefix };
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults };
    throw error;
  }
}

/** Turns Kafka's refusals and connection errors into a message for the user; any other error is a bug. */
async function askedAt(addresses, ask) {
  try {
    return await ask();
  } catch (error) {
    if (!/^KafkaJS/.test(error?.name)) throw error;
    throw new Expected(`Kafka at ${addresses.join(', ')}: ${error.message}`);
  }
}

function linesOf({ create, configure, byHand }, isApplied) {
  const settings = (config) => Object.entries(config).map(([name, value]) => `${name}=${value}`).join(', '); // prettier-ignore
  const [creates, configures] = isApplied ? ['created', 'configured'] : ['create', 'configure'];
  const lines = [
    ...create.map(
      ({ topic, partitions, config }) => `${creates}  ${topic}: ${partitions} partitions, ${settings(config)}`,
    ),
    ...configure.map(({ topic, config }) => `${configures}  ${topic}: ${settings(config)}`),
    ...byHand.map(({ topic, message }) => `by hand  ${topic}: ${message}`),
  ];
  return lines.length === 0 ? ['the topics are as they must be'] : lines;
}

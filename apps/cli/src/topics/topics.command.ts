import type { Command } from 'commander';
import { TOPICS } from '@tranche/contracts';
import { applyTopicPlan, createKafkaClient, newTopics, planTopics, type TopicPlan } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { loadConfig } from '@tranche/service-kit';
import { BrokersConfig } from '../cli.config.js';
import { CannotTellError, EXIT } from '../exit.js';
import { kafkaAnswers } from '../outside.js';
import { assertOneOf, printed, strimziOptions, strimziTopics, type StrimziOptions } from '../strimzi.js';

const definitions = Object.values(TOPICS);

interface Options extends StrimziOptions {
  plan?: boolean;
  apply?: boolean;
  flush?: boolean;
}

/** `tranche topics`: the topics as `TOPICS=check` wants them. */
export function addTopicsCommand(program: Command, exit: (code: number) => void): void {
  const topics = program
    .command('topics')
    .description('compares the topics on a broker with those that Tranche needs, and makes them so; exit code 0 they are as TOPICS=check wants them, 6 something is to be done, or is left to people')
    .option('--plan', 'says what is to be done, and changes nothing; so it does without an option too')
    .option('--apply', 'does it: creates and configures, never deletes, never shortens what is kept')
    .option('--flush', 'with it brokers write each record of the journal and of commands to disk before they acknowledge it: slower, see docs/guide/4-when-things-fail.md'); // prettier-ignore
  strimziOptions(topics).action(async (options: Options) => exit(await planApplyOrPrint(options)));
}

async function planApplyOrPrint({ plan, apply, strimzi, ...options }: Options): Promise<number> {
  assertOneOf({ plan, apply, strimzi });
  const { KAFKA_TOPIC_PREFIX } = process.env;
  // Other settings of Kafka may name files that this machine does not have.
  const config = loadConfig(BrokersConfig, strimzi === true ? { KAFKA_TOPIC_PREFIX } : process.env);
  return strimzi === true ? printResources(config, options) : planOrApply(config, { apply, ...options });
}

function printResources({ kafkaTopicPrefix: prefix }: BrokersConfig, { cluster, flush, json }: Options): number {
  const resources = strimziTopics(newTopics({ prefix, definitions, flush }), cluster);
  console.log(json === true ? JSON.stringify(resources) : printed(resources));
  return EXIT.done;
}

async function planOrApply(
  { kafka, kafkaTopicPrefix: prefix }: BrokersConfig,
  { apply = false, flush, json }: Options,
): Promise<number> {
  const client = createKafkaClient({ ...kafka, clientId: 'topics' }, silentLog);
  await kafkaAnswers(client);
  const plan = await askedAt(kafka.brokers, () => planTopics(client, { prefix, definitions, flush }));
  if (apply) await askedAt(kafka.brokers, () => applyTopicPlan(client, plan));
  console.log(json === true ? JSON.stringify({ applied: apply, ...plan }) : linesOf(plan, apply).join('\n'));
  const left = apply ? plan.byHand.length : plan.create.length + plan.configure.length + plan.byHand.length;
  return left === 0 ? EXIT.done : EXIT.partly;
}

/** Turns Kafka's refusals and connection errors into a message for the user; any other error is a bug. */
async function askedAt<T>(addresses: readonly string[], ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Error && error.name.startsWith('KafkaJS'))) throw error;
    throw new CannotTellError(`Kafka at ${addresses.join(', ')} (KAFKA_BROKERS): ${error.message}`);
  }
}

function linesOf({ create, configure, byHand, notes }: TopicPlan, isApplied: boolean): string[] {
  const settings = (config: Record<string, string>) => Object.entries(config).map(([name, value]) => `${name}=${value}`).join(', '); // prettier-ignore
  const [creates, configures] = isApplied ? ['created', 'configured'] : ['create', 'configure'];
  const lines = [
    ...create.map(
      ({ topic, partitions, config }) => `${creates}  ${topic}: ${partitions} partitions, ${settings(config)}`,
    ),
    ...configure.map(({ topic, config }) => `${configures}  ${topic}: ${settings(config)}`),
    ...byHand.map(({ topic, message }) => `by hand  ${topic}: ${message}`),
  ];
  const found = lines.length === 0 ? ['the topics are as they must be'] : lines;
  return [...found, ...notes.map(({ topic, message }) => `note     ${topic}: ${message}`)];
}

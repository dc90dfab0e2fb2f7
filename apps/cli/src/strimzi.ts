/** Makes the custom resources of Strimzi, with which its operators make topics and users: KafkaTopic and KafkaUser of `kafka.strimzi.io/v1`. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { NewTopic } from '@tranche/kafka';
import { RefusedError, UsageError } from './exit.js';

const API = 'kafka.strimzi.io/v1';
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Options of `topics` and `acls`. */
export interface StrimziOptions {
  strimzi?: boolean;
  cluster: string;
  json?: boolean;
}

export const strimziOptions = (command: Command): Command =>
  command
    .option('--strimzi', 'prints resources for the operators of Strimzi 0.49 or later, and asks no broker')
    .option('--cluster <name>', 'with --strimzi: name of the Kafka resource', 'kafka')
    .option('--json', 'prints one JSON object');

/** @throws UsageError where more than one of the options is given */
export function assertOneOf(options: Readonly<Record<string, boolean | undefined>>): void {
  const names = Object.keys(options).map((name) => `--${name}`);
  if (Object.values(options).filter(Boolean).length > 1)
    throw new UsageError(`give one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);
}

export const strimziResource = (kind: string, name: string, cluster: string, spec: object) => ({
  apiVersion: API,
  kind,
  metadata: { name: checked(name), labels: { 'strimzi.io/cluster': cluster } },
  spec,
});

/** Kubernetes allows fewer characters in a name than Kafka does. */
export const strimziTopics = (topics: readonly NewTopic[], cluster: string): object[] =>
  topics.map(({ topic, partitions, replicas, config }) =>
    strimziResource('KafkaTopic', topic.toLowerCase().replaceAll('_', '-'), cluster, { topicName: topic, partitions, replicas, config }),
  ); // prettier-ignore

function checked(name: string): string {
  if (NAME.test(name)) return name;
  throw new RefusedError(`${name} can't be the name of a resource: lower-case letters, digits, dots and hyphens only`);
}

export const printed = (resources: readonly object[]): string =>
  resources
    .map((one) => stringify(one, { lineWidth: 0 }))
    .join('---\n')
    .trimEnd();

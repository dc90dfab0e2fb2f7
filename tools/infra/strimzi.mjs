/** Makes the custom resources of Strimzi, with which its operators make topics and users: KafkaTopic and KafkaUser of `kafka.strimzi.io/v1`. */
import { Expected } from './processes.mjs';

const API = 'kafka.strimzi.io/v1';
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
/** Options of both commands. */
export const STRIMZI_OPTIONS = {
  strimzi: { help: 'prints resources for the operators of Strimzi 0.49 or later, and asks no broker' },
  cluster: { value: 'NAME', help: 'with --strimzi: name of the Kafka resource', default: 'kafka' },
};

const resource = (kind, name, cluster, spec) => ({
  apiVersion: API,
  kind,
  metadata: { name: checked(name), labels: { 'strimzi.io/cluster': cluster } },
  spec,
});

/** `topics` are those of `newTopics` (libs/kafka). Kubernetes allows fewer characters in a name than Kafka does. */
export const strimziTopics = (topics, cluster) =>
  topics.map(
    ({ topic, partitions, replicas, config }) =>
    resource('KafkaTopic', topic.toLowerCase().replaceAll('_', '-'), cluster, { topicName: topic, partitions, replicas, config }), // prettier-ignore
  );

/** `acls` are those of `kafkaAcls`. Strimzi makes a Secret with the user's name and a password (`password`) or certificate. */
export function strimziUsers(acls, { cluster, authentication }) {
  const users = [...new Set(acls.map(({ principal }) => principal))];
  return users.map((user) =>
    resource('KafkaUser', user, cluster, {
      authentication: { type: authentication },
      authorization: { type: 'simple', acls: acls.filter(({ principal }) => principal === user).map(ruleOf) },
    }),
  );
}

const ruleOf = ({ resource: type, name, pattern, operations }) => ({
  resource: { type, name, patternType: pattern === 'prefixed' ? 'prefix' : 'literal' },
  operations,
});

function checked(name) {
  if (NAME.test(name)) return name;
  throw new Expected(`${name} can't be the name of a resource: lower-case letters, digits, dots and hyphens only`);
}

export async function printed(resources) {
  const { stringify } = await import('yaml');
  return resources
    .map((one) => stringify(one, { lineWidth: 0 }))
    .join('---\n')
    .trimEnd();
}

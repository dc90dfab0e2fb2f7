import { kafkaAccess, kafkaAcls, kafkaLine, redisAccess, redisLine } from '../infra/access-table.mjs';
import { built } from '../infra/built.mjs';
import { Expected } from '../infra/processes.mjs';
import { printed, STRIMZI_OPTIONS, strimziUsers } from '../infra/strimzi.mjs';
import { oneOf } from './values.mjs';

export const description =
  'prints what each service and publisher may do at Kafka or Redis, as a script or as Strimzi’s users';
export const options = {
  kafka: {
    help: 'lines for kafka-acls.sh, with $KAFKA_BROKERS and $ADMIN_PROPERTIES; so it does without an option too',
  },
  redis: {
    help: 'lines for redis-cli, with $REDIS_ADMIN_URL and a password for each user, as $PAYMENT_GATEWAY_PASSWORD',
  },
  ...STRIMZI_OPTIONS,
  authentication: {
    value: 'TYPE',
    help: 'with --strimzi: how users prove who they are, scram-sha-512 or tls',
    default: 'scram-sha-512',
    check: oneOf(['scram-sha-512', 'tls']),
  },
  publisher: { value: 'NAME', help: 'user of the service that publishes commands', default: 'checkout-demo' },
  rails: { value: 'LIST', help: 'the rails that it may command, comma-separated (default: all)' },
  json: { help: 'prints one JSON object' },
};
export const variables = { KAFKA_TOPIC_PREFIX: { help: 'in front of all names of topics and groups' } };
export const fault = ({ options: { kafka, redis, strimzi } }) =>
  [kafka, redis, strimzi].filter(Boolean).length > 1 ? 'give one of --kafka, --redis and --strimzi' : undefined;

export async function run({ options: { redis, strimzi, cluster, authentication, publisher, rails, json } }) {
  const contracts = await built('libs/contracts/dist/index.js');
  const prefix = process.env.KAFKA_TOPIC_PREFIX ?? '';
  const known = Object.keys(contracts.COMMAND_TOPICS);
  const wanted = rails === undefined ? known : rails.split(',');
  const unknown = wanted.find((rail) => !known.includes(rail));
  if (unknown !== undefined) throw new Expected(`there is no rail ${unknown}: it is one of ${known.join(', ')}`);
  const rows = redis ? redisAccess(prefix) : kafkaAcls(kafkaAccess(contracts, { prefix, publisher, rails: wanted }));
  const users = strimzi ? strimziUsers(rows, { cluster, authentication }) : undefined;
  if (json) console.log(JSON.stringify(users ?? rows));
  else console.log(users ? await printed(users) : rows.map(redis ? redisLine : kafkaLine).join('\n'));
}

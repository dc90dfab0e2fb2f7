/**
 * Sends single requests that a broker may refuse. kafkajs' clients first ask for metadata, are refused there, and never send the request
 * itself.
 */
import kafkajs from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';
import connectionPoolBuilder from 'kafkajs/src/cluster/connectionPoolBuilder.js';
import socketFactory from 'kafkajs/src/network/socketFactory.js';

const TOPIC = 2;
const BROKER = 4;

/** Connects as `sasl` says; the caller must disconnect. */
export async function connectedBroker({ address, sasl }) {
  const settings = {
    brokers: [address],
    clientId: sasl.username,
    sasl,
    requestTimeout: 20_000,
    connectionTimeout: 10_000,
  };
  const logger = new kafkajs.Kafka({ ...settings, logLevel: kafkajs.logLevel.NOTHING }).logger();
  const pools = connectionPoolBuilder({ ...settings, socketFactory: socketFactory(), retry: { retries: 0 }, logger });
  const connectionPool = await pools.build();
  const broker = new Broker({ connectionPool, logger, allowAutoTopicCreation: false });
  await broker.connect();
  return broker;
}

/** Each attempt has a request and the error with which a broker refuses it. */
export const ATTEMPTS = {
  write: {
    refusal: 'TOPIC_AUTHORIZATION_FAILED',
    request: (broker, topic) =>
      broker.produce({
        topicData: [
          { topic, partitions: [{ partition: 0, messages: [{ key: 'x', value: 'x', timestamp: Date.now() }] }] },
        ],
      }),
  },
  read: {
    refusal: 'TOPIC_AUTHORIZATION_FAILED',
    request: (broker, topic) =>
      broker.fetch({
        maxWaitTime: 1,
        topics: [{ topic, partitions: [{ partition: 0, fetchOffset: '0', maxBytes: 1 }] }],
      }),
  },
  delete: {
    refusal: 'TOPIC_AUTHORIZATION_FAILED',
    request: (broker, topic) => broker.deleteTopics({ topics: [topic] }),
  },
  empty: {
    refusal: 'TOPIC_AUTHORIZATION_FAILED',
    request: (broker, topic) =>
      broker.deleteRecords({ topics: [{ topic, partitions: [{ partition: 0, offset: '-1' }] }] }),
  },
  configure: {
    refusal: 'TOPIC_AUTHORIZATION_FAILED',
    request: (broker, name) => {
      const configEntries = [{ name: 'retention.ms', value: '1' }];
      return broker.alterConfigs({ validateOnly: true, resources: [{ type: TOPIC, name, configEntries }] });
    },
  },
  extend: {
    refusal: 'TOPIC_AUTHORIZATION_FAILED',
    request: (broker, topic) =>
      broker.createPartitions({ validateOnly: true, topicPartitions: [{ topic, count: 24 }] }),
  },
  create: {
    refusal: 'TOPIC_AUTHORIZATION_FAILED',
    request: (broker, topic) =>
      broker.createTopics({ validateOnly: true, topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] }),
  },
  join: {
    refusal: 'GROUP_AUTHORIZATION_FAILED',
    request: (broker, groupId) => {
      const groupProtocols = [{ name: 'x', metadata: Buffer.alloc(0) }];
      return broker.joinGroup({ groupId, sessionTimeout: 6_000, rebalanceTimeout: 6_000, groupProtocols });
    },
  },
  commit: {
    refusal: 'GROUP_AUTHORIZATION_FAILED',
    request: (broker, groupId, { aTopic }) => {
      const topics = [{ topic: aTopic, partitions: [{ partition: 0, offset: '0' }] }];
      return broker.offsetCommit({ groupId, groupGenerationId: -1, memberId: '', retentionTime: -1, topics });
    },
  },
  'delete group': {
    refusal: 'GROUP_AUTHORIZATION_FAILED',
    request: (broker, groupId) => broker.deleteGroups([groupId]),
  },
  transaction: {
    refusal: 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
    request: (broker, transactionalId) => broker.initProducerId({ transactionalId, transactionTimeout: 10_000 }),
  },
  'configure broker': {
    refusal: 'CLUSTER_AUTHORIZATION_FAILED',
    request: (broker, name) =>
      broker.alterConfigs({
        validateOnly: true,
        resources: [{ type: BROKER, name, configEntries: [{ name: 'log.cleaner.threads', value: '2' }] }],
      }),
  },
  grant: {
    refusal: 'CLUSTER_AUTHORIZATION_FAILED',
    request: (broker, principal) => {
      const { ResourcePatternTypes, AclResourceTypes, AclOperationTypes, AclPermissionTypes } = kafkajs;
      const what = {
        resourceType: AclResourceTypes.TOPIC,
        resourceName: '*',
        resourcePatternType: ResourcePatternTypes.LITERAL,
      };
      const how = { host: '*', operation: AclOperationTypes.ALL, permissionType: AclPermissionTypes.ALLOW };
      return broker.createAcls({ acl: [{ ...what, principal: `User:${principal}`, ...how }] });
    },
  },
};

export async function otherThanRefusal(broker, [attempt, name], context) {
  const { refusal, request } = ATTEMPTS[attempt];
  const answer = await request(broker, name, context).then(
    (response) => textOfErrors(response) || 'done',
    (error) => textOfErrors(error) || String(error),
  );
  return answer.includes(refusal) ? undefined : `${attempt} ${name}: ${answer}`;
}

/** kafkajs keeps the broker's answer in several places. */
function textOfErrors(answer) {
  const parts = [
    answer,
    answer?.cause,
    ...(answer?.errors ?? []),
    ...(answer?.partitions ?? []).map(({ error }) => error),
    ...(answer?.results ?? []).map(({ error }) => error),
  ];
  return parts.flatMap((one) => (one?.type ? [`${one.type} ${one.message}`] : [])).join(' ');
}

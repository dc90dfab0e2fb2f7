/** Starts a broker that refuses everything without an ACL (StandardAuthorizer, SASL PLAIN), for tests of `tranche acls`. */
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { TOPICS } from '@tranche/contracts';
import { ensureTopics, createKafkaClient } from '@tranche/kafka';
import { pauseFor, silentLog } from '@tranche/runtime';
import { brokerSettings, kafkaCommand, startBroker } from '../kafka.mjs';
import { freePorts, portOpens } from '../ports.mjs';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

export const passwordOf = (user) => `password-of-${user}`;

/** Creates all topics under `prefix` and the ACLs of `rows` from `kafkaAcls`; resolves to the broker's address. */
export async function startAclBroker({ held, users, prefix, rows }) {
  const java = await kafkaCommand({ held, log: () => undefined });
  const [port, controllerPort] = await freePorts(2);
  const folder = held.folder('tranche-acls-');
  const passwords = ['admin', ...users].map((user) => `user_${user}="${passwordOf(user)}"`).join(' ');
  const settings = {
    ...brokerSettings({ port, controllerPort, folder: join(folder, 'log') }),
    listeners: `CLIENT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'CLIENT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'CLIENT',
    'sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'listener.name.client.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="${passwordOf('admin')}" ${passwords};`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:admin;User:ANONYMOUS',
    'allow.everyone.if.no.acl.found': 'false',
  };
  await startBroker({ held, java, folder, settings });
  await portOpens(port, { what: 'Kafka', timeoutMs: 60_000 });
  const brokers = `127.0.0.1:${port}`;
  const sasl = { mechanism: 'plain', username: 'admin', password: passwordOf('admin') };
  const client = createKafkaClient({ brokers: [brokers], clientId: 'admin', sasl }, silentLog);
  const definitions = Object.values(TOPICS);
  await ensureTopics(client, { prefix, definitions, replicationFactor: 1, minInSyncReplicas: 1, log: silentLog });
  const admin = new kafkajs.Kafka({ brokers: [brokers], clientId: 'admin', sasl, logLevel: kafkajs.logLevel.NOTHING }).admin(); // prettier-ignore
  await admin.connect();
  const acl = await grant(admin, rows);
  await untilInForce(admin, new Set(acl.map((entry) => JSON.stringify(entry))).size);
  await admin.disconnect();
  return brokers;
}

/** Resolves to the ACLs of `rows`, which the broker applies soon. */
export async function grant(admin, rows) {
  const acl = rows.flatMap(entriesOf);
  await admin.createAcls({ acl });
  return acl;
}

/** The controller stores ACLs at once, but the broker applies them only when it has read its log: seconds on a busy machine. */
async function untilInForce(admin, count) {
  const any = { resourceType: AclResourceTypes.ANY, resourcePatternType: ResourcePatternTypes.ANY, operation: AclOperationTypes.ANY, permissionType: AclPermissionTypes.ANY }; // prettier-ignore
  for (let attempt = 1; attempt <= 600; attempt++) {
    const { resources } = await admin.describeAcls(any);
    if (resources.flatMap(({ acls }) => acls).length >= count) return;
    await pauseFor(100);
  }
  throw new Error(`the broker does not go by the ${count} rules that it was given`);
}

function entriesOf({ principal, resource, name, pattern, operations }) {
  return operations.map((operation) => ({
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: pattern === 'literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
    principal: `User:${principal}`,
    host: '*',
    operation: { Describe: AclOperationTypes.DESCRIBE, Read: AclOperationTypes.READ, Write: AclOperationTypes.WRITE, DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS }[operation], // prettier-ignore
    permissionType: AclPermissionTypes.ALLOW,
  }));
}

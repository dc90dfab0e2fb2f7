/** Makes the access table of Kafka and Redis from the topics (libs/contracts), for scripts and for the test that tries it. */

/** The topics' table lists services only, but people's tools read the quarantine as this service's user. */
const FURTHER_READERS = { 'payments.notifications.quarantine.v1': ['notification-ingest'] };
/** The gateway publishes commands that lie on another partition than their order's to the order's own. */
const FORWARDER = 'payment-gateway';
/** These consume in groups; the others only write. */
const GROUPED = ['payment-gateway', 'notification-ingest'];
/** People's user for `tranche commands find` and `refused`: it reads, and sees how far the gateways' group is. */
const READER = 'tranche-cli';
const SERVICES = ['payment-gateway', 'notification-ingest', 'auth-service', 'cse-token-service'];

/**
 * Returns `{ principal, write, read, groups, described }`: names of topics and of groups; the name of one in `groups` may continue after a dot. `rails` are those
 * that a publisher may send commands on.
 */
export function kafkaAccess({ TOPICS, COMMAND_TOPICS }, { prefix, publisher, rails }) {
  const all = Object.values(TOPICS);
  const commandTopics = Object.values(COMMAND_TOPICS);
  const mayWrite = (principal, topic) =>
    topic.writtenBy === principal || (principal === FORWARDER && commandTopics.includes(topic));
  // Readers of a log from an offset have groups without the prefix.
  const groupsOf = (name) => [...new Set([prefix + name, name])];
  const named = (topics) => topics.map(({ name }) => prefix + name);
  const services = SERVICES.map((principal) => ({
    principal,
    write: named(all.filter((topic) => mayWrite(principal, topic))),
    read: named(all.filter(({ name, readBy }) => readBy === principal || FURTHER_READERS[name]?.includes(principal))),
    groups: GROUPED.includes(principal) ? groupsOf(principal) : [],
  }));
  const commands = rails.map((rail) => COMMAND_TOPICS[rail]);
  const ofPublisher = { write: named(commands), read: named([TOPICS.events]), groups: groupsOf(publisher) };
  const ofReader = {
    ...{ write: [], read: named([...commandTopics, TOPICS.events, TOPICS.commandsDeadLetter]) },
    ...{ groups: [READER], described: [prefix + FORWARDER] },
  };
  return [...services, { principal: READER, ...ofReader }, { principal: publisher, ...ofPublisher }];
}

/** Returns `{ principal, resource, name, pattern, operations }`; Read and Write imply Describe. */
export function kafkaAcls(access) {
  return access.flatMap(({ principal, write, read, groups, described = [] }) => [
    ...[...new Set([...write, ...read])].map((name) => ({
      principal,
      resource: 'topic',
      name,
      pattern: 'literal',
      operations: [
        ...(write.includes(name) ? ['Write'] : []),
        ...(read.includes(name) ? ['Read'] : []),
        'DescribeConfigs',
      ],
    })),
    // The dot prevents that `pay` also matches `payment-gateway`.
    ...groups.flatMap((name) => [
      { principal, resource: 'group', name, pattern: 'literal', operations: ['Read'] },
      { principal, resource: 'group', name: `${name}.`, pattern: 'prefixed', operations: ['Read'] },
    ]),
    ...described.map((name) => ({ principal, resource: 'group', name, pattern: 'literal', operations: ['Describe'] })),
  ]);
}

export function kafkaLine({ principal, resource, name, pattern, operations }) {
  const allowed = operations.map((operation) => `--operation ${operation}`).join(' ');
  const how = pattern === 'prefixed' ? ' --resource-pattern-type prefixed' : '';
  return `kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" --command-config "$ADMIN_PROPERTIES" --add --allow-principal User:${principal} ${allowed} --${resource} ${name}${how}`;
}

/**
 * Services need these commands for their own keys. @dangerous has KEYS, FLUSHALL, CONFIG and the like, and SCAN shows the names of all
 * keys. CLUSTER SLOTS and ROLE find the masters of a cluster and of sentinels.
 */
const COMMANDS = ['-@all', '+@read', '+@write', '+@connection', '+@transaction', '+eval', '+evalsha', '+script|load', '-@dangerous', '-scan', '-randomkey', '-swapdb', '-move', '+cluster|slots', '+role']; // prettier-ignore

/** Returns `{ user, rules }` for ACL SETUSER, without the password. `prefix` is KAFKA_TOPIC_PREFIX, with which the index's keys begin. */
export function redisAccess(prefix) {
  const user = (name, keys, more = []) => ({ user: name, rules: ['reset', 'on', `~${keys}*`, ...COMMANDS, ...more] });
  return [
    // The gateway checks Redis's eviction policy with INFO, and its clock with TIME.
    user('payment-gateway', `${prefix}gateway:`, ['+info', '+time']),
    user('notification-ingest', 'tranche:ingest:'),
    user('auth-service', 'tranche:auth:'),
    user('cse-token-service', 'tranche:cse:'),
    user('checkout-demo', 'tranche:checkout:'),
  ];
}

export function redisLine({ user, rules }) {
  const variable = `${user.replaceAll('-', '_').toUpperCase()}_PASSWORD`;
  return `redis-cli -u "$REDIS_ADMIN_URL" ACL SETUSER ${user} ${rules.map((rule) => `'${rule}'`).join(' ')} ">$${variable}"`;
}

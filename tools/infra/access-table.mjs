/** Who may do what at Kafka and Redis: one table, made of the topics' own (libs/contracts), for scripts and for the test that tries it. */

/** What the topics' table does not say: people's tools run under a service's user. */
const FURTHER_READERS = { 'payments.notifications.quarantine.v1': ['notification-ingest'] };
/** These consume in groups; others only write. */
const GROUPED = ['payment-gateway', 'notification-ingest'];
const SERVICES = ['payment-gateway', 'notification-ingest', 'auth-service', 'cse-token-service'];

/** `{ principal, write, read, groups }`: names of topics, and the names of its groups, which may go on after a dot. `rails`: those a publisher may command. */
export function kafkaAccess({ TOPICS, COMMAND_TOPICS }, { prefix, publisher, rails }) {
  const all = Object.values(TOPICS);
  // Those that read a log from an offset on have groups without the prefix.
  const groupsOf = (name) => [...new Set([prefix + name, name])];
  const named = (topics) => topics.map(({ name }) => prefix + name);
  const services = SERVICES.map((principal) => ({
    principal,
    write: named(all.filter(({ writtenBy }) => writtenBy === principal)),
    read: named(all.filter(({ name, readBy }) => readBy === principal || FURTHER_READERS[name]?.includes(principal))),
    groups: GROUPED.includes(principal) ? groupsOf(principal) : [],
  }));
  const commands = rails.map((rail) => COMMAND_TOPICS[rail]);
  const ofPublisher = { write: named(commands), read: named([TOPICS.events]), groups: groupsOf(publisher) };
  return [...services, { principal: publisher, ...ofPublisher }];
}

/** `{ principal, resource, name, pattern, operations }`: Describe comes with Read and with Write. */
export function kafkaAcls(access) {
  return access.flatMap(({ principal, write, read, groups }) => [
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
    // Not what only begins with the name: `pay` is not `payment-gateway`.
    ...groups.flatMap((name) => [
      { principal, resource: 'group', name, pattern: 'literal', operations: ['Read'] },
      { principal, resource: 'group', name: `${name}.`, pattern: 'prefixed', operations: ['Read'] },
    ]),
  ]);
}

export function kafkaLine({ principal, resource, name, pattern, operations }) {
  const allowed = operations.map((operation) => `--operation ${operation}`).join(' ');
  const how = pattern === 'prefixed' ? ' --resource-pattern-type prefixed' : '';
  return `kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" --command-config "$ADMIN_PROPERTIES" --add --allow-principal User:${principal} ${allowed} --${resource} ${name}${how}`;
}

/** What a service does with keys of its own; @dangerous are KEYS, FLUSHALL, CONFIG and the like, and SCAN tells the names of all keys. CLUSTER SLOTS and ROLE find the masters of a cluster, and that of sentinels. */
const COMMANDS = ['-@all', '+@read', '+@write', '+@connection', '+@transaction', '+eval', '+evalsha', '+script|load', '-@dangerous', '-scan', '-randomkey', '-swapdb', '-move', '+cluster|slots', '+role']; // prettier-ignore

/** `{ user, rules }` for ACL SETUSER; a password is to be added. `prefix`: KAFKA_TOPIC_PREFIX, which the index's keys begin with. */
export function redisAccess(prefix) {
  const user = (name, keys, more = []) => ({ user: name, rules: ['reset', 'on', `~${keys}*`, ...COMMANDS, ...more] });
  return [
    // INFO tells whether Redis evicts keys, TIME how far its clock is from ours.
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

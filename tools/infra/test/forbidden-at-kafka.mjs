/**
 * Lists what every user and each single user must not do at Kafka. It is written by hand, as a check of `tranche acls`. Names are without
 * the prefix.
 */

/** The publisher `payment` does not have these rails. */
const OTHER_COMMANDS = ['payments.commands.partner-b.v1', 'payments.commands.card.v1'];
const COMMANDS = ['payments.commands.partner-a.v1', ...OTHER_COMMANDS];
const EVERY_TOPIC = [
  ...COMMANDS,
  'payments.events.v1',
  'payments.notifications.v1',
  'payments.journal.v1',
  'payments.decisions.v1',
  'payments.commands.dead-letter.v1',
  'payments.notifications.quarantine.v1',
  'auth.events.v1',
  'operations.audit.v1',
  'cse.events.v1',
  'payments.jobs.v1',
];

export const FORBIDDEN_TO_ALL = {
  delete: EVERY_TOPIC,
  empty: EVERY_TOPIC,
  configure: EVERY_TOPIC,
  extend: EVERY_TOPIC,
  create: ['payments.commands.cash.v1', 'payments.journal.v2', 'anything'],
  transaction: ['payment-gateway', 'payment-gateway.notifications', 'anything'],
  'configure broker': ['1'],
  grant: ['payment-gateway', 'payment'],
};

/** Forbidden to each user in addition. `payment` publishes on rail partner-a, and its name is the beginning of another service's. */
export const FORBIDDEN_TO = {
  'payment-gateway': {
    write: ['payments.notifications.v1', 'payments.notifications.quarantine.v1', 'auth.events.v1', 'cse.events.v1', 'payments.jobs.v1'],
    read: ['payments.events.v1', 'payments.commands.dead-letter.v1', 'payments.notifications.quarantine.v1', 'operations.audit.v1', 'auth.events.v1', 'cse.events.v1', 'payments.jobs.v1'],
    groups: ['payment', 'payment.orders', 'payment-gateways', 'payment-gateway-next.log', 'notification-ingest', 'notification-ingest.quarantine', 'checkout-demo', 'auth-service', 'auth-service.reader', 'cse-token-service', 'payment-es', 'anything'],
  },
  'notification-ingest': {
    write: [...COMMANDS, 'payments.events.v1', 'payments.journal.v1', 'payments.decisions.v1', 'payments.commands.dead-letter.v1', 'operations.audit.v1', 'auth.events.v1', 'cse.events.v1', 'payments.jobs.v1'],
    read: [...COMMANDS, 'payments.events.v1', 'payments.notifications.v1', 'payments.journal.v1', 'payments.decisions.v1', 'payments.commands.dead-letter.v1', 'operations.audit.v1', 'auth.events.v1', 'cse.events.v1', 'payments.jobs.v1'],
    groups: ['notification-ingester', 'notification-ingest-next.quarantine', 'payment-gateway', 'payment-gateway.notifications', 'payment-gateway.log.1', 'payment', 'checkout-demo', 'anything'],
  },
  'auth-service': {
    write: [...COMMANDS, 'payments.events.v1', 'payments.notifications.v1', 'payments.journal.v1', 'payments.decisions.v1', 'payments.commands.dead-letter.v1', 'payments.notifications.quarantine.v1', 'operations.audit.v1', 'cse.events.v1', 'payments.jobs.v1'],
    read: EVERY_TOPIC,
    groups: ['auth-service', 'auth-service.reader', 'payment-gateway', 'payment-gateway.notifications', 'payment-gateway.log.1', 'notification-ingest.quarantine', 'payment', 'anything'],
  },
  'cse-token-service': {
    write: [...COMMANDS, 'payments.events.v1', 'payments.notifications.v1', 'payments.journal.v1', 'payments.decisions.v1', 'payments.commands.dead-letter.v1', 'payments.notifications.quarantine.v1', 'operations.audit.v1', 'auth.events.v1', 'payments.jobs.v1'],
    read: EVERY_TOPIC,
    groups: ['cse-token-service', 'cse-token-service.reader', 'payment-gateway', 'payment-gateway.notifications', 'payment-gateway.log.1', 'notification-ingest.quarantine', 'payment', 'anything'],
  },
  operations: {
    write: EVERY_TOPIC.filter((topic) => topic !== 'payments.jobs.v1'),
    read: [...COMMANDS, 'payments.notifications.v1', 'auth.events.v1', 'cse.events.v1'],
    groups: ['operations-next.log', 'payment-gateway', 'payment-gateway.notifications', 'payment-gateway.log.1', 'notification-ingest.quarantine', 'payment', 'anything'],
  },
  'tranche-cli': {
    write: EVERY_TOPIC,
    read: ['payments.notifications.v1', 'payments.journal.v1', 'payments.decisions.v1', 'payments.notifications.quarantine.v1', 'operations.audit.v1', 'auth.events.v1', 'cse.events.v1', 'payments.jobs.v1'],
    groups: ['payment-gateway', 'payment-gateway.notifications', 'payment-gateway.log.1', 'tranche-clients', 'notification-ingest.quarantine', 'checkout-demo', 'payment', 'anything'],
  },
  payment: {
    write: [...OTHER_COMMANDS, 'payments.events.v1', 'payments.notifications.v1', 'payments.journal.v1', 'payments.decisions.v1', 'payments.commands.dead-letter.v1', 'payments.notifications.quarantine.v1', 'operations.audit.v1', 'auth.events.v1', 'cse.events.v1', 'payments.jobs.v1'],
    read: [...COMMANDS, 'payments.notifications.v1', 'payments.journal.v1', 'payments.decisions.v1', 'payments.commands.dead-letter.v1', 'payments.notifications.quarantine.v1', 'operations.audit.v1', 'auth.events.v1', 'cse.events.v1', 'payments.jobs.v1'],
    groups: ['payments', 'payment-es', 'payment-gateway', 'payment-gateway.notifications', 'payment-gateway.log.1', 'notification-ingest.quarantine', 'checkout-demo', 'anything'],
  },
}; // prettier-ignore

/** Returns `[attempt, name]` of each. Groups are tried with and without the prefix, because readers of a log have groups without it. */
export function forbiddenTo(user, prefix) {
  const { write, read, groups } = FORBIDDEN_TO[user];
  const ofGroups = groups.flatMap((group) => [group, ...(prefix ? [prefix + group] : [])]);
  const all = { write, read, ...FORBIDDEN_TO_ALL };
  const isOfTopic = (attempt) => attempt !== 'grant' && attempt !== 'configure broker';
  return [
    ...Object.entries(all).flatMap(([attempt, names]) =>
      names.map((name) => [attempt, isOfTopic(attempt) ? prefix + name : name]),
    ),
    ...['join', 'commit', 'delete group'].flatMap((attempt) => ofGroups.map((group) => [attempt, group])),
  ];
}

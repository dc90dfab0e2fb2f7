import { RAILS } from './methods.js';
import { COMMAND_TOPICS, railOfTopic, topicName, TOPICS as TABLE, type TopicDefinition } from './topics.js';

const TOPICS: Record<keyof typeof TABLE, TopicDefinition> = TABLE;

const DAY = 86_400_000;
const MB = 1_048_576;

it.each([
  ['partner-a', 'payments.commands.partner-a.v1', 14, 1],
  ['partner-b', 'payments.commands.partner-b.v1', 14, 1],
  ['card', 'payments.commands.card.v1', 14, 1],
  ['events', 'payments.events.v1', 35, 16],
  ['notifications', 'payments.notifications.v1', 35, 16],
  ['journal', 'payments.journal.v1', 100, 16],
  ['operationsAudit', 'operations.audit.v1', 396, 1],
  ['commandsDeadLetter', 'payments.commands.dead-letter.v1', 35, 2],
  ['notificationsQuarantine', 'payments.notifications.quarantine.v1', 35, 16],
  ['jobs', 'payments.jobs.v1', 396, 1],
  ['authEvents', 'auth.events.v1', 7, 1],
  ['cseEvents', 'cse.events.v1', 35, 1],
] as const)('%s is %s, kept %d days, records up to %d MB [Ours.topics]', (name, topic, days, megabytes) => {
  expect(TOPICS[name]).toMatchObject({
    name: topic,
    cleanupPolicy: 'delete',
    retentionMs: days * DAY,
    maxMessageBytes: megabytes * MB,
  });
});

it('compacts what two people decide, and keeps it without a limit of time', () => {
  expect(TOPICS.decisions).toMatchObject({
    name: 'payments.decisions.v1',
    cleanupPolicy: 'compact',
    retentionMs: -1,
    maxMessageBytes: MB,
  });
  const compacted = Object.values(TOPICS).filter(({ cleanupPolicy }) => cleanupPolicy === 'compact');
  expect(compacted).toEqual([TOPICS.decisions, TOPICS.controls]);
});

it('has one partition of what people decide, and 12 of all else', () => {
  const { decisions, controls, operationsAudit, jobs, ...others } = TOPICS;
  expect([decisions, controls, operationsAudit, jobs].map(({ partitions }) => partitions)).toEqual([1, 1, 1, 1]);
  expect(new Set(Object.values(others).map(({ partitions }) => partitions))).toEqual(new Set([12]));
});

it('keeps personal data no longer than its retention, that in the journal too', () => {
  const bounded = Object.values(TOPICS).filter(({ maxRetentionMs }) => maxRetentionMs !== undefined);
  expect(bounded.map(({ name }) => name).sort()).toEqual([
    'payments.commands.card.v1',
    'payments.commands.dead-letter.v1',
    'payments.commands.partner-a.v1',
    'payments.commands.partner-b.v1',
    'payments.events.v1',
    'payments.journal.v1',
    'payments.notifications.quarantine.v1',
    'payments.notifications.v1',
  ]);
  for (const { maxRetentionMs, retentionMs } of bounded) expect(maxRetentionMs).toBe(retentionMs);
});

it('has the broker stamp commands, and nothing else', () => {
  const stamped = Object.values(TOPICS).filter(({ timestampType }) => timestampType === 'LogAppendTime');
  expect(stamped).toEqual(Object.values(COMMAND_TOPICS));
});

it('has fourteen topics of different names', () => {
  const names = Object.values(TOPICS).map(({ name }) => name);
  expect(new Set(names).size).toBe(14);
});

it('puts the prefix in front of a name', () => {
  expect(topicName('test1.', TOPICS.journal)).toBe('test1.payments.journal.v1');
});

it('knows the rail of a command topic, and of no other', () => {
  expect(RAILS.map((rail) => railOfTopic(COMMAND_TOPICS[rail].name))).toEqual(['partner-a', 'partner-b', 'card']);
  expect(Object.values(TOPICS)).toEqual(expect.arrayContaining(Object.values(COMMAND_TOPICS)));
  expect(railOfTopic('payments.events.v1')).toBeUndefined();
  expect(railOfTopic('__proto__')).toBeUndefined();
});

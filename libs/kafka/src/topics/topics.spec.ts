import { topicFaults, type ActualTopic } from './topics.js';

const wanted = { name: 'journal', partitions: 12, retentionMs: 1000, cleanupPolicy: 'delete', maxMessageBytes: 4000 };
const right: Record<string, string> = {
  'cleanup.policy': 'delete',
  'retention.ms': '1000',
  'max.message.bytes': '4000',
  'min.insync.replicas': '2',
  'unclean.leader.election.enable': 'false',
};
const actual = (config: Record<string, string> = {}, numbers: Partial<ActualTopic> = {}): ActualTopic => ({
  partitions: 12,
  replicationFactor: 3,
  brokers: [1, 2, 3],
  config: new Map(Object.entries({ ...right, ...config })),
  ...numbers,
});

describe('a topic held against the table', () => {
  it.each([
    ['as it must be', actual()],
    ['kept longer', actual({ 'retention.ms': '1001' })],
    ['kept without a limit of size', actual({ 'retention.bytes': '-1' })],
    ['kept for ever', actual({ 'retention.ms': '-1' })],
    ['taking larger records', actual({ 'max.message.bytes': '4001' })],
    ['with more partitions, which nobody can take away', actual({}, { partitions: 13 })],
    ['on more replicas', actual({}, { replicationFactor: 5 })],
  ])('%s has no fault', (_what, topic) => expect(topicFaults(wanted, topic, true)).toEqual([]));

  it.each([
    ['too few partitions', actual({}, { partitions: 11 }), 'has 11 partitions, must have at least 12', 'fault'],
    ['compaction', actual({ 'cleanup.policy': 'compact' }), 'cleanup.policy is compact, must be delete', 'fault'],
    [
      'unclean election',
      actual({ 'unclean.leader.election.enable': 'true' }),
      'unclean.leader.election.enable is true, must be false',
      'fault',
    ],
    ['short retention', actual({ 'retention.ms': '999' }), 'retention.ms is 999, must be at least 1000', 'warning'],
    [
      'a limit of size',
      actual({ 'retention.bytes': '1000' }),
      'retention.bytes is 1000, must be -1: a size limit deletes records before their time',
      'warning',
    ],
    [
      'small records',
      actual({ 'max.message.bytes': '3999' }),
      'max.message.bytes is 3999, must be at least 4000',
      'warning',
    ],
    ['two replicas', actual({}, { replicationFactor: 2 }), 'has 2 replicas, must have 3', 'warning'],
    ['one in sync', actual({ 'min.insync.replicas': '1' }), 'min.insync.replicas is 1, must be 2', 'warning'],
  ] as const)('%s is said, and is a fault in production', (_what, topic, message, inDevelopment) => {
    expect(topicFaults(wanted, topic, false)).toEqual([{ message, severity: inDevelopment }]);
    expect(topicFaults(wanted, topic, true)).toEqual([{ message, severity: 'fault' }]);
  });

  it.each([
    ['for ever', '-1'],
    ['one millisecond longer', '1001'],
  ])('personal data kept %s is said, and is a fault in production', (_what, retention) => {
    const personal = { ...wanted, maxRetentionMs: 1000 };
    const message = `retention.ms is ${retention}, must be at most 1000: it holds personal data`;
    const topic = actual({ 'retention.ms': retention });
    expect(topicFaults(personal, topic, false)).toEqual([{ message, severity: 'warning' }]);
    expect(topicFaults(personal, topic, true)).toEqual([{ message, severity: 'fault' }]);
    expect(topicFaults(personal, actual(), true)).toEqual([]);
  });

  it('the time of the writer, where the broker must give it, is said, and is a fault in production', () => {
    const stamped = { ...wanted, timestampType: 'LogAppendTime' as const };
    const message = 'message.timestamp.type is CreateTime, must be LogAppendTime: the writer could choose the time';
    expect(topicFaults(stamped, actual(), false)).toEqual([{ message, severity: 'warning' }]);
    expect(topicFaults(stamped, actual(), true)).toEqual([{ message, severity: 'fault' }]);
    expect(topicFaults(stamped, actual({ 'message.timestamp.type': 'LogAppendTime' }), true)).toEqual([]);
  });

  it.each([
    ['-1', 'retention.bytes is -1, must be 5000 or more: anybody can make the topic grow'],
    ['4999', 'retention.bytes is 4999, must be at least 5000'],
  ] as const)('with a limit of size in the table, %s is said, and is a fault in production', (bytes, message) => {
    const bounded = { ...wanted, retentionBytes: 5000 };
    const topic = actual({ 'retention.bytes': bytes });
    expect(topicFaults(bounded, topic, false)).toEqual([{ message, severity: 'warning' }]);
    expect(topicFaults(bounded, topic, true)).toEqual([{ message, severity: 'fault' }]);
    expect(topicFaults(bounded, actual({ 'retention.bytes': '5000' }), true)).toEqual([]);
  });
});

import { changesOf } from './plan-topics.js';

const wanted = {
  name: 'commands',
  partitions: 12,
  retentionMs: 1000,
  maxRetentionMs: 1000,
  retentionBytes: 5000,
  cleanupPolicy: 'delete',
  maxMessageBytes: 4000,
  timestampType: 'LogAppendTime' as const,
};
const right = {
  'cleanup.policy': 'delete',
  'retention.ms': '1000',
  'retention.bytes': '5000',
  'max.message.bytes': '4000',
  'message.timestamp.type': 'LogAppendTime',
  'min.insync.replicas': '2',
  'unclean.leader.election.enable': 'false',
};
const changes = (config: Record<string, string> = {}, numbers = {}) =>
  changesOf(wanted, {
    partitions: 12,
    replicationFactor: 3,
    brokers: [1, 2, 3],
    config: new Map(Object.entries({ ...right, ...config })),
    ...numbers,
  });

it('leaves alone what is as it must be', () => expect(changes()).toEqual({ config: {}, byHand: [] }));

it('leaves more partitions alone, which nobody can take away', () =>
  expect(changes({}, { partitions: 24 })).toEqual({ config: {}, byHand: [] }));

it.each([
  ['retention.ms', '999', '1000'],
  ['retention.bytes', '4999', '5000'],
  ['max.message.bytes', '3999', '4000'],
  ['message.timestamp.type', 'CreateTime', 'LogAppendTime'],
  ['min.insync.replicas', '1', '2'],
  ['unclean.leader.election.enable', 'true', 'false'],
])('%s of %s becomes %s', (name, from, to) =>
  expect(changes({ [name]: from })).toEqual({ config: { [name]: to }, byHand: [] }),
);

it.each<[string, Record<string, string>, object, string]>([
  ['retention that is too long', { 'retention.ms': '1001' }, {}, 'retention.ms is 1001, must be at most 1000'],
  ['retention for ever', { 'retention.ms': '-1' }, {}, 'retention.ms is -1, must be at most 1000'],
  ['a missing limit of size', { 'retention.bytes': '-1' }, {}, 'retention.bytes is -1, must be 5000 or more'],
  ['compaction', { 'cleanup.policy': 'compact' }, {}, 'cleanup.policy is compact, must be delete'],
  ['too few partitions', {}, { partitions: 6 }, 'has 6 partitions, must have at least 12'],
  ['one replica', { 'min.insync.replicas': '1' }, { replicationFactor: 1 }, 'has 1 replicas, must have 3'],
])('leaves %s to people', (_what, config, numbers, message) => {
  const found = changes(config, numbers);
  expect(found.config).toEqual({});
  expect(found.byHand).toEqual([expect.stringContaining(message)]);
});

describe('the strict mode', () => {
  const found = { partitions: 12, replicationFactor: 3, brokers: [1, 2, 3], config: new Map(Object.entries(right)) };
  const isFlushed = { ...found, config: new Map([...found.config, ['flush.messages', '1']]) };

  it('flushes each record of a topic that must survive a power loss, and of no other', () => {
    expect(changesOf({ ...wanted, survivesPowerLoss: true }, found, true).config).toEqual({ 'flush.messages': '1' });
    expect(changesOf(wanted, found, true).config).toEqual({});
  });

  it('leaves a topic that is flushed as it is, asked for or not', () => {
    for (const flush of [true, false])
      expect(changesOf({ ...wanted, survivesPowerLoss: true }, isFlushed, flush)).toEqual({ config: {}, byHand: [] });
  });
});

import metadata from 'kafkajs/src/protocol/requests/metadata/index.js';
import { repairKafkajs } from './repairs.js';

repairKafkajs();
const made = (topics: string[]) => metadata.protocol({ version: 12 })({ topics, allowAutoTopicCreation: false });

it('asks for topics by name in version 12, and for all of them without a list', async () => {
  const bytes = async (topics: string[]) =>
    Buffer.from(((await made(topics).request.encode()) as { buffer: Buffer }).buffer).toString('hex');
  expect(await bytes(['ab'])).toBe(`00${'02'}${'00'.repeat(16)}${'036162'}${'00'}${'00'}${'00'}${'00'}`);
  expect(await bytes([])).toBe('0000000000');
});

it('reads the id of each topic, and skips fields that a later broker may add', async () => {
  const text = (value: string) => Buffer.concat([Buffer.from([value.length + 1]), Buffer.from(value)]);
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const nodes = (...ids: number[]) => Buffer.concat([Buffer.from([ids.length + 1]), ...ids.map(int32)]);
  const NONE = Buffer.from([0]);
  const ADDED = Buffer.from([1, 5, 2, 0xaa, 0xbb]);
  const answer = Buffer.concat([
    ...[NONE, int32(7), Buffer.from([2]), int32(1), text('host'), int32(9092), NONE, NONE],
    ...[text('cluster'), int32(1), Buffer.from([2]), Buffer.alloc(2), text('t'), Buffer.alloc(16, 1), NONE],
    ...[Buffer.from([2]), Buffer.alloc(2), int32(0), int32(1), int32(3), nodes(1, 2), nodes(1), nodes(), ADDED],
    ...[int32(0), NONE, NONE],
  ]);
  const partition = {
    partitionErrorCode: 0,
    partitionId: 0,
    leader: 1,
    replicas: [1, 2],
    isr: [1],
    offlineReplicas: [],
  };
  const topicId = Buffer.alloc(16, 1).toString('base64url');
  expect(await made(['t']).response.decode(answer)).toEqual({
    ...{ throttleTime: 0, clientSideThrottleTime: 7, clusterId: 'cluster', controllerId: 1 },
    brokers: [{ nodeId: 1, host: 'host', port: 9092, rack: null }],
    topicMetadata: [
      { topicErrorCode: 0, topic: 't', isInternal: false, partitionMetadata: [{ ...partition, topicId }] },
    ],
  });
});

it.each([7, 8, 9, 10, 11])('asks a broker that knows only version %i as kafkajs does', (version) => {
  expect(metadata.protocol({ version })({ topics: ['t'] }).request.apiVersion).toBe(6);
});

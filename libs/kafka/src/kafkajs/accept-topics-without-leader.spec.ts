import metadata from 'kafkajs/src/protocol/requests/metadata/index.js';
import { repairKafkajs } from './repairs.js';

repairKafkajs();
const LEADER_NOT_AVAILABLE = 5;
const answer = {
  topicMetadata: [
    { topic: 'others', topicErrorCode: 0, partitionMetadata: [{ partitionErrorCode: LEADER_NOT_AVAILABLE }] },
  ],
};
const parse = (topics: string[], version: number) => metadata.protocol({ version })({ topics }).response.parse(answer);

it.each([0, 1, 2, 3, 4, 5, 6])(
  'takes an answer about all topics, and refuses one about a topic without leader (version %i of Metadata)',
  async (version) => {
    await expect(parse([], version)).resolves.toBe(answer);
    await expect(parse(['others'], version)).rejects.toThrow('no leader');
  },
);

import metadata, { type MetadataOptions } from 'kafkajs/src/protocol/requests/metadata/index.js';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import type { PartitionMetadata } from 'kafkajs';

/** The first version with topic ids that all its brokers write without further options (Kafka 3.1; KIP-516). */
const WITH_IDS = 12;
const LAST_OF_KAFKAJS = 6;
const ID_BYTES = 16;

/**
 * kafkajs 2.2.4 asks for metadata without the topics' ids, so a topic that was deleted and made again looks like the one of before. This adds
 * the version of the request that has them; a broker that is too old for it is asked as before (docs/decisions/0094).
 */
export function readTopicIds(): void {
  const { protocol } = metadata;
  metadata.versions.push(String(WITH_IDS));
  metadata.protocol = ({ version }) => {
    if (version < WITH_IDS) return protocol({ version: Math.min(version, LAST_OF_KAFKAJS) });
    return (options) => {
      const { request, response } = protocol({ version: LAST_OF_KAFKAJS })(options);
      const encode = () => Promise.resolve(encodeRequest(options));
      const decode = (bytes: Buffer) => Promise.resolve(decodeResponse(new Decoder(bytes)));
      return { request: { ...request, apiVersion: WITH_IDS, encode }, response: { ...response, decode } };
    };
  };
}

/** Id of the topic of these partitions, 22 characters; undefined where no broker told it. */
export function topicIdOf(partitions: readonly (PartitionMetadata & { topicId?: string })[]): string | undefined {
  return partitions[0]?.topicId;
}

function encodeRequest({ topics, allowAutoTopicCreation = true }: MetadataOptions): Encoder {
  const named = topics.map((topic) =>
    new Encoder().writeInt64(0).writeInt64(0).writeUVarIntString(topic).writeUVarInt(0),
  );
  // Between the fields stand the counts of tagged fields: of the header, each topic and the request. There are none.
  return new Encoder()
    .writeUVarInt(0)
    .writeUVarIntArray(named.length === 0 ? null : named)
    .writeBoolean(allowAutoTopicCreation)
    .writeBoolean(false)
    .writeUVarInt(0);
}

function decodeResponse(decoder: Decoder) {
  skipTags(decoder);
  return {
    throttleTime: 0,
    clientSideThrottleTime: decoder.readInt32(),
    brokers: decoder.readUVarIntArray(() =>
      tagged(decoder, {
        nodeId: decoder.readInt32(),
        host: decoder.readUVarIntString(),
        port: decoder.readInt32(),
        rack: decoder.readUVarIntString(),
      }),
    ),
    clusterId: decoder.readUVarIntString(),
    controllerId: decoder.readInt32(),
    topicMetadata: decoder.readUVarIntArray(topicOf),
  };
}

function topicOf(decoder: Decoder) {
  const topicErrorCode = decoder.readInt16();
  const topic = decoder.readUVarIntString();
  const topicId = decoder.readBytes(ID_BYTES).toString('base64url');
  const isInternal = decoder.readBoolean();
  const partitionMetadata = decoder.readUVarIntArray(() => {
    const partitionErrorCode = decoder.readInt16();
    const partitionId = decoder.readInt32();
    const leader = decoder.readInt32();
    decoder.readInt32(); // the leader's epoch
    const [replicas, isr, offlineReplicas] = [nodesOf(decoder), nodesOf(decoder), nodesOf(decoder)];
    return tagged(decoder, { partitionErrorCode, partitionId, leader, replicas, isr, offlineReplicas, topicId });
  });
  decoder.readInt32(); // allowed operations, which were not asked for
  return tagged(decoder, { topicErrorCode, topic, isInternal, partitionMetadata });
}

const nodesOf = (decoder: Decoder) => decoder.readUVarIntArray(() => decoder.readInt32());

function tagged<T>(decoder: Decoder, fields: T): T {
  skipTags(decoder);
  return fields;
}

function skipTags(decoder: Decoder): void {
  for (let count = decoder.readUVarInt(); count > 0; count--) {
    decoder.readUVarInt();
    const length = decoder.readUVarInt();
    decoder.offset += length;
  }
}

import { BROKER_RESOURCE, type Admin } from '../kafkajs/kafka-client.js';

export type Racks = ReadonlyMap<number, string | undefined>;

/** Undefined if this user may not read brokers' settings, where the racks are; kafkajs leaves them out of `describeCluster`. */
export async function racksOf(admin: Admin): Promise<Racks | undefined> {
  const { brokers } = await admin.describeCluster();
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: brokers.map(({ nodeId }) => ({
        type: BROKER_RESOURCE,
        name: String(nodeId),
        configNames: ['broker.rack'],
      })),
    });
    return new Map(
      resources.map(({ resourceName, configEntries }) => [
        Number(resourceName),
        configEntries.find(({ configName }) => configName === 'broker.rack')?.configValue || undefined,
      ]),
    );
  } catch (error) {
    if ((error as { type?: string }).type === 'CLUSTER_AUTHORIZATION_FAILED') return undefined;
    throw error;
  }
}

interface PowerLossFacts {
  brokers: readonly number[];
  racks: Racks | undefined;
  flushMessages: string | undefined;
}

/**
 * Describes the risk that one power loss takes a topic's newest records: Kafka acknowledges a record when its replicas have it in memory,
 * and the kernel writes it to disk later. Undefined if the brokers are in different racks, or flush each record.
 */
export function powerLossFault({ brokers, racks, flushMessages }: PowerLossFacts): string | undefined {
  if (flushMessages === '1') return undefined;
  const advice =
    'acknowledged records are lost where all of its brokers lose power at once. Set broker.rack and spread the replicas, or run `tranche topics --flush`';
  if (racks === undefined)
    return `the racks of its brokers cannot be read (DescribeConfigs of the cluster is not allowed): ${advice}`;
  const known = brokers.map((broker) => racks.get(broker));
  if (known.includes(undefined)) return `some of its brokers name no rack (broker.rack): ${advice}`;
  return new Set(known).size === 1 ? `its brokers are all in the rack ${known[0]}: ${advice}` : undefined;
}

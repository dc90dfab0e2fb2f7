import { type CommandLines, Infrastructure } from '../infrastructure.js';
import { BrokerCluster } from './broker-cluster.js';
import kafkajs, { type Admin } from 'kafkajs';
import { waitFor } from '@tranche/testing';

/** Three brokers and one Redis: two brokers must store a record before it is acknowledged. */
export class ClusterInfrastructure extends Infrastructure {
  readonly cluster: BrokerCluster;
  override readonly replication = { replicationFactor: 3, minInSyncReplicas: 2 };

  constructor(lines: CommandLines) {
    const { java, clusterId, cluster, brokers } = lines.kafka;
    if (java === undefined || clusterId === undefined || cluster === undefined)
      throw new Error('KAFKA_BROKERS names a Kafka that is not ours to kill');
    super({ ...lines, kafka: { brokers } });
    this.cluster = new BrokerCluster(lines.folder, { java, clusterId, cluster });
  }

  override async start(): Promise<void> {
    await Promise.all([this.cluster.start(), super.start()]);
    await allThere(this.brokers, this.cluster.size);
  }

  override get state(): string {
    return `${this.cluster.state}\n${super.state}`;
  }

  override async stop(): Promise<void> {
    await Promise.all([this.cluster.stop(), super.stop()]);
  }
}

/** On a busy machine a broker needs this long to start and catch up. */
const WITHIN_MS = 180_000;

/** Resolves when all brokers have joined, so that topics can have all their replicas. */
export function allThere(brokers: string, size: number): Promise<void> {
  return until(brokers, `${size} brokers to be there`, async (admin) => {
    const cluster = await admin.describeCluster();
    return cluster.brokers.length === size;
  });
}

export function allInSync(brokers: string): Promise<void> {
  return until(brokers, 'all replicas to be in sync', async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    // Metadata of all topics may include topics without a leader (decision 0041).
    return topics.every(
      ({ partitions }) =>
        partitions.length > 0 &&
        partitions.every(({ leader, isr, replicas }) => leader >= 0 && isr.length === replicas.length),
    );
  });
}

async function until(brokers: string, what: string, isSo: (admin: Admin) => Promise<boolean>): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const ask = async () => {
    const admin = kafka.admin({ retry: { retries: 0 } });
    try {
      await admin.connect();
      return await isSo(admin);
    } catch {
      return false;
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  };
  await waitFor(ask, { timeoutMs: WITHIN_MS, pollMs: 500, what });
}

import { Infrastructure, type CommandLines } from '../infrastructure.js';
import { allThere } from './cluster-health.js';
import { BrokerCluster } from './broker-cluster.js';

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

import kafkajs, { type Assigner, type Cluster, type PartitionAssigner } from 'kafkajs';
import { numberPlan, stickyPlan, type Member, type Partitions } from '../core/sticky-plan.js';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

interface DrainingAssignerOptions {
  isDrained: () => boolean;
  /** Returns what the member tells the leader, who plans by it. */
  standing: () => Pick<Member, 'owned' | 'canWork'>;
  /** A member gets the same partitions of every topic, by their numbers modulo `count`. Of `topic` (with prefix) nobody gets the ones beyond. */
  byNumber?: { topic: string; count: number };
  onCluster?: (cluster: Cluster) => void;
}

/**
 * kafkajs has no hook before partitions are given back. But just before each join it asks its assigner for the protocol, and retries after
 * a pause if that throws an error of type REBALANCE_IN_PROGRESS. So the join waits until `isDrained`. The plan is sticky: each member sends
 * its partitions to the leader, and whether it can work.
 */
export function drainingAssigner(options: DrainingAssignerOptions): PartitionAssigner {
  return ({ cluster }) => (options.onCluster?.(cluster), assignerOf(cluster, options));
}

function assignerOf(cluster: Cluster, { isDrained, standing, byNumber }: DrainingAssignerOptions): Assigner {
  return {
    name: byNumber ? 'tranche-numbers' : 'tranche-sticky',
    version: 1,
    protocol({ topics }) {
      if (!isDrained()) throw rebalanceInProgress();
      const { owned, canWork } = standing();
      // A leader of an earlier release reads lists only, and ignores the flag.
      const userData = Buffer.from(JSON.stringify(canWork === false ? { ...owned, canWork } : owned));
      return { name: this.name, metadata: MemberMetadata.encode({ version: this.version, topics, userData }) };
    },
    assign({ members, topics }) {
      const known = members.map(({ memberId, memberMetadata }) => ({ memberId, ...standingOf(memberMetadata) }));
      const partitions = topics.map((topic) => [
        topic,
        cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => partitionId)
          .filter((partition) => topic !== byNumber?.topic || partition < byNumber.count),
      ]);
      const all = Object.fromEntries(partitions) as Partitions;
      const plan = byNumber ? numberPlan(known, all, byNumber.count) : stickyPlan(known, all);
      return Promise.resolve(
        [...plan].map(([memberId, assignment]) => ({
          memberId,
          memberAssignment: MemberAssignment.encode({ version: this.version, assignment, userData: Buffer.alloc(0) }),
        })),
      );
    },
  };
}

function rebalanceInProgress(): Error {
  return Object.assign(
    new kafkajs.KafkaJSError('what runs has to end before the group is joined again', { retriable: true }),
    {
      type: 'REBALANCE_IN_PROGRESS',
    },
  );
}

/** If it cannot be read, partitions may move between members. */
function standingOf(memberMetadata: Buffer): Omit<Member, 'memberId'> {
  try {
    const { userData } = MemberMetadata.decode(memberMetadata) ?? {};
    const sent: unknown = JSON.parse(userData?.toString('utf8') ?? '');
    if (typeof sent !== 'object' || sent === null) return { owned: {} };
    const owned = Object.entries(sent).filter((entry): entry is [string, number[]] => Array.isArray(entry[1]));
    return { owned: Object.fromEntries(owned), canWork: !('canWork' in sent && sent.canWork === false) };
  } catch {
    return { owned: {} };
  }
}

import { askAdmin, type KafkaClient } from '../kafkajs/kafka-client.js';
import { mustExist } from './topics.js';

export interface GroupMember {
  groupId: string;
  memberId: string;
  clientId: string;
  /** Address as the broker sees it, such as `/10.0.0.7`. */
  clientHost: string;
}

/**
 * Lists the members of these groups. A process that was killed stays a member until its session times out.
 * @param topic existing topic with prefix; kafkajs requests all topics of the cluster until it knows one
 */
export function groupMembers(client: KafkaClient, groupIds: readonly string[], topic: string): Promise<GroupMember[]> {
  return askAdmin(client, async (admin) => {
    await mustExist(admin, [topic], 'finding members of groups');
    await admin.fetchTopicOffsets(topic);
    const { groups } = await admin.describeGroups([...groupIds]);
    return groups.flatMap(({ groupId, members }) =>
      members.map(({ memberId, clientId, clientHost }) => ({ groupId, memberId, clientId, clientHost })),
    );
  });
}

import type { SharedWorld } from './shared-world.js';
import type { FetchSource } from './group-client.js';
import { consumed, type SimulatedTopic } from './topics.js';

export const JOURNAL = 'journal';

/** The journal's partitions are owned and never fetched. */
export function commandSource(world: SharedWorld): FetchSource {
  const commands = topicSource([...world.commands.values()]);
  return {
    ...commands,
    read: (partition, from, most) => (partition.topic === JOURNAL ? [] : commands.read(partition, from, most)),
    low: ({ topic, partition }) => (topic === JOURNAL ? world.journal.low(partition) : 0n),
  };
}

export function topicSource(topics: readonly SimulatedTopic<unknown>[]): FetchSource {
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  return {
    read: ({ topic, partition }, from, most) =>
      byName
        .get(topic)!
        .read(partition, from, most)
        .map((record) => consumed(record)),
    low: () => 0n,
    onLanded: (listener) => {
      const ends = topics.map((topic) => topic.onLanded((partition) => listener(topic.name, partition)));
      return () => ends.forEach((end) => end());
    },
  };
}

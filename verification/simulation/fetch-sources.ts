import type { ConsumedRecord } from '@tranche/kafka';
import type { SharedWorld } from './shared-world.js';
import type { FetchSource } from './group-client.js';
import type { Landed } from './journal.js';
import { consumed } from './topics.js';

export const JOURNAL = 'journal';

/** Keeps the bytes: after a loss, another record may have this offset by the time it is projected. */
export const asConsumed = ({ partition, offset, key, value }: Landed): ConsumedRecord => ({
  ...consumed({ topic: JOURNAL, partition, offset, key }),
  value,
});

export function journalSource({ journal }: SharedWorld): FetchSource {
  return {
    read: ({ partition }, from, most) => journal.read(partition, from).slice(0, most).map(asConsumed),
    low: ({ partition }) => journal.low(partition),
    high: ({ partition }) => journal.high(partition),
    onLanded: (listener) => journal.onLanded(({ partition }) => listener(JOURNAL, partition)),
  };
}

export function topicSource({ commands, notifications }: SharedWorld): FetchSource {
  const topics = [...commands.values(), notifications];
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

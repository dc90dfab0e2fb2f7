import { TOPIC_RESOURCE } from '../kafkajs/kafkajs.js';
import { missingTopics, withAdmin, type KafkaClient } from '../kafkajs/kafka-client.js';

export class MaxMessageBytes {
  private readonly bytes = new Map<string, number>();

  constructor(private readonly client: KafkaClient) {}

  has(topic: string): boolean {
    return this.bytes.has(topic);
  }

  of(topic: string): number | undefined {
    return this.bytes.get(topic);
  }

  /** Returns the topics that do not exist, without creating any. With an empty list it only checks that Kafka answers. */
  learn(topics: readonly string[]): Promise<string[]> {
    return withAdmin(this.client, async (admin) => {
      if (topics.length === 0) await admin.describeCluster();
      const missing = await missingTopics(admin, topics);
      const known = topics.filter((name) => !missing.includes(name));
      if (known.length === 0) return missing;
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: known.map((name) => ({ type: TOPIC_RESOURCE, name, configNames: ['max.message.bytes'] })),
      });
      for (const { resourceName, configEntries } of resources) {
        const entry = configEntries.find(({ configName }) => configName === 'max.message.bytes');
        this.bytes.set(resourceName, Number(entry?.configValue ?? 1_000_000));
      }
      return missing;
    });
  }
}

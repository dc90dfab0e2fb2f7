import { TOPIC_RESOURCE } from '../kafkajs/kafkajs.js';
import { withAdmin, type KafkaClient } from '../kafkajs/kafka-client.js';

/** How many bytes each topic takes in one batch (`max.message.bytes`), asked once. */
export class MaxMessageBytes {
  private readonly bytes = new Map<string, number>();

  constructor(private readonly client: KafkaClient) {}

  has(topic: string): boolean {
    return this.bytes.has(topic);
  }

  of(topic: string): number | undefined {
    return this.bytes.get(topic);
  }

  /** Returns those that do not exist. Asks in a way that never creates one. */
  learn(topics: string[]): Promise<string[]> {
    return withAdmin(this.client, async (admin) => {
      const existing = new Set(await admin.listTopics());
      const known = topics.filter((name) => existing.has(name));
      if (known.length === 0) return topics;
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: known.map((name) => ({ type: TOPIC_RESOURCE, name, configNames: ['max.message.bytes'] })),
      });
      for (const { resourceName, configEntries } of resources) {
        const entry = configEntries.find(({ configName }) => configName === 'max.message.bytes');
        this.bytes.set(resourceName, Number(entry?.configValue ?? 1_000_000));
      }
      return topics.filter((name) => !existing.has(name));
    });
  }
}

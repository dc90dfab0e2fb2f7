import type { DecisionTopic } from '../src/decisions/decision-topic.service.js';
import { DecisionList, type DecisionRecord } from '../src/decisions/decision.js';

export class TopicInMemory {
  readonly list = new DecisionList();
  readonly deleted: string[] = [];
  /** A record that another process writes just before the next one. */
  before?: DecisionRecord;
  #written = 0;

  get asTopic(): DecisionTopic {
    return this as unknown as DecisionTopic;
  }

  current(): Promise<DecisionList> {
    return Promise.resolve(this.list);
  }

  append(record: DecisionRecord): Promise<{ list: DecisionList; hasCounted: boolean }> {
    const { before } = this;
    this.before = undefined;
    if (before) this.#take(before);
    const key = this.#take(record);
    return Promise.resolve({ list: this.list, hasCounted: this.list.hasCounted(key) });
  }

  delete(keys: readonly string[]): Promise<void> {
    this.deleted.push(...keys);
    for (const key of keys) this.list.take(key, null);
    return Promise.resolve();
  }

  #take(record: DecisionRecord): string {
    const key = `${record.id}/${++this.#written}`;
    this.list.take(key, Buffer.from(JSON.stringify(record)));
    return key;
  }
}

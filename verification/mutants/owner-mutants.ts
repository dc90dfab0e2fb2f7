import type { Mutant } from './mutant.js';

/**
 * Bugs of a partition's owner. That an owner writes nothing after its assignment is order of work, which its units show: the index compares its marker,
 * so a bug there harms nothing.
 */
export const OWNER_MUTANTS: readonly Mutant[] = [
  {
    name: 'any-marker',
    does: 'takes a state of the index that is older than what memory begins with (R7)',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'marker >= this.#covers - 1n',
    replace: 'true',
  },
  {
    name: 'forget-before-the-cover-moves',
    does: 'lets orders leave memory without raising the offset that the index must have reached (R7)',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'this.#covers = this.#next;',
    replace: ';',
  },
  {
    name: 'keep-memory',
    does: 'keeps memory when the partition is placed anew',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'this.#cache.clear(new OwnerNotServingError(partition));',
    replace: ';',
    profile: 'rough',
  },
  {
    name: 'index-first',
    does: 'writes the index, and so the outbox, before its events are published',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'await this.#untilDone(() => parts.events.publish(batch.events));',
    replace:
      'await this.#untilDone(async () => this.#write(batch)); await this.#untilDone(() => parts.events.publish(batch.events));',
    also: [
      {
        file: 'partition/partition-owner.js',
        find: 'await this.#untilDone(() => this.#write(batch));',
        replace: ';',
      },
    ],
  },
  {
    name: 'commit-first',
    does: 'lets the group commit before the events are published',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'await this.#untilDone(() => parts.events.publish(batch.events));',
    replace: 'this.#advancePublished(batch.to + 1n); await this.#untilDone(() => parts.events.publish(batch.events));',
  },
  {
    name: 'no-cas',
    does: 'goes on behind a batch that the index refused, because its marker moved',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'await this.#untilDone(() => this.#write(batch));',
    replace: 'await this.#untilDone(() => this.#write(batch).catch(() => undefined));',
  },
  {
    name: 'publish-from-commit',
    does: 'projects from the commit on, and does not restore an index that is older',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'const next = mark.marker + 1n;',
    replace: 'const next = mark.marker + 1n > place.publishFrom ? mark.marker + 1n : place.publishFrom;',
  },
  {
    name: 'events-given-up-after-a-failed-publish',
    does: 'counts events as published though Kafka did not take them',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: 'await this.#untilDone(() => parts.events.publish(batch.events));',
    replace: 'await this.#untilDone(() => parts.events.publish(batch.events).catch(() => undefined));',
  },
  {
    name: 'no-rebuild-check',
    does: 'goes on with an index that is older than the first kept record',
    project: 'order-journal',
    file: 'partition/placement.js',
    find: 'mark.marker + 1n >= bounds.low',
    replace: 'true',
    profile: 'edges',
  },
  {
    name: 'rules-of-the-process',
    does: 'judges by the rules version that this process writes instead of the one of the records (R9)',
    project: 'order-journal',
    file: 'partition/partition-owner.js',
    find: "this.#cache.apply(key ?? '', offset, record, ",
    replace: "this.#cache.apply(key ?? '', offset, { ...record, rulesVersion: this.parts.rulesVersion }, ",
    profile: 'edges',
  },
];

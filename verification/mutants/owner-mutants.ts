import type { Mutant } from './mutant.js';

const owner = { project: 'order-journal', file: 'partition/partition-owner.js', profile: 'moves' } as const;
const publish = 'await this.#untilDone(() => parts.events.publish(batch.events));';
const write = 'await this.#untilDone(() => this.#write(batch));';
const drain = 'await deadline.wait(settled().then(ended));';

/**
 * Bugs of a partition's owner. That an owner serves only once it has caught up, and writes nothing after its assignment, is order of work, which its
 * units show: the fold grants and the index compares its marker, so a bug there harms nothing.
 */
export const OWNER_MUTANTS: readonly Mutant[] = [
  {
    ...owner,
    name: 'any-marker',
    does: 'takes a state of the index that is older than what memory begins with (R7)',
    find: 'marker >= this.#covers - 1n',
    replace: 'true',
  },
  {
    ...owner,
    name: 'forget-before-the-cover-moves',
    does: 'lets orders leave memory without raising the offset that the index must have reached (R7)',
    find: 'this.#covers = this.#next;',
    replace: ';',
  },
  {
    ...owner,
    name: 'keep-memory',
    does: 'keeps memory when the partition is placed anew',
    find: 'this.#cache.clear(new OwnerNotServingError(partition));',
    replace: ';',
  },
  {
    ...owner,
    name: 'index-first',
    does: 'writes the index before its events are published',
    find: publish,
    replace: `await this.#untilDone(async () => this.#write(batch)); ${publish}`,
    also: [{ file: owner.file, find: write, replace: ';' }],
  },
  {
    ...owner,
    name: 'commit-first',
    does: 'lets the group commit before the events are published',
    find: publish,
    replace: `this.#advancePublished(batch.to + 1n); ${publish}`,
  },
  {
    ...owner,
    name: 'no-cas',
    does: 'writes the index whatever its marker is',
    find: 'return this.parts.index.write({ partition, from: this.#next - 1n, to, hash, orders, redirectHtml });',
    replace:
      'return this.parts.index.readTogether(partition, []).then(({ marker }) => this.parts.index.write({ partition, from: marker ?? this.#next - 1n, to, hash, orders, redirectHtml }));',
  },
  {
    ...owner,
    name: 'events-given-up-after-a-failed-publish',
    does: 'counts events as published though Kafka did not take them',
    find: publish,
    replace: 'await this.#untilDone(() => parts.events.publish(batch.events).catch(() => undefined));',
  },
  {
    ...owner,
    name: 'publish-from-commit',
    does: 'projects from the commit on, and does not restore an index that is older',
    find: 'const next = mark.marker + 1n;',
    replace: 'const next = mark.marker + 1n > place.publishFrom ? mark.marker + 1n : place.publishFrom;',
  },
  {
    ...owner,
    name: 'older-index-unnoticed',
    does: 'does not notice an index that was put back to an older copy, until the next record comes',
    find: 'if (marker !== undefined && marker >= this.#next - 1n)',
    replace: 'if (marker !== undefined)',
  },
  {
    ...owner,
    name: 'grant-from-memory',
    file: 'partition/owned-journal.js',
    does: 'takes its INTENT for granted because memory knew no attempt before it, and does not ask the fold (R3)',
    find: 'const after = await this.appendAndRead(intent, trace);',
    replace:
      'const known = await this.read(merchant, orderId); const after = await this.appendAndRead(intent, trace); if (!known.operations.some((one) => one.commandId === intent.commandId)) return { after, verdict: "granted" };',
  },
  {
    ...owner,
    name: 'no-rebuild-check',
    does: 'goes on with an index that is older than the first kept record',
    file: 'partition/placement.js',
    find: 'mark.marker + 1n >= bounds.low',
    replace: 'true',
    profile: 'edges',
  },
  {
    ...owner,
    name: 'rules-of-the-process',
    does: 'judges by the rules version that this process writes instead of the one of the records (R9)',
    find: "this.#cache.apply(key ?? '', offset, record, ",
    replace: "this.#cache.apply(key ?? '', offset, { ...record, rulesVersion: this.parts.rulesVersion }, ",
    profile: 'edges',
  },
  {
    name: 'drains-without-waiting',
    does: 'gives its partitions back while calls are under way and batches are half published',
    project: 'kafka',
    file: 'consume/group-work.js',
    find: drain,
    replace: '',
    profile: 'moves',
  },
  {
    name: 'drains-only-its-handlers',
    does: 'does not wait for the events of what the last handlers wrote',
    project: 'kafka',
    file: 'consume/group-work.js',
    find: drain,
    replace: 'await deadline.wait(settled());',
    profile: 'moves',
  },
  {
    name: 'forwarded-and-executed',
    does: 'executes a command where it lies, and forwards it to the partition of its order',
    project: 'verification',
    file: 'simulation/gateway.js',
    find: "return this.process.uncertain('forward',",
    replace: "await this.process.uncertain('forward',",
    profile: 'moves',
  },
  {
    name: 'number-at-two-members',
    does: 'gives the topics of one number to different members',
    project: 'kafka',
    file: 'consume/sticky-plan.js',
    find: 'const numbers = [',
    replace: 'return stickyPlan(members, topics); const numbers = [',
    profile: 'moves',
  },
];

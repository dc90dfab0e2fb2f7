import type { Mutant } from './mutant.js';

export const CONSUMER_MUTANTS: readonly Mutant[] = [
  {
    name: 'commit-before-the-journal',
    does: 'counts a record as finished when its handler starts',
    project: 'kafka',
    file: 'consume/key-ordered-work.js',
    find: 'this.runningCount++;',
    replace: 'this.runningCount++; this.frontier.finish(lane.waiting[0].delivery); this.assignment.progress();',
  },
  {
    name: 'finished-when-abandoned',
    does: 'counts a record as finished whose handler gave up',
    project: 'kafka',
    file: 'consume/key-ordered-work.js',
    find: "if (result === 'done')",
    replace: 'if (true)',
  },
  {
    name: 'keys-in-no-order',
    does: 'runs records of one key side by side',
    project: 'kafka',
    file: 'consume/key-ordered-work.js',
    find: 'const key = record.rawKey === null ?',
    replace: 'const key = true ?',
  },
  {
    name: 'forget-the-epoch',
    does: 'goes on committing partitions of an assignment that has ended',
    project: 'kafka',
    file: 'consume/group-work.js',
    find: 'this.current = new Map();\n        this.draining = undefined;',
    replace: 'this.draining = undefined;',
  },
  {
    name: 'metadata-names-one-too-low',
    does: 'reads the finished offsets above the frontier one too low, and skips a record that is not',
    project: 'kafka',
    file: 'consume/frontier.js',
    find: 'finished.add(frontier + 1n + BigInt(bit));',
    replace: 'finished.add(frontier + BigInt(bit));',
  },
  {
    name: 'frontier-of-the-last-delivered',
    does: 'moves the frontier behind the last record delivered instead of the first that is open',
    project: 'kafka',
    file: 'consume/frontier.js',
    find: 'this.reached = this.delivered[this.firstOpen]?.offset ?? this.lastDelivered + 1n;',
    replace: 'this.reached = this.lastDelivered + 1n;',
  },
];

import type { Mutant } from './mutant.js';

export const JOURNAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'read-redis-behind-t',
    does: 'takes a state of the index that is older than what memory begins with (R7)',
    project: 'order-journal',
    file: 'journal/followed-partitions.js',
    find: 'return (marker ?? low - 1n) >= from - 1n;',
    replace: 'return true;',
  },
  {
    name: 'forget-before-t-moves',
    does: 'lets orders leave memory without raising the offset that the index must have reached (R7)',
    project: 'order-journal',
    file: 'journal/followed-partitions.js',
    find: 'followed.from = marker + 1n;',
    replace: ';',
    also: [
      {
        file: 'journal/journal-view.js',
        find: 'lastOffset < this.#followed.from(partition)',
        replace: 'lastOffset <= (markers.get(partition) ?? -1n)',
      },
    ],
  },
  {
    name: 'rules-of-the-process',
    does: 'judges by the rules version that this process writes instead of the one of the records (R9)',
    project: 'order-journal',
    file: 'journal/journal-view.js',
    find: "this.#cache.apply(key ?? '', offset, record, ",
    replace: "this.#cache.apply(key ?? '', offset, { ...record, rulesVersion: this.parts.rulesVersion }, ",
    profile: 'edges',
  },
];

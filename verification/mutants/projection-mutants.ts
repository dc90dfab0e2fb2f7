import type { Mutant } from './mutant.js';

export const PROJECTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'event-ids-of-the-place',
    does: 'makes event ids of the offset, which is another one in a journal that was moved (R10)',
    project: 'order-journal',
    file: 'projection/published-event.js',
    find: 'record === undefined ?',
    replace: 'true ?',
    profile: 'edges',
  },
  {
    name: 'sequence-without-epoch',
    does: 'leaves the epoch of the journal out of the sequence of events (R10)',
    project: 'order-journal',
    file: 'projection/published-event.js',
    find: 'sequenceOf(BigInt(event.offset), epoch)',
    replace: 'sequenceOf(BigInt(event.offset), 0)',
    profile: 'edges',
  },
  {
    name: 'marker-recreated-after-a-flush',
    does: 'gives a flushed index its marker back without building it from the journal (R7)',
    project: 'order-journal',
    file: 'projection/index-rebuild.js',
    find: 'const from = await journal.firstKept(partition);',
    replace: 'await journal.firstKept(partition); const from = until;',
  },
  {
    name: 'absence-unproved',
    does: 'takes an order that the index has lost for one that was never seen (R14)',
    project: 'order-journal',
    file: 'projection/index-marker.js',
    find: 'counts !== found',
    replace: 'false',
    profile: 'losses',
  },
  {
    name: 'anything-is-a-state',
    does: 'takes whatever stands in the index for the state of its order',
    project: 'order-journal',
    file: 'projection/stored-order.js',
    find: 'return isOurs &&',
    replace: 'return true || isOurs &&',
    profile: 'losses',
  },
];

import type { Mutant } from './mutant.js';

const loss = { project: 'order-journal', profile: 'anew' } as const;
const tail = { project: 'kafka', file: 'consume/tail-position.js', profile: 'anew' } as const;

/** Bugs about a journal partition that loses records, and its resume (R11). */
export const LOSS_MUTANTS: readonly Mutant[] = [
  {
    ...tail,
    name: 'believes-a-log-that-is-shorter',
    does: 'reads on where a log ends that is shorter than what was read',
    find: 'else if (high < later(asked.next, this.known)) {',
    replace: 'else if (high < later(asked.next, this.known) - 1000000n) {',
    also: [
      {
        file: 'consume/tail-position.js',
        find: 'if (fetched && fetched.from !== this.fetchFrom) {\n            this.check();',
        replace: 'if (fetched && fetched.from !== this.fetchFrom) {\n            this.next = fetched.from;',
      },
    ],
  },
  {
    ...tail,
    name: 'compares-no-last-record',
    does: 'goes on where a log has grown again, whatever lies in it',
    find: 'if (again && hashOf(again.value) === checked.hash)',
    replace: 'if (again)',
  },
  {
    ...tail,
    name: 'asks-nothing-of-an-answer-from-elsewhere',
    does: 'does not compare the last record where a fetch was answered from elsewhere',
    find: 'this.check();\n            return undefined;',
    replace: 'return undefined;',
  },
  {
    ...loss,
    name: 'begins-beyond-the-end',
    does: 'begins behind the end of a log that is shorter than the index',
    file: 'partition/placement.js',
    find: 'if (found.high >= known)',
    replace: 'if (true)',
    also: [
      {
        file: 'partition/partition-owner.js',
        find: 'known: next,',
        replace: 'known: 0n,',
      },
    ],
  },
  {
    ...loss,
    name: 'sends-what-came-before-the-loss',
    does: 'takes commands from before a resume for new ones',
    file: 'recovery/resume-list.js',
    find: 'if (resumedMs === undefined)',
    replace: 'if (true)',
  },
  {
    ...loss,
    name: 'repeats-what-came-before-the-loss',
    does: 'takes a command for a new one that is published again after a resume, with the id and time of before',
    file: 'recovery/resume-list.js',
    find: '(commandIdTimeMs(commandId) ?? timeMs) < resumedMs',
    replace: 'false',
  },
  {
    ...loss,
    name: 'repeats-at-a-new-time',
    does: 'takes a command for a new one that is published again after a resume, with the id of before and a new time',
    file: 'recovery/resume-list.js',
    find: 'this.#ids.add(command);',
    replace: ';',
  },
  {
    ...loss,
    name: 'tries-again-after-a-loss',
    does: 'leaves an operation between two attempts, though its next one may be lost',
    file: 'recovery/after-loss.js',
    find: 'return idle.length > 0 ? records : [];',
    replace: 'return [];',
  },
  {
    ...loss,
    name: 'starts-with-a-changed-log',
    does: 'begins behind the marker of an index that the journal does not hold',
    file: 'partition/partition-owner.js',
    find: 'offset !== mark.marker || hash !== mark.hash',
    replace: 'offset !== mark.marker && hash === mark.hash',
  },
  {
    ...loss,
    name: 'rejects-by-an-order-of-before',
    does: 'rejects a command by the order that was read before a wait',
    file: 'execution/command-executor.js',
    find: 'if (moved)\n            return moved;',
    replace: '',
    from: 251_681_923,
  },
];

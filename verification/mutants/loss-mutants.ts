import type { Mutant } from './mutant.js';

const loss = { project: 'order-journal', profile: 'anew' } as const;
const position = { project: 'kafka', file: 'log/log-position.js', profile: 'anew' } as const;

/** Bugs about a journal partition that loses records, and its resume (R11). */
export const LOSS_MUTANTS: readonly Mutant[] = [
  {
    ...position,
    name: 'believes-a-log-that-is-shorter',
    does: 'reads on where a log ends that is shorter than what was read',
    find: 'else if (high < later(asked.next, this.known)) {',
    replace: 'else if (high < later(asked.next, this.known) - 1000000n) {',
    also: [
      {
        file: 'log/log-position.js',
        find: 'if (from !== undefined && from !== this.fetchFrom) {\n            this.doubt();',
        replace: 'if (fetched && fetched.from !== this.fetchFrom) {\n            this.next = from;',
      },
    ],
  },
  {
    ...position,
    name: 'compares-no-last-record',
    does: 'goes on where a log has grown again, whatever lies in it',
    find: 'if (again && hashOf(again.value) === hash)',
    replace: 'if (again)',
  },
  {
    ...position,
    name: 'asks-nothing-of-an-answer-from-elsewhere',
    does: 'does not compare the last record where a fetch was answered from elsewhere',
    find: 'this.doubt();\n            return undefined;',
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
    find: 'return records;',
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

import type { Mutant } from './mutant.js';

const ledger = { project: 'order-journal', profile: 'ledger' } as const;

/** The lock makes up for a missing wait, and the wait for a missing lock: a mutant without a lock shows only if the wait is gone too. */
const NO_WAIT = { file: 'sent-ledger/conclude.js', find: 'if (waitMs > 0)', replace: 'if (false)' };
const ANY_CLOCK = {
  file: 'sent-ledger/conclude.js',
  find: 'if (!entries.every(',
  replace: 'if (false && !entries.every(',
};

/** Bugs of the sent ledger (decision 0056). */
export const LEDGER_MUTANTS: readonly Mutant[] = [
  {
    ...ledger,
    name: 'sends-without-its-line',
    does: 'sends though the line `sent` was not written',
    file: 'execution/command-executor.js',
    find: 'sentLedger.sent(token) &&',
    replace: '',
  },
  {
    ...ledger,
    name: 'sends-with-a-broken-ledger',
    does: 'sends though the ledger can neither be written nor removed',
    file: 'sent-ledger/ledger-file.js',
    find: "this.#state === 'removed';",
    replace: 'true;',
    also: [
      {
        file: 'sent-ledger/ledger-file.js',
        find: 'if (!this.#append(sentLine(token, sent)))',
        replace: 'if (!this.#append(sentLine(token, sent)) && false)',
      },
    ],
  },
  {
    ...ledger,
    name: 'ledger-of-the-living',
    does: 'concludes at once of a process that only stands still',
    ...NO_WAIT,
    also: [{ file: 'sent-ledger/ledger-successor.js', find: 'if (lock === undefined)', replace: 'if (false)' }],
  },
  {
    ...ledger,
    name: 'ledger-without-its-wait',
    does: 'concludes before the send deadline of the last token has passed, and trusts the lock alone',
    ...NO_WAIT,
  },
  {
    ...ledger,
    name: 'ledger-that-is-torn',
    does: 'leaves out a last line that can not be read, and concludes of the others',
    file: 'sent-ledger/ledger-lines.js',
    find: "if (lines.pop() !== '')",
    replace: 'if ((lines.pop(), false))',
  },
  {
    ...ledger,
    name: 'ledger-of-another-machine',
    does: 'concludes from the ledger of another machine, or of before its last start, whatever the clocks say',
    file: 'sent-ledger/conclude.js',
    find: 'if (identity.bootId !== ours.bootId)',
    replace: 'if (false)',
    also: [ANY_CLOCK],
  },
  {
    ...ledger,
    name: 'ledger-forgets-what-was-sent',
    does: 'leaves the lines `sent` out when it is written anew',
    file: 'sent-ledger/ledger-lines.js',
    find: "(sent === undefined ? '' : sentLine(token.token, sent))",
    replace: "''",
  },
  {
    ...ledger,
    name: 'own-tokens-too-early',
    does: 'settles a token of its own that is about to be sent',
    file: 'sent-ledger/ledger-file.js',
    find: 'const SURELY_NOT_SENT_MS = 10 * SEND_DEADLINE_MS',
    replace: 'const SURELY_NOT_SENT_MS = 0',
  },
];

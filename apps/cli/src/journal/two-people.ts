import { createInterface } from 'node:readline/promises';
import type { TwoPeople } from '@tranche/order-journal';
import { reasonInWords } from '@tranche/contracts';
import { RefusedError, UsageError } from '../exit.js';
import { isReason } from '../output/parse.js';

const NAME = /^[^\u0000-\u001f\u007f]{1,100}$/;

/** @throws UsageError naming every fault */
export function twoPeople(options: TwoPeople): TwoPeople {
  const requestedBy = options.requestedBy.trim();
  const approvedBy = options.approvedBy.trim();
  const reason = options.reason.trim();
  const isSame = requestedBy.normalize('NFKC').toLowerCase() === approvedBy.normalize('NFKC').toLowerCase();
  const faults = [
    ...(NAME.test(requestedBy) ? [] : ['--requested-by must be a name of 1 to 100 characters']),
    ...(NAME.test(approvedBy) ? [] : ['--approved-by must be a name of 1 to 100 characters']),
    ...(isSame ? ['--approved-by must be another person than --requested-by'] : []),
    ...(isReason(reason) ? [] : [`--reason must have ${reasonInWords()}; it is kept, so give no personal data`]),
  ];
  if (faults.length > 0) throw new UsageError(faults);
  return { requestedBy, approvedBy, reason };
}

/** @throws RefusedError where the person does not type the word, or nobody can: then `--yes` is needed */
export async function confirm(word: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new RefusedError('nothing was changed: give --yes where nobody can confirm');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if ((await terminal.question(`type ${word} to go on: `)).trim() !== word)
      throw new RefusedError('nothing was changed');
  } finally {
    terminal.close();
  }
}

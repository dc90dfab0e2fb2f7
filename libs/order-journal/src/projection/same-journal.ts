import { JournalReplacedError } from '../journal/journal-faults.js';
import type { JournalReader, Mark } from '../journal/ports.js';
import { recordHash } from '../state/records.js';

/**
 * Whether the journal still holds the record that the index came to, to be asked wherever reading begins behind it. One that was deleted by its age
 * says nothing.
 * @throws JournalReplacedError where it holds another one (R10)
 */
export async function assertSameJournal(
  journal: JournalReader,
  partition: number,
  mark: Mark | undefined,
): Promise<void> {
  if (mark?.hash === undefined || (await journal.firstKept(partition)) > mark.marker) return;
  for await (const entries of journal.read(partition, mark.marker, mark.marker + 1n))
    for (const { offset, value } of entries) if (offset === mark.marker && recordHash(value) === mark.hash) return;
  throw new JournalReplacedError(mark.marker);
}

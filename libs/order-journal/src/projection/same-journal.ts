import { JournalReplacedError } from '../journal/journal-faults.js';
import type { JournalReader, Mark } from '../journal/ports.js';
import { recordHash } from '../state/records.js';

/**
 * Checks that the journal still holds the record at the index's marker. Must be called wherever reading begins behind the index. A record that
 * retention deleted proves nothing.
 * @throws JournalReplacedError where the journal holds another record there (R10)
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

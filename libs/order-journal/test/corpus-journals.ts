import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeRecord, type JournalRecord } from '../src/state/records.js';
import { decodeRecord } from '../src/state/versions.js';

interface WrittenJournal {
  name: string;
  merchant: string;
  orderId: string;
  rulesVersion: number;
  /** A record without its common fields; or, where its history counts, as it was written. */
  journal: [offset: number, record: object | string][];
  state: object;
  events: string[];
}

export interface CorpusJournal extends Omit<WrittenJournal, 'journal'> {
  records: { offset: bigint; record: JournalRecord; stored: Buffer }[];
}

const FOLDER = join(__dirname, 'corpus');

export function corpusJournals(): CorpusJournal[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) =>
    (JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as WrittenJournal[]).map(({ journal, ...head }) => {
      const { merchant, orderId, rulesVersion } = head;
      const records = journal.map(([offset, record]) => {
        const isAsWritten = typeof record === 'string';
        const stored = isAsWritten
          ? Buffer.from(record)
          : encodeRecord({ merchant, orderId, rulesVersion, ...record } as JournalRecord);
        return { offset: BigInt(offset), record: decodeRecord(stored), stored };
      });
      return { ...head, records };
    }),
  );
}

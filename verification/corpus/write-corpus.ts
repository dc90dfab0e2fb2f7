import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '@tranche/order-journal';
import type { SimulatedJournal } from '../simulation/journal.js';
import type { ProfileName } from '../simulation/profile.js';
import { simulate } from '../simulation/simulate.js';
import { distil, type CorpusJournal } from './distil.js';

const MOST_RECORDS = 16;
/** Long forms are replaced by this text. */
const SHORTENED = 'xx';
const WITH_HISTORY = 3;
/** Number of journals kept per shape. */
const OF_A_SHAPE = 1;

/** Simulates worlds and keeps journals of shapes not seen before, until there are enough; writes one compact file. */
export async function writeCorpus({
  folder,
  seed,
  journals,
  profile = 'plain',
}: {
  folder: string;
  seed: number;
  journals: number;
  profile?: ProfileName;
}): Promise<string> {
  const shapes = new Map<string, number>();
  const kept: CorpusJournal[] = [];
  for (let at = seed; kept.length < journals; at++) {
    const { world, violations } = await simulate({ seed: at, profile });
    if (violations.length > 0) continue;
    for (const journal of journalsOf(world.shared.journal, at, profile)) {
      if (profile !== 'plain' && !isOfNewRules(journal)) continue;
      const shape = shapeOf(journal);
      const times = shapes.get(shape) ?? 0;
      if (journal.journal.length > MOST_RECORDS || times >= OF_A_SHAPE || kept.length >= journals) continue;
      shapes.set(shape, times + 1);
      kept.push(journal);
    }
  }
  const path = join(folder, `${profile === 'plain' ? 'simulated' : profile}-${seed}.json`);
  writeFileSync(path, `[\n${kept.map((journal) => JSON.stringify(journal)).join(',\n')}\n]\n`);
  return path;
}

/** Rules with a history hash records as they were written, so their journals must have no shortened text. */
function isOfNewRules({ journal }: CorpusJournal): boolean {
  const records = journal.map(([, record]) => parsed(record));
  return !JSON.stringify(records).includes(SHORTENED) && records.some(({ rulesVersion = 0 }) => rulesVersion >= WITH_HISTORY); // prettier-ignore
}

function journalsOf(journal: SimulatedJournal, seed: number, profile: ProfileName): CorpusJournal[] {
  const byOrder = new Map<string, [number, string][]>();
  for (const { key, offset, value } of [...journal.partitions.values()].flat()) {
    const text = value.toString('utf8').replace(/x{20,}/g, SHORTENED);
    byOrder.set(key, [...(byOrder.get(key) ?? []), [Number(offset), text]]);
  }
  return [...byOrder.values()].map((entries) => {
    const { merchant, orderId, rulesVersion } = parsed(entries[0]![1]);
    const records = entries.map(([offset, text]) => [offset, parsed(text)] as const);
    return {
      name: `seed ${seed}, ${orderId}`,
      merchant,
      orderId,
      rulesVersion: rulesVersion ?? 1,
      journal: profile === 'plain' ? records.map(([offset, record]) => [offset, bare(record)]) : entries,
      ...distil(merchant, orderId, records),
    };
  });
}

function bare({ merchant: _merchant, orderId: _orderId, rulesVersion: _rulesVersion, ...rest }: JournalRecord): object {
  return rest;
}

const parsed = (record: object | string): JournalRecord =>
  (typeof record === 'string' ? JSON.parse(record) : record) as JournalRecord;

/** The kinds and verdicts of records and the types of events make a journal's shape. */
function shapeOf({ journal, events }: CorpusJournal): string {
  const kinds = journal.map(([, record]) => parsed(record).record);
  const types = events.map((event) => event.split(' ').slice(1).join(' '));
  return `${kinds.join()} ${types.join()}`;
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES_VERSION, type JournalRecord } from '@tranche/order-journal';
import type { SimulatedJournal } from '../simulation/journal.js';
import type { ProfileName } from '../simulation/profile.js';
import { simulate } from '../simulation/simulate.js';
import { distil, type CorpusJournal } from './distil.js';

const MOST_RECORDS = 16;
const LONG_FORM = /x{20}/;
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
    for (const journal of journalsOf(world.shared.journal, at)) {
      if (!isKeepable(journal)) continue;
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

/** No long form is in it, and no record of the version that only the simulation writes. */
const isKeepable = ({ journal }: CorpusJournal): boolean =>
  journal.every(([, record]) => parsed(record).rulesVersion === RULES_VERSION) &&
  !LONG_FORM.test(JSON.stringify(journal));

function journalsOf(journal: SimulatedJournal, seed: number): CorpusJournal[] {
  const byOrder = new Map<string, [number, string][]>();
  for (const { key, offset, value } of [...journal.partitions.values()].flat()) {
    const text = value.toString('utf8');
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
      journal: entries,
      ...distil(merchant, orderId, records),
    };
  });
}

const parsed = (record: object | string): JournalRecord =>
  (typeof record === 'string' ? JSON.parse(record) : record) as JournalRecord;

/** The kinds and verdicts of records and the types of events make a journal's shape. */
function shapeOf({ journal, events }: CorpusJournal): string {
  const kinds = journal.map(([, record]) => parsed(record).record);
  const types = events.map((event) => event.split(' ').slice(1).join(' '));
  return `${kinds.join()} ${types.join()}`;
}

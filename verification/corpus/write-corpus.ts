import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord } from '@tranche/order-journal';
import type { SimulatedJournal } from '../simulation/journal.js';
import { simulate } from '../simulation/simulate.js';
import { distil, type CorpusJournal } from './distil.js';

const MOST_RECORDS = 16;
/** Journals of a shape that is there already are taken up to this often. */
const OF_A_SHAPE = 1;

/** Simulates worlds and keeps journals of shapes not seen before, until there are enough; one compact file. */
export async function writeCorpus({
  folder,
  seed,
  journals,
}: {
  folder: string;
  seed: number;
  journals: number;
}): Promise<string> {
  const shapes = new Map<string, number>();
  const kept: CorpusJournal[] = [];
  for (let at = seed; kept.length < journals; at++) {
    const { world, violations } = await simulate({ seed: at });
    if (violations.length > 0) continue;
    for (const journal of journalsOf(world.shared.journal, at)) {
      const shape = shapeOf(journal);
      const times = shapes.get(shape) ?? 0;
      if (journal.journal.length > MOST_RECORDS || times >= OF_A_SHAPE || kept.length >= journals) continue;
      shapes.set(shape, times + 1);
      kept.push(journal);
    }
  }
  const path = join(folder, `simulated-${seed}.json`);
  writeFileSync(path, `[\n${kept.map((journal) => JSON.stringify(journal)).join(',\n')}\n]\n`);
  return path;
}

function journalsOf(journal: SimulatedJournal, seed: number): CorpusJournal[] {
  const byOrder = new Map<string, [number, JournalRecord][]>();
  for (const { key, offset, value } of [...journal.partitions.values()].flat()) {
    const record = JSON.parse(value.toString('utf8').replace(/x{20,}/g, 'xx')) as JournalRecord;
    byOrder.set(key, [...(byOrder.get(key) ?? []), [Number(offset), record]]);
  }
  return [...byOrder.values()].map((entries) => {
    const { merchant, orderId, rulesVersion } = entries[0]![1];
    const bare = entries.map(([offset, record]): [number, object] => {
      const { merchant: _merchant, orderId: _orderId, rulesVersion: _rulesVersion, ...rest } = record;
      return [offset, rest];
    });
    return {
      name: `seed ${seed}, ${orderId}`,
      merchant,
      orderId,
      rulesVersion,
      journal: bare,
      ...distil(merchant, orderId, entries),
    };
  });
}

/** Records by kind and verdict, events by type: journals alike in both are of one shape. */
function shapeOf({ journal, events }: CorpusJournal): string {
  const kinds = journal.map(([, record]) => (record as JournalRecord).record);
  const types = events.map((event) => event.split(' ').slice(1).join(' '));
  return `${kinds.join()} ${types.join()}`;
}

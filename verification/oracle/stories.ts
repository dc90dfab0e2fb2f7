import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../simulation/random.js';
import { toNewRecord, toOldRecord } from './names.js';
import { hashOf, type Json, type Side, type Sides } from './sides.js';

/** A record of a story, before it is known what its writer saw: so records can be put in, left out and exchanged. */
export interface Draft {
  old: Json;
  next: Json;
  /** Its `seen` names the order as it was so many records earlier. */
  seenBack?: number;
  /** The snapshot's state is the order's as it was so many records earlier; otherwise that of `seenBack`. */
  stateBack?: number;
}

/** A record as it lies in the journal, in both forms. */
export interface Step {
  old: Json;
  next: Json;
  hash: string;
}

export interface Story {
  name: string;
  merchant: string;
  orderId: string;
  drafts: Draft[];
}

interface Written {
  offset: bigint;
  record: Json;
}

const WORLDS = ['plain', 'rough', 'edges', 'anew', 'losses', 'clocks'] as const;
const CORPUS_AT_A_TIME = 10;

/** Journals of the old corpus and of simulated worlds in turn, one per order, without an end. */
export async function* stories(folder: string, sides: Sides, random: Random): AsyncGenerator<Story> {
  const corpus = corpusOf(folder, sides);
  for (let at = 0; ; at++) {
    yield* corpus.splice(0, CORPUS_AT_A_TIME);
    yield* await worldOf(WORLDS[at % WORLDS.length]!, random.below(1_000_000_000), sides);
  }
}

interface CorpusJournal {
  name: string;
  merchant: string;
  orderId: string;
  rulesVersion: number;
  journal: [offset: number, record: Json | string][];
}

function corpusOf(folder: string, sides: Sides): Story[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const journals = files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CorpusJournal[]);
  return journals.flatMap(({ journal, name, ...head }) => {
    const written = journal.map(([offset, record]) => ({
      offset: BigInt(offset),
      record: typeof record === 'string' ? (JSON.parse(record) as Json) : { ...head, ...record, journal: undefined },
    }));
    return storyOf(
      `corpus, ${name}`,
      written,
      sides.old,
      (record) => ({ old: record, next: toNewRecord(record) }),
      sides,
    );
  });
}

async function worldOf(profile: (typeof WORLDS)[number], seed: number, sides: Sides): Promise<Story[]> {
  const { simulate } = await import('../simulation/simulate.js');
  const { world } = await simulate({ seed, profile });
  const byOrder = new Map<string, Written[]>();
  for (const { key, offset, record } of [...world.shared.journal.partitions.values()].flat()) {
    if (!byOrder.has(key)) byOrder.set(key, []);
    byOrder.get(key)!.push({ offset, record: record as unknown as Json });
  }
  return [...byOrder].flatMap(([key, written]) =>
    storyOf(
      `${profile} world ${seed}, ${key}`,
      written,
      sides.next,
      (record) => ({ old: toOldRecord(record), next: record }),
      sides,
    ),
  );
}

/** All records of the newest rules, and what each of them saw; none where the fold that they were written for refuses them. */
function storyOf(
  name: string,
  written: readonly Written[],
  writer: Side,
  inBothForms: (record: Json) => Draft,
  { old, next }: Sides,
): Story[] {
  const { merchant, orderId } = written[0]!.record as { merchant: string; orderId: string };
  const seenAfter = new Map<unknown, number>();
  let order = writer.emptyOrder(merchant, orderId);
  const drafts: Draft[] = [];
  for (const [at, { offset, record }] of written.entries()) {
    const draft = inBothForms(record);
    // Before there were histories, the record that an order leaves the index by named an offset alone.
    const isOfOldRules = draft.old.record === 'FORGOTTEN' && draft.old.seen === undefined;
    const after = seenAfter.get(isOfOldRules ? draft.old.lastOffset : record.seen);
    // A snapshot's state is made anew by each fold, of the order that it names.
    if (draft.old.record === 'CARRIED' && after === undefined) return [];
    const more = isOfOldRules ? { refundableDays: 400 } : {};
    const isKept = after === undefined && !/^[0-9]+$/.test(String(record.seen));
    const seen = isKept && record.seen !== undefined ? { seen: record.seen } : { seen: undefined };
    drafts.push({
      old: withoutUndefined({ ...draft.old, ...more, ...seen, rulesVersion: old.RULES_VERSIONS.at(-1) }),
      next: withoutUndefined({ ...draft.next, ...more, ...seen, rulesVersion: next.RULES_VERSIONS.at(-1) }),
      ...(after === undefined ? {} : { seenBack: at - after }),
    });
    try {
      ({ order } = writer.fold(order, record, offset, () => hashOf(record)));
    } catch {
      return [];
    }
    if (order.lastOffset !== '-1') seenAfter.set(writer.historyOf(order), at + 1).set(order.lastOffset, at + 1);
  }
  return [{ name, merchant, orderId, drafts }];
}

export const withoutUndefined = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Each record with what its writer saw. One that both folds refuse stays: whoever plays them sees that. */
export function stepsOf({ merchant, orderId, drafts }: Story, { old, next }: Sides): Step[] {
  const olds = [old.emptyOrder(merchant, orderId)];
  const nexts = [next.emptyOrder(merchant, orderId)];
  return drafts.map((draft, at) => {
    const form = (side: Side, orders: Json[], record: Json): Json => {
      if (draft.seenBack === undefined) return record;
      const before = (back: number) => orders[Math.max(0, at - back)]!;
      const seen = side.historyOf(before(draft.seenBack));
      if (draft.old.record !== 'CARRIED') return { ...record, seen };
      const state = side.snapshot(before(draft.stateBack ?? draft.seenBack), String(record.at));
      return withoutUndefined({ ...record, seen, state });
    };
    const step = { old: form(old, olds, draft.old), next: form(next, nexts, draft.next) };
    const hash = hashOf(step.next);
    olds.push(after(old, olds[at]!, step.old, at, hash));
    nexts.push(after(next, nexts[at]!, step.next, at, hash));
    return { ...step, hash };
  });
}

function after(side: Side, order: Json, record: Json, at: number, hash: string): Json {
  try {
    return side.fold(order, record, BigInt(at), () => hash).order;
  } catch {
    return order;
  }
}

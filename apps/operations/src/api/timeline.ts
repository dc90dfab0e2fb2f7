/** Folds an order's kept records again, and says which record made each field. */
import { orderKey, TOPICS } from '@tranche/contracts';
import { emptyOrder, foldStored, summaryOf, type JournalRecord, type OrderState } from '@tranche/order-journal';
import { compact } from '@tranche/runtime';
import type { KeptRecord } from './orders.store.js';

/** The record that gave a field its value. */
export interface Maker {
  partition: number;
  offset: string;
  kind: string;
  at: string;
}

export const isOfJournal = ({ topic }: KeptRecord): boolean => topic === TOPICS.journal.name;

export interface Story {
  state: OrderState;
  /** By path, such as `operations.COMMAND.phase`. */
  why: Record<string, Maker>;
  /** Paths that each record of the journal changed, by its offset. */
  changes: Map<string, string[]>;
}

/** @param records of the journal, in the order of their offsets */
export function storyOf(merchant: string, orderId: string, records: readonly KeptRecord[]): Story {
  const key = orderKey(merchant, orderId);
  let state = emptyOrder(merchant, orderId);
  const why: Story['why'] = {};
  const changes: Story['changes'] = new Map();
  let before = fieldsOf(state);
  for (const { partition, offset, kind, at, hash, body } of records) {
    const record = body as unknown as JournalRecord;
    state = foldStored(state, { offset: BigInt(offset), key, record, hash: hash ?? '' }).order;
    const after = fieldsOf(state);
    const changed = [...after].filter(([path, value]) => before.get(path) !== value).map(([path]) => path);
    for (const path of before.keys()) if (!after.has(path)) delete why[path];
    for (const path of changed) why[path] = { partition, offset, kind, at };
    changes.set(offset, changed);
    before = after;
  }
  return { state, why, changes };
}

/** Records up to a time. Writers' clocks differ, so of the journal those before the first later one: the fold leaves none out. */
export function untilTime(records: readonly KeptRecord[], untilMs: number): KeptRecord[] {
  const isLater = ({ at }: KeptRecord) => Date.parse(at) > untilMs;
  const first = records.find((record) => isOfJournal(record) && isLater(record));
  const end = first === undefined ? undefined : BigInt(first.offset);
  return records.filter((record) =>
    isOfJournal(record) ? end === undefined || BigInt(record.offset) < end : !isLater(record),
  );
}

/** Fields that only say where the order's records lie. */
const OF_PLACE = new Set(['lastOffset', 'history', 'standing', 'movedAt', 'rulesVersion']);

function fieldsOf(order: OrderState): Map<string, string> {
  const { operations, ...rest } = order;
  const all = [
    ...Object.entries(summaryOf(order)).map(([name, value]) => [name, value] as const),
    ...Object.entries(rest).filter(([name]) => !OF_PLACE.has(name)),
    ...operations.flatMap(({ commandId, ...fields }) =>
      Object.entries(fields).map(([name, value]) => [`operations.${commandId}.${name}`, value] as const),
    ),
  ];
  return new Map(all.filter(([, value]) => value !== undefined).map(([path, value]) => [path, JSON.stringify(value)]));
}

/** A file with which the order is folded again without Kafka: each record as it was folded here, with the hash of its bytes. */
export function caseOf(merchant: string, orderId: string, records: readonly KeptRecord[], state: OrderState) {
  const journal = records
    .filter(isOfJournal)
    .map(({ partition, offset, hash, body }) => ({ partition, offset, hash, record: body }));
  const others = records.filter((record) => !isOfJournal(record)).map(({ hash: _hash, ...record }) => record);
  return { format: 'tranche-case', version: 1, merchant, orderId, journal, state, others };
}

/** The timeline of all topics, in the order of their times. */
export function timelineOf(records: readonly KeptRecord[], changes: Story['changes']) {
  return records
    .map(({ hash: _hash, ...record }) =>
      compact({ ...record, changed: isOfJournal(record as KeptRecord) ? changes.get(record.offset) : undefined }),
    )
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
}

import { hash } from 'node:crypto';
import { copyWith } from '@tranche/runtime';
import { isEmptyOrder, type OrderState, type ProjectedEvent } from './order-state.js';
import type { JournalRecord } from './records.js';
import { RULES_VERSION } from './versions.js';

/** An event that a record brought about; a repeat is the same event once more. */
export interface Effect {
  event: ProjectedEvent;
  isRepeat?: boolean;
}

/** An order while a record is folded into it, and the events so far. Each transition gives the next one. */
export interface Change {
  readonly order: OrderState;
  readonly events: readonly Effect[];
  /** Time and `recordHash` of the record. */
  readonly at: string;
  readonly hash: string;
  /** The history that the record names, compared with the known one; `fewer`: only its last record is the same, and its writer knew fewer. */
  readonly match: HistoryMatch | 'fewer';
}

/** Named by a record that rests on an order of which nothing was known. */
const NOTHING_SEEN = '-1';

/** A record that is entered: its offset, the `recordHash` of its stored bytes, and the version that it is judged by. */
export interface Entry {
  lastOffset: string;
  hash: string;
  rulesVersion: number;
}

/** The order with the record in its history, before the record is judged. */
export function enter(before: OrderState, record: JournalRecord, { lastOffset, hash, rulesVersion }: Entry): Change {
  const order = copyWith(before, { lastOffset, history: continuedBy(before, hash) });
  if (movesNothing(record)) order.standing = standingOf(before);
  else if (before.standing !== undefined) delete order.standing;
  order.movedAt = movedAt(before, record);
  if (rulesVersion !== RULES_VERSION) order.rulesVersion = rulesVersion;
  if (isEmptyOrder(before)) {
    order.beganAt = record.at;
    if (needsEarlier(record) || restsOnEarlier(record)) order.isPartial = true;
  }
  return { order, events: [], at: record.at, hash, match: matchRecord(before, record) };
}

/** Repetitions, reminders, look-ups, snapshots and tombstones. The kind alone decides: a reader that knows less of the order must decide alike. */
function movesNothing({ record }: JournalRecord): boolean {
  switch (record) {
    case 'REPEATED':
    case 'REMINDED':
    case 'LOOKED_UP':
    case 'SNAPSHOT':
    case 'TOMBSTONE':
      return true;
    default:
      return false;
  }
}

/** Writers' clocks differ: the latest time counts. */
function movedAt({ movedAt: before }: OrderState, record: JournalRecord): string {
  if (before === undefined) return record.at;
  return !movesNothing(record) && isLater(record, before) ? record.at : before;
}

/** Times as `Date.toISOString` writes them sort as text. */
function isLater({ at }: JournalRecord, before: string): boolean {
  return at.length === 24 && before.length === 24 ? at > before : Date.parse(at) > Date.parse(before);
}

/** No order's history begins with such a record: it names what an earlier one began. */
function needsEarlier(record: JournalRecord): boolean {
  switch (record.record) {
    case 'INTENT':
    case 'REJECTED':
      return record.attempt > 1;
    case 'EVIDENCE':
      return record.tag !== undefined || record.commandId !== undefined;
    default:
      return true;
  }
}

/** It names a history that is not kept (R10). */
const restsOnEarlier = (record: JournalRecord): boolean =>
  'seen' in record && record.seen !== undefined && record.seen !== NOTHING_SEEN;

/** The history that the record names, compared with the known one. A record that names none is never stale. */
function matchRecord(before: OrderState, record: JournalRecord): Change['match'] {
  if (!('seen' in record) || record.seen === undefined) return 'unknown';
  const isSaid = record.record === 'EVIDENCE' || record.record === 'SETTLED';
  const known = isSaid ? (before.standing ?? before.history) : before.history;
  const match = matchOf({ history: known === NOTHING_SEEN ? undefined : known }, record.seen);
  return match === 'last' && namesFewer(record.seen, before) ? 'fewer' : match;
}

/**
 * Identity of an order's history, as `BEGINNING.CHAIN.LAST.COUNT`: where its chain began, the running hash of its records since, the hash of the last
 * one, and how many they are. It is the same wherever the journal lies: offsets are not part of it (R10).
 */
function continuedBy(order: OrderState, hash: string): string {
  if (order.history === undefined) return `${hash}.${hash}.${hash}.1`;
  const [beginning, chain, , count] = order.history.split('.') as [string, string, string, string];
  return `${beginning}.${link(chain, hash)}.${hash}.${Number(count) + 1}`;
}

/** The record before, once more: it was appended twice. */
export const isRepetition = ({ history = '' }: OrderState, hash: string): boolean =>
  history.endsWith(`.${hash}`, history.lastIndexOf('.'));

/** The chain begins anew with the record of this hash, which holds the whole state; its count goes on from the history that it names. */
export const begunWith = (hash: string, seen: string): string => `${hash}.${hash}.${hash}.${countOf(seen) + 1}`;

/** 0: an offset, which counts nothing. */
const countOf = (history: string): number => Number(history.split('.')[3] ?? 0);

/** The last record that it names came once more, late: its writer had read only the first one, and knows less than is known here. */
const namesFewer = (seen: string, before: OrderState): boolean => countOf(seen) < countOf(historyOf(before));

/** Names the history that a record rests on. An order without records has none: `-1` stands for it. */
export const historyOf = ({ history, lastOffset }: OrderState): string => history ?? lastOffset;

/** Names what people see of an order: its history, which reminders and repetitions at its end do not change. */
export const standingOf = (order: OrderState): string => order.standing ?? historyOf(order);

/**
 * The history that a record names, compared with the one that is known before it.
 *
 * `whole`: the very same records · `last`: the record before is the same; what came earlier is not known here, or was not where it was written ·
 * `unknown`: nothing before it is kept · `other`: the order moved on.
 */
type HistoryMatch = 'whole' | 'last' | 'unknown' | 'other';

export function matchOf(before: Pick<OrderState, 'history'>, seen: string): HistoryMatch {
  if (before.history === undefined) return 'unknown';
  // The record rests on an order without records.
  if (isOffset(seen)) return 'other';
  const [ours, theirs] = [before.history.split('.'), seen.split('.')];
  if (ours[0] === theirs[0] && ours[1] !== theirs[1] && !isLonger(theirs, ours)) return 'other';
  if (ours[0] === theirs[0] && ours[1] === theirs[1]) return 'whole';
  return ours[2] === theirs[2] ? 'last' : 'other';
}

/**
 * Nobody can name more records of a chain than there are before the own record. Here the beginning is a copy of the chain's first record that was
 * appended late, and all between the two was deleted.
 */
const isLonger = (theirs: string[], ours: string[]): boolean => Number(theirs[3]) > Number(ours[3]);

const isOffset = (seen: string): boolean => /^-?\d+$/.test(seen);

const link = (one: string, other: string): string => hash('sha256', `${one}/${other}`, 'base64url').slice(0, 12);

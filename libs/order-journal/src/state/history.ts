import { hash } from 'node:crypto';
import { isEmptyOrder, type OrderState } from './order-state.js';

/**
 * Identity of an order's history, as `BEGINNING.CHAIN.LAST.COUNT`: where its chain began, the running hash of its records since, the hash of the last
 * one, and how many they are. It is the same wherever the journal lies: offsets are not part of it (R10).
 */
export function continuedBy(order: OrderState, hash: string): string {
  if (order.history === undefined) {
    // Of an order of older rules the records before are in the state, not in the chain: nobody can say that it holds all of them.
    const beginning = isEmptyOrder(order) ? hash : `${OLDER}${hash}`;
    return `${beginning}.${beginning}.${hash}.1`;
  }
  const [beginning, chain, , count] = order.history.split('.') as [string, string, string, string];
  return `${beginning}.${link(chain, hash)}.${hash}.${Number(count) + 1}`;
}

/** The record before, once more: it was appended twice. */
export const isRepetition = ({ history }: OrderState, hash: string): boolean => history?.split('.')[2] === hash;

/**
 * The chain begins anew: the record with this hash holds the whole state.
 * @param seen the history that it names, where the count goes on from that
 */
export const begunWith = (hash: string, seen?: string): string =>
  `${hash}.${hash}.${hash}.${(seen === undefined ? 0 : countOf(seen)) + 1}`;

/** 0: an offset, which counts nothing. */
const countOf = (history: string): number => Number(history.split('.')[3] ?? 0);

/**
 * The last record that it names came once more, late: whoever wrote it had read only the first one, and knows less than is known here. Asked where
 * only the last record matches.
 */
export const namesFewer = (seen: string, before: OrderState): boolean => countOf(seen) < countOf(historyOf(before));

/** Before the beginning of a chain whose order had records of older rules. */
const OLDER = '~';

/** What a record names as the history that it rests on. An order of older rules has none: its last offset is named. */
export const historyOf = ({ history, lastOffset }: OrderState): string => history ?? lastOffset;

/**
 * How the history that a record names fits what is known before it.
 *
 * `whole`: the very same records · `last`: the record before is the same; what came earlier is not known here, or was not where it was written ·
 * `unknown`: nothing before it is kept · `other`: the order moved on.
 */
export type HistoryMatch = 'whole' | 'last' | 'unknown' | 'other';

export function matchOf(before: OrderState, seen: string): HistoryMatch {
  if (isEmptyOrder(before)) return 'unknown';
  if (before.history === undefined) return isOffset(seen) ? (seen === before.lastOffset ? 'last' : 'other') : 'unknown';
  // Of a chain no offset was ever named.
  if (isOffset(seen)) return 'other';
  const [ours, theirs] = [before.history.split('.'), seen.split('.')];
  if (ours[0] === theirs[0] && ours[1] !== theirs[1] && !isLonger(theirs, ours)) return 'other';
  if (ours[0] === theirs[0] && ours[1] === theirs[1] && !seen.startsWith(OLDER)) return 'whole';
  return ours[2] === theirs[2] ? 'last' : 'other';
}

/**
 * Nobody can name more records of a chain than there are before the own record. Here the beginning is a copy of the chain's first record that was
 * appended late, and all between the two was deleted.
 */
const isLonger = (theirs: string[], ours: string[]): boolean => Number(theirs[3]) > Number(ours[3]);

const isOffset = (seen: string): boolean => /^-?\d+$/.test(seen);

const link = (one: string, other: string): string => hash('sha256', `${one}/${other}`, 'base64url').slice(0, 12);

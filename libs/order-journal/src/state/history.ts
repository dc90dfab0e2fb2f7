import { hash } from 'node:crypto';
import type { OrderState } from './order-state.js';

/**
 * Identity of an order's history, as `BEGINNING.CHAIN.LAST.COUNT`: where its chain began, the running hash of its records since, the hash of the last
 * one, and how many they are. It is the same wherever the journal lies: offsets are not part of it (R10).
 */
export function continuedBy(order: OrderState, hash: string): string {
  if (order.history === undefined) return `${hash}.${hash}.${hash}.1`;
  const [beginning, chain, , count] = order.history.split('.') as [string, string, string, string];
  return `${beginning}.${link(chain, hash)}.${hash}.${Number(count) + 1}`;
}

/** The record before, once more: it was appended twice. */
export const isRepetition = ({ history }: OrderState, hash: string): boolean => history?.split('.')[2] === hash;

/** The chain begins anew with the record of this hash, which holds the whole state; its count goes on from the history that it names. */
export const begunWith = (hash: string, seen: string): string => `${hash}.${hash}.${hash}.${countOf(seen) + 1}`;

/** 0: an offset, which counts nothing. */
const countOf = (history: string): number => Number(history.split('.')[3] ?? 0);

/**
 * The last record that it names came once more, late: whoever wrote it had read only the first one, and knows less than is known here. Asked where
 * only the last record matches.
 */
export const namesFewer = (seen: string, before: OrderState): boolean => countOf(seen) < countOf(historyOf(before));

/** Names the history that a record rests on. An order without records has none: `-1` stands for it. */
export const historyOf = ({ history, lastOffset }: OrderState): string => history ?? lastOffset;

/**
 * How the history that a record names fits what is known before it.
 *
 * `whole`: the very same records · `last`: the record before is the same; what came earlier is not known here, or was not where it was written ·
 * `unknown`: nothing before it is kept · `other`: the order moved on.
 */
export type HistoryMatch = 'whole' | 'last' | 'unknown' | 'other';

export function matchOf(before: OrderState, seen: string): HistoryMatch {
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

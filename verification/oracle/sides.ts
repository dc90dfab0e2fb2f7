import { hash } from 'node:crypto';
import { emptyOrder, fold, historyOf, RULES_VERSION, snapshotOf } from '@tranche/order-journal';

/** A record, a state or an event, in the form of either fold. */
export type Json = Readonly<Record<string, unknown>>;

export interface Folded {
  order: Json;
  effects: readonly Json[];
}

/** Functions of a fold that the oracle calls. */
export interface Side {
  fold(order: Json, record: Json, offset: bigint, hash: () => string): Folded;
  emptyOrder(merchant: string, orderId: string): Json;
  historyOf(order: Json): string;
  /** Builds the state in a snapshot record. */
  snapshot(order: Json, at: string): unknown;
  RULES_VERSIONS: readonly number[];
}

/** Further functions that build records, in the old form. */
export interface OldSide extends Side {
  evidenceResult(execCode: string): string;
  execCodeNotes(execCode: string): Json;
  operationTag(commandId: string): string;
}

export interface Sides {
  old: OldSide;
  next: Side;
}

/** Today's fold, from `dist`. */
export const nextSide = {
  fold,
  emptyOrder,
  historyOf,
  snapshot: snapshotOf,
  RULES_VERSIONS: [RULES_VERSION],
} as unknown as Side;

export const hashOf = (record: Json | string): string =>
  hash('sha256', typeof record === 'string' ? record : JSON.stringify(record), 'base64url').slice(0, 12);

import type { FaultCode } from '@tranche/contracts';
import type { MethodId } from '../shop/methods.js';

/**
 * `sending`: stored, not known to be published. `waiting`: published, no result yet. `redirect`: the cardholder is asked to the provider's
 * form. The others are what the result events said last.
 */
export type Phase =
  'sending' | 'waiting' | 'redirect' | 'pending' | 'succeeded' | 'refused' | 'in_doubt' | 'rejected' | 'expired';

/** What a person knows their card by. */
export interface PaidCard {
  brand?: string;
  lastFour: string;
}

/** One command. Its content is kept apart, and only until it is published: it holds personal data and perhaps a card token. */
export interface Attempt {
  /** The command's id: the order's, a dot, the number of the attempt. */
  id: string;
  method: MethodId;
  phase: Phase;
  /** RFC 3339. */
  startedAt: string;
  /** Id of the attempt whose redirect this one replaces. */
  supersedes?: string;
  execCode?: string;
  faultCodes?: FaultCode[];
  /** When a new attempt makes sense. */
  retryAfterSeconds?: number;
  hasForm?: boolean;
  /** RFC 3339: the browser came back from the form with a hint that it may be paid. */
  returnedAt?: string;
  /** What it was paid with, where a notification tells it. */
  card?: PaidCard;
}

export interface OrderItem {
  sku: string;
  quantity: number;
  /** Minor units, of one. */
  price: number;
}

/** What Redis keeps of an order: no name, no address, of a card no more than `PaidCard`. */
export interface Order {
  orderId: string;
  /** Minor units. */
  amount: number;
  items: OrderItem[];
  /** RFC 3339. */
  placedAt: string;
  attempts: Attempt[];
  /** Two payments may have been taken: people look at it. */
  isInConflict?: boolean;
  /** Of the last event that counted, and the ids of those that came with it. */
  lastSequence?: string;
  lastEventIds?: string[];
}

export const attemptId = (orderId: string, number: number): string => `${orderId}.${number}`;

import { createHash } from 'node:crypto';
import type { FaultCode } from '@tranche/contracts';
import type { Customer, FollowUpKind, Operation, OrderItem, PaidCard, Phase } from '../../page/views.js';
import type { MethodId } from '../shop/methods.js';

export type { FollowUpKind, OrderItem, PaidCard, Phase };

/** One command. Its content (personal data, perhaps a card token) is stored separately and only until it is published. */
export interface Attempt {
  /** Id of the command: the order's id, a dot, the attempt's number. */
  id: string;
  method: MethodId;
  phase: Phase;
  /** RFC 3339. */
  startedAt: string;
  /** Id of the attempt whose redirect this one replaces. */
  supersedes?: string;
  execCode?: string;
  faultCodes?: FaultCode[];
  hasForm?: boolean;
  /** RFC 3339. Set when the browser returned from the form with a hint that it may be paid. */
  returnedAt?: string;
  /** The card that paid, if a notification names it. */
  card?: PaidCard;
  /** RFC 3339. Time of the event of the success. */
  succeededAt?: string;
}

/** A command of the shop's desk. Its content follows from this, so it is not stored besides. */
export interface FollowUp extends Operation {
  /** Id of the command. */
  id: string;
  /** RFC 3339. */
  startedAt: string;
}

/** The order in Redis: no address, no card data beyond `PaidCard`, and name and e-mail for the desk only. */
export interface Order {
  orderId: string;
  /** Minor units. */
  amount: number;
  items: OrderItem[];
  customer?: Customer;
  /** RFC 3339. */
  placedAt: string;
  attempts: Attempt[];
  followUps?: FollowUp[];
  /** The time in which the provider takes a capture ends soon. */
  isWindowClosing?: boolean;
  /** A person must check these: commands of which reports differ, and `two_payments_succeeded`. Each stays until people have settled it. */
  conflicts?: string[];
  /** Minor units that people gave back elsewhere when they settled a conflict. */
  repaired?: number;
  /** Sequence of the last applied event, and the ids of the applied events with that sequence. */
  lastSequence?: string;
  lastEventIds?: string[];
}

export const isInConflict = ({ conflicts = [] }: Order): boolean => conflicts.length > 0;

export const attemptId = (orderId: string, number: number): string => `${orderId}.${number}`;

/** The secret part of the order page's address. It gives access to the order and its form, so we neither store nor publish it. */
export const pageIdOf = (key: string): string => hashed(`page ${key}`);

/** ORDERID for Kafka, logs and the platform. It is a hash of the page's secret, which cannot be computed from it. */
export const orderIdOf = (pageId: string): string => hashed(`order ${pageId}`);

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

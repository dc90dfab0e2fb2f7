import { methodOfRail, methodRow } from '@tranche/contracts';
import type { Possible } from '../../page/views.js';
import { decidingAttempt } from './order-state.js';
import { isInConflict, type Attempt, type FollowUp, type FollowUpKind, type Order } from './order.js';
import { METHODS, type PaymentMethod } from '../shop/methods.js';

export interface Taken {
  captured: number;
  refunded: number;
  isVoided: boolean;
}

/** Amounts that events have reported. A card payment takes the money by itself. An authorization of which money was given back is not captured. */
export function takenOf(order: Order): Taken {
  const sum = (operation: FollowUpKind) => succeeded(order, operation).reduce((total, { amount }) => total + amount, 0);
  const paid = paidAttempt(order);
  const captured = paid !== undefined && railOf(paid) === 'card' ? order.amount : sum('capture');
  const { repaired = 0 } = order;
  const isVoided = succeeded(order, 'void').length > 0 || (captured === 0 && repaired > 0);
  return { captured, refunded: sum('refund') + repaired, isVoided };
}

/**
 * The same rules as the gateway's, so that the desk offers nothing that is refused: one operation after the other, one capture, no more given
 * back than taken. While an order is in conflict a person compares first.
 */
export function possibleFollowUps(order: Order): Possible[] {
  const paid = paidAttempt(order);
  const isBusy = order.followUps?.some(({ phase }) => ['sending', 'waiting', 'in_doubt'].includes(phase));
  const { captured, refunded, isVoided } = takenOf(order);
  if (paid === undefined || isInConflict(order) || isBusy || isVoided) return [];
  if (captured > 0) return captured > refunded ? [{ operation: 'refund', most: captured - refunded }] : [];
  const capture: Possible = { operation: 'capture', most: order.amount };
  return methodRow(methodOfRail(railOf(paid))).takesVoid
    ? [capture, { operation: 'void', most: order.amount }]
    : [capture];
}

/** RFC 3339. Until then the provider surely takes the capture (interface, Limits); absent where nothing is to be captured. */
export function captureBy(order: Order): string | undefined {
  const paid = paidAttempt(order);
  const { captured, isVoided } = takenOf(order);
  const days = paid && methodRow(methodOfRail(railOf(paid))).captureWindowDays;
  if (paid?.succeededAt === undefined || days === undefined || captured > 0 || isVoided) return undefined;
  return new Date(Date.parse(paid.succeededAt) + days * 86_400_000).toISOString();
}

export const railOf = ({ method }: Attempt): PaymentMethod['rail'] =>
  METHODS.find(({ id }) => id === method)?.rail ?? 'card';

export function paidAttempt(order: Order): Attempt | undefined {
  const attempt = decidingAttempt(order);
  return attempt?.phase === 'succeeded' ? attempt : undefined;
}

const succeeded = ({ followUps = [] }: Order, operation: FollowUpKind): FollowUp[] =>
  followUps.filter((one) => one.operation === operation && one.phase === 'succeeded');

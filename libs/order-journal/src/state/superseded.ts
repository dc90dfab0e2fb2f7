import type { OperationState, OrderState } from './order-state.js';
import type { Intent } from './records.js';
import { isLeftBehind } from './waiting.js';

/** A redirect that a granted authorization among the others already took the place of. */
export function isSuperseded(others: OperationState[], operation: OperationState): boolean {
  if (!isLeftBehind(operation)) return false;
  const successors = others.filter((other) => other.supersedes === operation.commandId);
  return successors.some(hasTakenItsPlace);
}

/** A doubtful form that nobody has seen: the intent takes its place, or another authorization has. */
export const givesWay = (order: OrderState, doubt: OperationState, intent: Intent): boolean =>
  (intent.supersedes === doubt.commandId && takesPlaceOfDoubt(order, intent) === true) ||
  isDoubtSuperseded(order, doubt);

/** What it names is an authorization in doubt now, and its merchant allows it. */
export function takesPlaceOfDoubt(
  order: OrderState,
  { operation, supersedes, supersedesDoubt }: Intent,
): true | undefined {
  const doubt = order.operations.find(({ commandId }) => commandId === supersedes);
  const isAllowed = operation === 'authorize' && supersedesDoubt === true;
  return isAllowed && doubt?.operation === 'authorize' && doubt.phase === 'in_doubt' ? true : undefined;
}

/** A granted authorization took the place of this one while it was in doubt: its form must not be shown any more. */
export const isDoubtSuperseded = ({ operations }: OrderState, { commandId }: OperationState): boolean =>
  operations.some((other) => other.supersedesDoubt && other.supersedes === commandId && hasTakenItsPlace(other));

const hasTakenItsPlace = ({ end }: OperationState): boolean =>
  end !== 'rejected' && end !== 'given_up' && end !== 'not_executed';

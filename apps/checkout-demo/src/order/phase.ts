import type { Outcome, PaymentEvent } from '@tranche/contracts';
import type { Phase } from './order.js';

const PHASE_OF_ENDING: Readonly<Record<string, Phase>> = {
  succeeded: 'succeeded',
  refused: 'refused',
  rejected: 'rejected',
  in_doubt: 'in_doubt',
  redirect_required: 'redirect',
  pending: 'pending',
  expired: 'expired',
};

const PHASE_OF_OUTCOME: Readonly<Record<Outcome, Phase>> = {
  succeeded: 'succeeded',
  refused: 'refused',
  not_executed: 'rejected',
  redirect_required: 'redirect',
  pending: 'pending',
};

/** The phase of the attempt or follow-up that the event names; undefined for events that are no result. */
export function phaseOf(type: string, { outcome }: PaymentEvent): Phase | undefined {
  const [, , ending = ''] = type.split('.');
  return ending === 'doubt_resolved' ? outcome && PHASE_OF_OUTCOME[outcome] : PHASE_OF_ENDING[ending];
}

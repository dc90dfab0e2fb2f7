import type { Phase } from './order.js';

/** By the ending of an event's type; of a doubt that is resolved, by its outcome. */
const PHASES: Readonly<Record<string, Phase>> = {
  succeeded: 'succeeded',
  refused: 'refused',
  rejected: 'rejected',
  not_executed: 'rejected',
  in_doubt: 'in_doubt',
  redirect_required: 'redirect',
  pending: 'pending',
  expired: 'expired',
};

/** The phase of the attempt or follow-up that the event names; undefined for events that are no result. */
export function phaseOf(type: string, { outcome = '' }: { outcome?: string }): Phase | undefined {
  const [, , ending = ''] = type.split('.');
  return PHASES[ending === 'doubt_resolved' ? outcome : ending];
}

import { type OrderState, findOperation, isInDoubt, nextStep } from '@tranche/order-journal';
import { faultsOfAge } from '@tranche/platform';
import { Problem } from '@tranche/service-kit';
import type { AcceptedCommand } from '../command/accepted-command.js';

type ReplayVerdict = 'attempt' | 'repeat' | 'wait' | 'id-reused' | 'too-old' | 'in-doubt';

export interface JudgedReplay {
  verdict: ReplayVerdict;
  why: string;
}

/** Nobody can know of an older command that its shop still wants it. */
const WANTED_FOR_MS = 86_400_000;

/**
 * Says what the gateway would do with a command that is published again. It judges the command once more when it takes it, so an order that moves
 * meanwhile costs nothing.
 * @throws Problem where the order takes no command any more
 */
export function judgeReplay(
  order: OrderState,
  command: AcceptedCommand,
  { nowMs, isBeforeResume }: { nowMs: number; isBeforeResume: boolean },
): JudgedReplay {
  const known = findOperation(order, command.commandId);
  const { step } = nextStep(order, command);
  if (step === 'reused')
    return { verdict: 'id-reused', why: 'Its id is that of a command with other content: publish it with a new id.' };
  const doubt = order.operations.find(isInDoubt);
  if (doubt !== undefined) {
    const whose = doubt === known ? 'It is' : `The ${doubt.operation} ${doubt.commandId} of its order is`;
    return { verdict: 'in-doubt', why: `${whose} in doubt: resolve that first.` };
  }
  if (step === 'wait') return { verdict: 'wait', why: 'A call of its order is under way: its result comes by itself.' };
  if (step === 'repeat')
    return {
      verdict: 'repeat',
      why: `Its order has it (${known?.end ?? known?.phase}): its event is published again.`,
    };
  if (step === 'not_taken' || order.isFrozen === true)
    throw notReplayable(order.isFrozen ? 'Its order is frozen.' : 'Its order has as many operations as it may have.');
  const [old] = agesOf(command, nowMs, isBeforeResume);
  if (old !== undefined) return { verdict: 'too-old', why: old };
  return { verdict: 'attempt', why: 'Nothing was executed for it, and no call of its order is under way.' };
}

function agesOf(command: AcceptedCommand, nowMs: number, isBeforeResume: boolean): string[] {
  const faults = faultsOfAge(command, nowMs).map(({ path, message }) => `It would be refused: ${path} ${message}.`);
  const madeMs = Math.min(command.timeMs, command.appendedMs ?? Infinity);
  return [
    ...(isBeforeResume
      ? ['Its journal partition was resumed since, so it may have been executed: publish it with a new id if not.']
      : []),
    ...faults,
    ...(nowMs - madeMs > WANTED_FOR_MS
      ? [`It was made at ${new Date(madeMs).toISOString()}, more than a day ago.`]
      : []),
  ];
}

export function notReplayable(detail: string): Problem {
  return new Problem({ status: 409, code: 'not_replayable', detail });
}

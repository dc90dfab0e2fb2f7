import type { CloudEvent, FaultCode, PaymentEvent } from '@tranche/contracts';
import { isInConflict, type Attempt, type FollowUp, type Order, type PaidCard, type Phase } from './order.js';

/** Returns the same object if the event changes nothing. Events may be redelivered, also late. */
export function afterEvent(order: Order, event: CloudEvent<PaymentEvent>): Order {
  if (isOld(order, event)) return order;
  const next = afterConflictEvent(afterFollowUpEvent(withResult(order, event), event), event);
  return next === order ? order : seen(next, event);
}

/** After a return whose hint says it may be paid, we offer no other attempt for this time. */
const CONFIRMATION_WAIT_MS = 15 * 60_000;

/** Returns the next attempt's number and the redirect it replaces; undefined if nothing may be paid now. */
export function nextAttempt(order: Order, nowMs: number): { number: number; supersedes?: string } | undefined {
  const isHeld = order.attempts.some((attempt) => HOLDS[attempt.phase] || isConfirming(attempt, nowMs));
  if (isInConflict(order) || isHeld) return undefined;
  return { number: order.attempts.length + 1, ...replacing(liveRedirect(order)) };
}

/** The attempt whose phase the order shows: one that took money, else one that may take it, else the last one. */
export function decidingAttempt(order: Order): Attempt | undefined {
  const of = (...phases: Phase[]) => order.attempts.findLast(({ phase }) => phases.includes(phase));
  return (
    of('succeeded') ??
    of('in_doubt') ??
    of('pending') ??
    of('waiting', 'sending') ??
    liveRedirect(order) ??
    order.attempts.at(-1)
  );
}

/** The redirect that the cardholder may still follow. A rejected command replaced nothing. */
export function liveRedirect({ attempts }: Order): Attempt | undefined {
  const isReplaced = ({ id }: Attempt) =>
    attempts.some((other) => other.supersedes === id && other.phase !== 'rejected');
  return attempts.findLast((attempt) => attempt.phase === 'redirect' && !isReplaced(attempt));
}

function withAttempt(order: Order, id: string, change: (attempt: Attempt) => Attempt): Order {
  const attempts = order.attempts.map((attempt) => (attempt.id === id ? change(attempt) : attempt));
  return attempts.every((attempt, index) => attempt === order.attempts[index]) ? order : { ...order, attempts };
}

/** A result event may arrive before we know that the command was published; then the phase stays. */
export function afterPublishing(order: Order, id: string): Order {
  return withAttempt(order, id, (attempt) =>
    attempt.phase === 'sending' ? { ...attempt, phase: 'waiting' } : attempt,
  );
}

/** The client refused to publish. `id_reused` means that an earlier command with this id may have paid, so the attempt is in doubt. */
export function afterInvalid(order: Order, id: string, faultCodes: readonly FaultCode[]): Order {
  const phase = faultCodes.includes('id_reused') ? 'in_doubt' : 'rejected';
  return withAttempt(order, id, (attempt) =>
    isUnheardOf(attempt) ? { ...attempt, phase, faultCodes: [...faultCodes] } : attempt,
  );
}

/** The browser returned from the form and may have paid. The hint can only delay another attempt; the result comes from the events. */
export function afterReturn(order: Order, time: string): Order {
  const form = liveRedirect(order);
  return form === undefined ? order : withAttempt(order, form.id, (attempt) => ({ ...attempt, returnedAt: time }));
}

export function isConfirming({ phase, returnedAt }: Attempt, nowMs: number): boolean {
  return phase === 'redirect' && returnedAt !== undefined && nowMs - Date.parse(returnedAt) < CONFIRMATION_WAIT_MS;
}

const isUnheardOf = ({ phase }: Attempt): boolean => phase === 'sending' || phase === 'waiting';

/** While an attempt is in a phase that is true here, no other attempt may start. */
const HOLDS: Readonly<Record<Phase, boolean>> = {
  sending: true,
  waiting: true,
  pending: true,
  in_doubt: true,
  succeeded: true,
  redirect: false,
  refused: false,
  rejected: false,
  expired: false,
};

const replacing = (attempt: Attempt | undefined) => (attempt === undefined ? {} : { supersedes: attempt.id });

/** `sequence` increases within an order. Two events of one journal record share it, so they are distinguished by id. */
function isOld({ lastSequence, lastEventIds = [] }: Order, { sequence, id }: CloudEvent): boolean {
  if (sequence === undefined || lastSequence === undefined) return false;
  return sequence < lastSequence || (sequence === lastSequence && lastEventIds.includes(id));
}

function seen(order: Order, { sequence, id }: CloudEvent): Order {
  if (sequence === undefined) return order;
  const lastEventIds = sequence === order.lastSequence ? [...(order.lastEventIds ?? []), id] : [id];
  return { ...order, lastSequence: sequence, lastEventIds };
}

function withResult(order: Order, event: CloudEvent<PaymentEvent>): Order {
  const { commandId } = event.data;
  const phase = isAboutReuse(event) ? 'in_doubt' : phaseOf(event.type, event.data);
  if (commandId === undefined || phase === undefined || !OF_ATTEMPTS.test(event.type)) return order;
  return withAttempt(order, commandId, (attempt) => {
    if (mayBecome(attempt, phase, event)) return afterResult(attempt, phase, event);
    return phase === 'succeeded' ? withCard(attempt, event.data) : attempt;
  });
}

/** If the platform's answer arrives before the notification, a second success event follows, with the card. */
function withCard(attempt: Attempt, data: PaymentEvent): Attempt {
  const card = attempt.card ?? paidCard(data);
  return card === attempt.card || card === undefined ? attempt : { ...attempt, card };
}

function paidCard({ maskedCard, cardBrand }: PaymentEvent): PaidCard | undefined {
  const [lastFour] = /\d{4}$/.exec(maskedCard ?? '') ?? [];
  return lastFour === undefined ? undefined : { ...(cardBrand && { brand: cardBrand }), lastFour };
}

/**
 * Only people who settle a conflict overwrite a success: contradictions come as conflict events. A rejection has no sequence, so it counts only before a
 * result.
 */
function mayBecome(attempt: Attempt, phase: Phase, { type }: CloudEvent<PaymentEvent>): boolean {
  if (type === SETTLED) return attempt.phase !== phase;
  return type === 'payment.command.rejected' ? isUnheardOf(attempt) : attempt.phase !== 'succeeded';
}

/** Another command was accepted under this id. After a loss of Redis that may be our own earlier one, so it may have paid. */
function isAboutReuse({ type, data }: CloudEvent<PaymentEvent>): boolean {
  return type === 'payment.command.rejected' && data.faults?.some(({ code }) => code === 'id_reused') === true;
}

function afterResult(attempt: Attempt, phase: Phase, { data, time }: CloudEvent<PaymentEvent>): Attempt {
  const { execCode, faults = [], redirectHtml } = data;
  const { id, method, startedAt, supersedes } = attempt;
  return {
    id,
    method,
    phase,
    startedAt,
    supersedes,
    execCode,
    ...(faults.length > 0 && { faultCodes: [...new Set(faults.map(({ code }) => code))].slice(0, 5) }),
    ...(phase === 'redirect' && { hasForm: redirectHtml !== undefined || attempt.hasForm === true }),
    ...(phase === 'succeeded' && { card: paidCard(data), succeededAt: time }),
  };
}

const SETTLED = 'payment.conflict.settled';
const OF_ATTEMPTS = /^payment\.(?:authorize|pay|command|conflict)\./;
const PAID_TWICE = 'two_payments_succeeded';

function afterConflictEvent(order: Order, { type, data }: CloudEvent<PaymentEvent>): Order {
  if (type !== 'payment.conflict.detected' && type !== SETTLED) return order;
  const { conflicts = [], repaired = 0 } = order;
  const about = new Set((data.flags ?? []).map((flag) => (flag === PAID_TWICE ? flag : (data.commandId ?? ''))));
  if (type !== SETTLED) return { ...order, conflicts: [...new Set([...conflicts, ...about])] };
  // People gave back the second of two payments, so the order stays paid.
  const given = about.has(PAID_TWICE) ? 0 : (data.repairedAmount ?? 0);
  return { ...order, conflicts: conflicts.filter((one) => !about.has(one)), repaired: repaired + given };
}

/** Returns the same order if the event is about none of the shop's captures, refunds and voids. */
function afterFollowUpEvent(order: Order, { type, data }: CloudEvent<PaymentEvent>): Order {
  if (type === 'payment.capture_window.closing' && !order.isWindowClosing) return { ...order, isWindowClosing: true };
  const phase = phaseOf(type, data);
  if (phase === undefined) return order;
  return withFollowUp(order, data.commandId, (one) => ({
    ...one,
    phase: one.phase === 'succeeded' && type !== SETTLED ? one.phase : phase,
    amount: (phase === 'succeeded' ? (data.otherAmount ?? data.amount) : undefined) ?? one.amount,
    ...(data.execCode === undefined ? {} : { execCode: data.execCode }),
  }));
}

export function withFollowUp(order: Order, id: string | undefined, change: (one: FollowUp) => FollowUp): Order {
  if (order.followUps?.some((one) => one.id === id) !== true) return order;
  return { ...order, followUps: order.followUps.map((one) => (one.id === id ? change(one) : one)) };
}

/** By the ending of an event's type; of a doubt that is resolved and of a conflict, by the outcome. */
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
function phaseOf(type: string, { outcome = '' }: { outcome?: string }): Phase | undefined {
  const [, , ending = ''] = type.split('.');
  return PHASES[['doubt_resolved', 'settled'].includes(ending) ? outcome : ending];
}

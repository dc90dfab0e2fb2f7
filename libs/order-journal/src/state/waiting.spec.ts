import {
  answered,
  asked,
  folded,
  later,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
  START,
} from '../../test/order-story.js';
import { isLive } from './guards.js';
import { findOperation, verdictOf } from './order-state.js';
import type { EvidenceRecord, JournalRecord } from './records.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const onForm = [asked('authorize'), answered('authorize', '0002')];
const onHold = [asked('authorize'), answered('authorize', '0003')];
const onHoldA = [asked('authorize', { method: 'A' }), answered('authorize', '0003')];
const cardOnForm = [asked('pay'), answered('pay', '0001')];
const cardOnHold = [asked('pay'), answered('pay', '0003')];

const ends = (name: string, afterMs: number): JournalRecord => {
  const { merchant, orderId } = asked(name);
  return { record: 'EXPIRED', rulesVersion: 1, merchant, orderId, at: later(afterMs), commandId: name, attempt: 1 };
};
const says = (name: string, result: EvidenceRecord['result'], afterMs: number): EvidenceRecord => ({
  ...operatorSays(name, result),
  at: later(afterMs),
});
const after = (...records: JournalRecord[]) => folded(records);
const verdict = (records: JournalRecord[], name: string, supersedes?: string) => {
  const intent = asked(name, supersedes === undefined ? {} : { supersedes });
  return verdictOf(folded([...records, intent]).order, intent.token);
};
const isStillLive = (records: JournalRecord[], name: string) => {
  const { order } = after(...records);
  return isLive(order, findOperation(order, name)!);
};

describe('the end by our timer', () => {
  it.each([
    ['a redirect of method A or B: 7 days', onForm, 'authorize', 7],
    ['a card payment at its form: 7 days', cardOnForm, 'pay', 7],
    ['a card payment that waits for an approval: 6 days', cardOnHold, 'pay', 6],
    ['a pending authorization: 6 days', onHold, 'authorize', 6],
  ])('%s, not a millisecond before', (_what, records, name, days) => {
    const early = after(...records, ends(name, days * DAY_MS - 1));
    expect([standing(early.order, name), early.events.length]).toEqual([early.order.operations[0]?.phase, 1]);
    const late = after(...records, ends(name, days * DAY_MS));
    expect([standing(late.order, name), late.events.at(-1)]).toEqual(['ended expired', `${name}.expired`]);
    expect(late.bodies.at(-1)).toMatchObject({ origin: 'timer' });
  });

  it('counts from the latest time that the order has seen: a writer whose clock is behind brings no end forward', () => {
    const behind = { ...answered('authorize', '0003'), at: later(-10 * DAY_MS) };
    const records = [asked('authorize'), behind, ends('authorize', DAY_MS)];
    expect(standing(after(...records).order, 'authorize')).toBe('pending');
  });

  it.each([
    ['a redirect', [...onForm, ends('authorize', 7 * DAY_MS)], 'authorize', true],
    ['a card payment at its form', [...cardOnForm, ends('pay', 7 * DAY_MS)], 'pay', true],
    ['a card payment on hold', [...cardOnHold, ends('pay', 6 * DAY_MS)], 'pay', true],
    ['a pending authorization of method A', [...onHoldA, ends('authorize', 6 * DAY_MS)], 'authorize', true],
    [
      'a pending authorization of method B: the interface ends it',
      [...onHold, ends('authorize', 6 * DAY_MS)],
      'authorize',
      false,
    ],
  ])('leaves it live to the guards: %s', (_what, records, name, isLiveStill) => {
    expect(isStillLive(records, name)).toBe(isLiveStill);
    expect(verdict(records, 'authorize-2')).toBe(isLiveStill ? 'rejected' : 'granted');
  });

  const gone = [...onForm, ends('authorize', 7 * DAY_MS)];

  it('lets an authorization take its place that names it', () => {
    expect(verdict(gone, 'authorize-2', 'authorize')).toBe('granted');
    const next = [...gone, asked('authorize-2', { supersedes: 'authorize' }), answered('authorize-2', '4001')];
    expect(verdict(next, 'authorize-3')).toBe('granted');
  });

  it.each([
    ['a refusal', notified('authorize', '4017'), false],
    ['an operator who found that nothing was executed', says('authorize', 'not_executed', 8 * DAY_MS), false],
    ['an operator who found a refusal', says('authorize', 'refused', 8 * DAY_MS), false],
    ['a code that says "not executed", which can not be true', notified('authorize', '5003'), true],
    ['"already done"', notified('authorize', '2016'), true],
  ])('frees the order on evidence: %s', (_what, evidence, isLiveStill) => {
    const { order, events } = after(...gone, evidence);
    expect([standing(order, 'authorize'), events.at(-1)]).toEqual(['ended expired', 'authorize.expired']);
    expect(isStillLive([...gone, evidence], 'authorize')).toBe(isLiveStill);
  });

  it('is a success with a conflict if the cardholder came after it, and two payments are a conflict too', () => {
    const { order, events } = after(...gone, notified('authorize', '0000'));
    expect([standing(order, 'authorize'), ...events.slice(-2)]).toEqual([
      'ended succeeded',
      'authorize.succeeded',
      'conflict.detected',
    ]);
    expect(findOperation(order, 'authorize')?.mayYetSucceed).toBeUndefined();
    const next = [asked('authorize-2', { supersedes: 'authorize' }), answered('authorize-2', '0000')];
    const twice = after(...gone, ...next, notified('authorize', '0000'));
    expect(twice.bodies.at(-1)?.flags).toContain('two_payments_succeeded');
  });

  it('leaves the capture of the back office to it, while it may have succeeded', () => {
    const { order } = after(...gone, notifiedElsewhere('capture', '0000', { transactionId: 'T-office' }));
    expect(order.external[0]?.of).toBe('authorize');
  });
});

describe('an operator’s way out', () => {
  it.each([
    ['a redirect', onForm, 'authorize'],
    ['a pending authorization', onHold, 'authorize'],
    ['a card payment at its form', cardOnForm, 'pay'],
    ['a card payment on hold', cardOnHold, 'pay'],
  ])('of %s counts from a day on', (_what, records, name) => {
    const phase = after(...records).order.operations[0]?.phase;
    expect(standing(after(...records, says(name, 'refused', DAY_MS - 1)).order, name)).toBe(phase);
    const { order, events, bodies } = after(...records, says(name, 'refused', DAY_MS));
    expect([standing(order, name), events.at(-1)]).toEqual(['ended refused', `${name}.refused`]);
    expect(bodies.at(-1)).toMatchObject({ origin: 'operator' });
    expect(findOperation(order, name)?.resolvedBy).toMatchObject({ actor: 'alice' });
  });

  it.each([
    ['succeeded', 'ended succeeded', 'authorize.succeeded'],
    ['not_executed', 'ended not_executed', 'authorize.doubt_resolved'],
  ] as const)('may be %s', (result, stands, event) => {
    const { order, events, bodies } = after(...onForm, says('authorize', result, DAY_MS));
    expect([standing(order, 'authorize'), events.at(-1)]).toEqual([stands, event]);
    expect(bodies.at(-1)).toMatchObject({ origin: 'operator' });
  });

  it('counts for the attempt that it names alone', () => {
    const other = { ...says('authorize', 'refused', DAY_MS), attempt: 2 };
    expect(standing(after(...onForm, other).order, 'authorize')).toBe('redirect_required');
  });
});

describe('"not executed" of what waits', () => {
  it.each([
    ['a redirect', onForm, 'redirect_required', notified('authorize', '5003')],
    ['a pending authorization', onHold, 'pending', notified('authorize', '5005')],
    ['by a late answer', [asked('authorize'), notified('authorize', '0003')], 'pending', notExecuted('authorize')],
  ])('keeps its phase and is published once: %s', (_what, records, phase, reported) => {
    const { order, events, bodies } = after(...records, reported, reported);
    expect([standing(order, 'authorize'), events.filter((type) => type === 'conflict.detected')]).toEqual([
      phase,
      ['conflict.detected'],
    ]);
    expect(bodies.at(-1)?.flags).toEqual([`was_${phase}`, 'said_not_executed']);
    expect(findOperation(order, 'authorize')?.saidNotExecutedAt).toBe(START);
  });

  it('opens it to an operator, 15 minutes after the INTENT where nothing was executed', () => {
    const records = [...onForm, notified('authorize', '5003')];
    expect(standing(after(...records, says('authorize', 'refused', 0)).order, 'authorize')).toBe('ended refused');
    const early = says('authorize', 'not_executed', 15 * MINUTE_MS - 1);
    expect(standing(after(...records, early).order, 'authorize')).toBe('redirect_required');
    const late = says('authorize', 'not_executed', 15 * MINUTE_MS);
    expect(standing(after(...records, late).order, 'authorize')).toBe('ended not_executed');
  });

  it('the cardholder may pay all the same', () => {
    const { order } = after(...onForm, notified('authorize', '5003'), notified('authorize', '0000'));
    expect(standing(order, 'authorize')).toBe('ended succeeded');
  });
});

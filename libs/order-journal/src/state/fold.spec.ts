import type { PlatformAnswer } from '@tranche/contracts';
import { operationTag, tagExtraData } from './extradata-tag.js';
import { fold } from './fold.js';
import { historyOf } from './history.js';
import { emptyOrder, findOperation, type OrderState, verdictOf } from './order-state.js';
import type { EvidenceRecord, Intent, JournalRecord, Outcome } from './records.js';
import { RULES_VERSION } from './versions.js';

const AT = '2026-03-01T10:00:00.000Z';
const WEEK_LATER = '2026-03-08T10:00:00.000Z';
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order-1', at: AT };

function intent(commandId: string, change: Partial<Intent> = {}): Intent {
  const attempt = change.attempt ?? 1;
  const terms = {
    operation: 'authorize',
    method: 'A',
    currency: 'EUR',
    amount: 15000,
    contentHash: `hash-${commandId}`,
  } as const;
  return {
    record: 'INTENT',
    ...inOrder,
    commandId,
    attempt,
    token: `${commandId}#${attempt}`,
    tag: 'yes',
    ...terms,
    ...change,
  };
}
function outcome(commandId: string, result: Outcome['result'], answer: PlatformAnswer = {}, attempt = 1): Outcome {
  return {
    record: 'OUTCOME',
    ...inOrder,
    commandId,
    attempt,
    token: `${commandId}#${attempt}`,
    result,
    answer: { transactionId: `T-${commandId}`, ...answer },
  };
}
const notExecuted = (commandId: string, attempt = 1): JournalRecord => ({
  ...{ record: 'NOT_EXECUTED', ...inOrder, commandId, attempt, token: `${commandId}#${attempt}` },
  ...{ reason: 'execcode', message: 'maintenance', execCode: '5003' },
});
const inDoubt = (commandId: string, attempt = 1): JournalRecord => ({
  ...{
    record: 'IN_DOUBT',
    ...inOrder,
    commandId,
    attempt,
    token: `${commandId}#${attempt}`,
    reason: 'timeout',
    message: 'no answer',
  },
});
function evidence(
  result: EvidenceRecord['result'],
  change: Partial<EvidenceRecord> & { of?: string; attemptTagged?: number } = {},
): EvidenceRecord {
  const { of, attemptTagged = 1, ...rest } = change;
  const execCode = {
    succeeded: '0000',
    refused: '4001',
    pending: '0003',
    redirect_required: '0002',
    not_executed: '5001',
    in_doubt: '5004',
  }[result];
  const tag = of === undefined ? {} : { tag: { operation: operationTag(of), attempt: attemptTagged } };
  return {
    record: 'EVIDENCE',
    ...inOrder,
    source: 'notification',
    operation: 'authorize',
    result,
    ...tag,
    answer: { execCode, transactionId: `T-${of ?? 'x'}` },
    ...rest,
  };
}
const capture = (commandId: string, change: Partial<Intent> = {}) =>
  intent(commandId, { operation: 'capture', transactionId: 'T-a', amount: undefined, ...change });
const refund = (commandId: string, amount?: number) =>
  intent(commandId, { operation: 'refund', transactionId: 'T-c', amount });
const payment = (result: Outcome['result']) => [
  intent('p', { operation: 'pay', method: 'card' }),
  outcome('p', result),
];
const waitingPayment = payment('redirect_required');
const refusedPayment = payment('refused');
const refundOfPayment = (commandId: string) =>
  intent(commandId, { operation: 'refund', transactionId: 'T-p', amount: 100 });
const voiding = (commandId: string) =>
  intent(commandId, { operation: 'void', transactionId: 'T-a', amount: undefined });

function run(
  records: JournalRecord[],
  from: OrderState = emptyOrder('shop-fr', 'order-1'),
): { order: OrderState; events: string[]; bodies: Record<string, unknown>[] } {
  let order = from;
  const effects = [];
  for (const [index, record] of records.entries()) {
    const folded = fold(order, record, BigInt(order.lastOffset) + BigInt(index % 2) + 1n);
    order = folded.order;
    effects.push(...folded.effects);
  }
  return {
    order,
    events: effects.map(({ event }) => event.type.replace('payment.', '')),
    bodies: effects.map(({ event }) => ({ ...event.body })),
  };
}
const phaseOf = (order: OrderState, commandId: string) => {
  const operation = findOperation(order, commandId);
  return (
    operation && [operation.phase, operation.attempt, operation.end].filter((part) => part !== undefined).join(' ')
  );
};

/** Its EXTRADATA had no room for the tag. */
const untagged = (commandId: string, change: Partial<Intent> = {}) => intent(commandId, { tag: undefined, ...change });

const authorized = [intent('a'), outcome('a', 'succeeded')];
const captured = [...authorized, capture('c'), outcome('c', 'succeeded')];

describe('an INTENT is judged once', () => {
  const table: [what: string, records: JournalRecord[], commandId: string, attempt: number, verdict: string][] = [
    ['the first of an order', [intent('a')], 'a', 1, 'granted'],
    ['a second token for an open attempt', [intent('a'), intent('a', { token: 'other' })], 'a', 1, 'granted'],
    ['an attempt that is not the next one', [intent('a', { attempt: 2 })], 'a', 2, 'lost'],
    [
      'the next attempt after NOT_EXECUTED',
      [intent('a'), notExecuted('a'), intent('a', { attempt: 2 })],
      'a',
      2,
      'granted',
    ],
    ['while another operation is open', [intent('a'), intent('b')], 'b', 1, 'busy'],
    ['while another operation is in doubt', [intent('a'), inDoubt('a'), intent('b')], 'b', 1, 'rejected'],
    ['a second authorization beside a live one', [...authorized, intent('b')], 'b', 1, 'rejected'],
    [
      'a second authorization beside a redirect',
      [intent('a'), outcome('a', 'redirect_required'), intent('b')],
      'b',
      1,
      'rejected',
    ],
    [
      'an authorization that supersedes the redirect',
      [intent('a'), outcome('a', 'redirect_required'), intent('b', { supersedes: 'a' })],
      'b',
      1,
      'granted',
    ],
    ['one that supersedes a success', [...authorized, intent('b', { supersedes: 'a' })], 'b', 1, 'rejected'],
    ['an authorization after a refused one', [intent('a'), outcome('a', 'refused'), intent('b')], 'b', 1, 'granted'],
    [
      'an authorization after a voided one',
      [...authorized, voiding('v'), outcome('v', 'succeeded'), intent('b')],
      'b',
      1,
      'granted',
    ],
    ['a capture of a succeeded authorization', [...authorized, capture('c')], 'c', 1, 'granted'],
    ['a capture of a redirect', [intent('a'), outcome('a', 'redirect_required'), capture('c')], 'c', 1, 'rejected'],
    ['a second capture', [...captured, capture('d')], 'd', 1, 'rejected'],
    [
      'a second capture after a refused one',
      [...authorized, capture('c'), outcome('c', 'refused'), capture('d')],
      'd',
      1,
      'granted',
    ],
    ['a capture of the whole amount', [...authorized, capture('c', { amount: 15000 })], 'c', 1, 'granted'],
    ['a capture above the amount', [...authorized, capture('c', { amount: 15001 })], 'c', 1, 'rejected'],
    ['a capture of an authorization never seen', [capture('c', { transactionId: 'T-elsewhere' })], 'c', 1, 'granted'],
    [
      'a capture after void',
      [...authorized, voiding('v'), outcome('v', 'succeeded'), capture('c')],
      'c',
      1,
      'rejected',
    ],
    ['a void after capture', [...captured, voiding('v')], 'v', 1, 'rejected'],
    ['a second void', [...authorized, voiding('v'), outcome('v', 'succeeded'), voiding('w')], 'w', 1, 'rejected'],
    ['a void of a capture', [...captured, { ...voiding('v'), transactionId: 'T-c' }], 'v', 1, 'rejected'],
    ['a refund of all', [...captured, refund('r', 15000)], 'r', 1, 'granted'],
    ['a refund above what remains', [...captured, refund('r', 15001)], 'r', 1, 'rejected'],
    [
      'a refund of a payment that waits for its cardholder',
      [...waitingPayment, refundOfPayment('r')],
      'r',
      1,
      'rejected',
    ],
    ['a refund of a payment that was refused', [...refusedPayment, refundOfPayment('r')], 'r', 1, 'rejected'],
    [
      'a second refund of the rest',
      [...captured, refund('r', 14999), outcome('r', 'succeeded'), refund('s', 1)],
      's',
      1,
      'granted',
    ],
    [
      'a second refund above the rest',
      [...captured, refund('r', 14999), outcome('r', 'succeeded'), refund('s', 2)],
      's',
      1,
      'rejected',
    ],
    [
      'a refund where nothing remains',
      [...captured, refund('r'), outcome('r', 'succeeded'), refund('s')],
      's',
      1,
      'rejected',
    ],
  ];
  it.each(table)('%s', (_what, records, commandId, attempt, verdict) => {
    expect(verdictOf(run(records).order, `${commandId}#${attempt}`)).toBe(verdict);
  });

  it('gives a second token of an open attempt "lost" and leaves the first alone', () => {
    const { order } = run([intent('a'), intent('a', { token: 'other' })]);
    expect(order.verdicts).toEqual([
      ['a#1', 'granted'],
      ['other', 'lost'],
    ]);
  });

  it('ignores a token that was seen, whatever happened in between', () => {
    const { order } = run([intent('a'), intent('b'), outcome('a', 'refused'), intent('b')]);
    expect(verdictOf(order, 'b#1')).toBe('busy');
    expect(phaseOf(order, 'b')).toBeUndefined();
  });

  it('ends a rejected operation with the reason', () => {
    const { order, events, bodies } = run([...captured, capture('d')]);
    expect(phaseOf(order, 'd')).toBe('ended 1 rejected');
    expect(events.at(-1)).toBe('capture.rejected');
    expect(bodies.at(-1)).toMatchObject({ commandId: 'd', faults: [{ code: 'already_captured' }] });
  });

  it('fills in the platform’s default amounts [States.capture] [Capture.{default-amount,at-most,lower-amount}] [Limits.capture-amount]', () => {
    const { order } = run([...captured, refund('r', 5000), outcome('r', 'succeeded'), refund('s')]);
    expect([findOperation(order, 'c')?.amount, findOperation(order, 's')?.amount]).toEqual([15000, 10000]);
  });

  it('marks a capture later than 7 days as not guaranteed, not one at 7 days [Service.5.seven-days] [States.late-capture] [Authorization.rule-2] [Capture.window] [Limits.capture-window] [Capture.time-by-contract]', () => {
    const at7Days = capture('c', { at: '2026-03-08T10:00:00.000Z' });
    const later = capture('c', { at: '2026-03-08T10:00:00.001Z' });
    expect(findOperation(run([...authorized, at7Days]).order, 'c')?.flags).toBeUndefined();
    expect(findOperation(run([...authorized, later]).order, 'c')?.flags).toEqual(['capture_window_passed']);
  });
});

describe('an attempt is closed by its own token only', () => {
  const table: [what: string, records: JournalRecord[], phase: string, events: string[]][] = [
    ['success', [intent('a'), outcome('a', 'succeeded')], 'ended 1 succeeded', ['authorize.succeeded']],
    ['refusal', [intent('a'), outcome('a', 'refused')], 'ended 1 refused', ['authorize.refused']],
    [
      'redirect_required',
      [intent('a'), outcome('a', 'redirect_required')],
      'redirect_required 1',
      ['authorize.redirect_required'],
    ],
    ['pending', [intent('a'), outcome('a', 'pending')], 'pending 1', ['authorize.pending']],
    ['not executed', [intent('a'), notExecuted('a')], 'idle 2', []],
    ['doubt', [intent('a'), inDoubt('a')], 'in_doubt 1', ['authorize.in_doubt']],
    ['doubt twice', [intent('a'), inDoubt('a'), inDoubt('a')], 'in_doubt 1', ['authorize.in_doubt']],
    [
      'a foreign token: the call that nobody was granted is a conflict',
      [intent('a'), { ...outcome('a', 'succeeded'), token: 'stranger' }],
      'open 1',
      ['conflict.detected'],
    ],
    [
      'an old attempt',
      [intent('a'), notExecuted('a'), intent('a', { attempt: 2 }), outcome('a', 'refused')],
      'open 2',
      [],
    ],
    [
      'a late answer ends a doubt',
      [intent('a'), inDoubt('a'), outcome('a', 'succeeded')],
      'ended 1 succeeded',
      ['authorize.in_doubt', 'authorize.doubt_resolved'],
    ],
    [
      'a late redirect ends a doubt',
      [intent('a'), inDoubt('a'), outcome('a', 'redirect_required')],
      'redirect_required 1',
      ['authorize.in_doubt', 'authorize.doubt_resolved'],
    ],
    [
      'a doubt that was not executed ends for good',
      [intent('a'), inDoubt('a'), notExecuted('a')],
      'ended 1 not_executed',
      ['authorize.in_doubt', 'authorize.doubt_resolved'],
    ],
    [
      'the same answer twice',
      [intent('a'), outcome('a', 'succeeded'), outcome('a', 'succeeded')],
      'ended 1 succeeded',
      ['authorize.succeeded'],
    ],
    [
      'given up',
      [
        intent('a'),
        notExecuted('a'),
        { record: 'GIVEN_UP', ...inOrder, commandId: 'a', attempt: 2, code: 'platform_unavailable', message: '' },
      ],
      'ended 2 given_up',
      ['authorize.rejected'],
    ],
    [
      'given up before any attempt',
      [
        intent('a'),
        { record: 'GIVEN_UP', ...inOrder, commandId: 'a', attempt: 1, code: 'platform_unavailable', message: '' },
      ],
      'open 1',
      [],
    ],
    [
      'given up too late',
      [
        intent('a'),
        notExecuted('a'),
        intent('a', { attempt: 2 }),
        { record: 'GIVEN_UP', ...inOrder, commandId: 'a', attempt: 2, code: 'platform_unavailable', message: '' },
      ],
      'open 2',
      [],
    ],
    [
      'rejected by a rule',
      [{ ...intent('a'), record: 'REJECTED', faults: [] } as unknown as JournalRecord],
      'ended 1 rejected',
      ['authorize.rejected'],
    ],
    [
      'rejected by a rule while open',
      [intent('a'), { ...intent('a'), record: 'REJECTED', faults: [] } as unknown as JournalRecord],
      'open 1',
      [],
    ],
    [
      'expired',
      [
        intent('a'),
        outcome('a', 'pending'),
        { record: 'EXPIRED', ...inOrder, at: WEEK_LATER, commandId: 'a', attempt: 1 },
      ],
      'ended 1 expired',
      ['authorize.pending', 'authorize.expired'],
    ],
    [
      'expired at its form',
      [
        intent('a'),
        outcome('a', 'redirect_required'),
        { record: 'EXPIRED', ...inOrder, at: WEEK_LATER, commandId: 'a', attempt: 1 },
      ],
      'ended 1 expired',
      ['authorize.redirect_required', 'authorize.expired'],
    ],
  ];
  it.each(table)('%s', (_what, records, phase, events) => {
    const result = run(records);
    expect(phaseOf(result.order, 'a')).toBe(phase);
    expect(result.events).toEqual(events);
  });

  it('keeps nothing of REDIRECTHTML in the state, and all of it in the event [Service.5.redirect-html] [Authorization.rule-1]', () => {
    const { order, bodies } = run([intent('a'), outcome('a', 'redirect_required', { redirectHtml: 'PGh0bWw+' })]);
    expect(JSON.stringify(order)).not.toContain('PGh0bWw+');
    expect(bodies[0]).toMatchObject({ redirectHtml: 'PGh0bWw+' });
  });

  it('takes the platform’s amount where it accepted in part', () => {
    const { order } = run([
      intent('a'),
      { ...outcome('a', 'succeeded', { execCode: '0004', amount: 9000 }), partial: true },
    ]);
    expect(findOperation(order, 'a')).toMatchObject({ amount: 9000, partial: true });
  });
});

describe('evidence', () => {
  const redirect = [intent('a'), outcome('a', 'redirect_required')];
  const doubt = [intent('a'), inDoubt('a')];
  const refundOfBackOffice = evidence('succeeded', {
    operation: 'refund',
    answer: { execCode: '0000', transactionId: 'T-office', amount: 4000 },
  });
  const table: [what: string, records: JournalRecord[], phase: string | undefined, lastEvent: string | undefined][] = [
    [
      'a redirect validated',
      [...redirect, evidence('succeeded', { of: 'a' })],
      'ended 1 succeeded',
      'authorize.succeeded',
    ],
    ['a redirect refused', [...redirect, evidence('refused', { of: 'a' })], 'ended 1 refused', 'authorize.refused'],
    ['a redirect put on hold', [...redirect, evidence('pending', { of: 'a' })], 'pending 1', 'authorize.pending'],
    [
      'a redirect, found by TRANSACTIONID',
      [...redirect, evidence('succeeded', { answer: { execCode: '0000', transactionId: 'T-a' } })],
      'ended 1 succeeded',
      'authorize.succeeded',
    ],
    [
      'hold, then approved',
      [...redirect, evidence('pending', { of: 'a' }), evidence('succeeded', { of: 'a' })],
      'ended 1 succeeded',
      'authorize.succeeded',
    ],
    [
      'approved, then hold (out of order)',
      [...redirect, evidence('succeeded', { of: 'a' }), evidence('pending', { of: 'a' })],
      'ended 1 succeeded',
      'authorize.succeeded',
    ],
    [
      'before the answer',
      [intent('a'), evidence('succeeded', { of: 'a' })],
      'ended 1 succeeded',
      'authorize.succeeded',
    ],
    [
      'a doubt, tagged',
      [...doubt, evidence('succeeded', { of: 'a' })],
      'ended 1 succeeded',
      'authorize.doubt_resolved',
    ],
    [
      'a doubt, tagged with another attempt',
      [...doubt, evidence('refused', { of: 'a', attemptTagged: 2 })],
      'in_doubt 1',
      'authorize.in_doubt',
    ],
    [
      'a doubt, without a tag, one candidate',
      [untagged('a'), inDoubt('a'), evidence('refused')],
      'ended 1 refused',
      'authorize.doubt_resolved',
    ],
    [
      'a doubt, heard of before it was one',
      [untagged('a'), evidence('refused'), inDoubt('a')],
      'ended 1 refused',
      'authorize.doubt_resolved',
    ],
    ['an open attempt, without a tag, waits', [untagged('a'), evidence('refused')], 'open 1', undefined],
    ['not executed reopens an open attempt', [intent('a'), evidence('not_executed', { of: 'a' })], 'idle 2', undefined],
    [
      'not executed ends a doubt',
      [...doubt, evidence('not_executed', { of: 'a' })],
      'ended 1 not_executed',
      'authorize.doubt_resolved',
    ],
    ['5004 leaves a doubt', [...doubt, evidence('in_doubt', { of: 'a' })], 'in_doubt 1', 'authorize.in_doubt'],
    [
      '2015 leaves a doubt: it may mean "already done"',
      [...doubt, evidence('refused', { of: 'a', mayBeDone: true, answer: { execCode: '2015' } })],
      'in_doubt 1',
      'authorize.in_doubt',
    ],
    [
      '2015 by an operator ends it',
      [...doubt, evidence('refused', { source: 'operator', commandId: 'a', attempt: 1, answer: { execCode: '2015' } })],
      'ended 1 refused',
      'authorize.doubt_resolved',
    ],
    [
      'an operator’s "not executed" counts in doubt only',
      [intent('a'), evidence('not_executed', { source: 'operator', commandId: 'a', attempt: 1 })],
      'open 1',
      undefined,
    ],
    ['the same again', [...authorized, evidence('succeeded', { of: 'a' })], 'ended 1 succeeded', 'authorize.succeeded'],
    ['a contradiction', [...authorized, evidence('refused', { of: 'a' })], 'ended 1 succeeded', 'conflict.detected'],
    [
      'approved after it expired',
      [
        intent('a'),
        outcome('a', 'pending'),
        { record: 'EXPIRED', ...inOrder, at: WEEK_LATER, commandId: 'a', attempt: 1 },
        evidence('succeeded', { of: 'a' }),
      ],
      'ended 1 succeeded',
      'conflict.detected',
    ],
    [
      'the answer contradicts a notification',
      [intent('a'), evidence('succeeded', { of: 'a' }), outcome('a', 'refused')],
      'ended 1 succeeded',
      'conflict.detected',
    ],
    [
      'the answer says the same as a notification',
      [intent('a'), evidence('succeeded', { of: 'a' }), outcome('a', 'succeeded')],
      'ended 1 succeeded',
      'authorize.succeeded',
    ],
    [
      'executed though closed as not executed',
      [intent('a'), notExecuted('a'), evidence('succeeded', { of: 'a' })],
      'ended 2 succeeded',
      'authorize.succeeded',
    ],
    ['an operation that is not ours', [...captured, refundOfBackOffice], 'ended 1 succeeded', 'operation.external'],
  ];
  it.each(table)('%s', (_what, records, phase, lastEvent) => {
    const { order, events } = run(records);
    expect(phaseOf(order, 'a')).toBe(phase);
    expect(events.at(-1)).toBe(lastEvent);
  });

  it.each([
    ['pending', 'succeeded', 'ended 1 succeeded', ['authorize.pending', 'authorize.succeeded']],
    ['redirect_required', 'succeeded', 'ended 1 succeeded', ['authorize.redirect_required', 'authorize.succeeded']],
    ['succeeded', 'succeeded', 'ended 1 succeeded', ['authorize.succeeded']],
    ['refused', 'succeeded', 'ended 1 refused', ['authorize.refused', 'conflict.detected']],
  ] as const)(
    'that came before the answer "%s" without a tag is bound by its TRANSACTIONID',
    (result, heard, phase, events) => {
      const before = evidence(heard, { answer: { execCode: '0000', transactionId: 'T-a' } });
      const after = run([untagged('a'), before, outcome('a', result)]);
      expect([phaseOf(after.order, 'a'), after.events, after.order.unmatchedEvidence]).toEqual([phase, events, []]);
    },
  );

  const pay = (commandId: string) => untagged(commandId, { operation: 'pay', method: 'card' });
  const ofPay = (result: EvidenceRecord['result'], transactionId: string | undefined, execCode: string) =>
    evidence(result, { operation: 'pay', answer: { execCode, transactionId } });
  const refunds = (result: EvidenceRecord['result'], change: Partial<EvidenceRecord> = {}) =>
    evidence(result, {
      operation: 'refund',
      answer: { execCode: '0000', transactionId: 'T-office', amount: 700 },
      ...change,
    });
  const doubtfulRefund = [...captured, refund('r', 500), inDoubt('r')];
  const foreign: [what: string, records: JournalRecord[], commandId: string, phase: string, lastEvent: string][] = [
    [
      'of an earlier payment, heard before its own answer',
      [pay('p1'), ofPay('refused', 'T-p1', '4001'), outcome('p1', 'refused'), pay('p2'), inDoubt('p2')],
      'p2',
      'in_doubt 1',
      'pay.in_doubt',
    ],
    [
      'of an earlier payment whose answer had no TRANSACTIONID',
      [
        pay('p1'),
        outcome('p1', 'refused', { transactionId: undefined }),
        pay('p2'),
        inDoubt('p2'),
        ofPay('refused', 'T-p1', '4001'),
      ],
      'p2',
      'in_doubt 1',
      'pay.in_doubt',
    ],
    [
      'of an earlier attempt',
      [
        pay('p'),
        notExecuted('p'),
        { ...pay('p'), attempt: 2, token: 'p#2' },
        inDoubt('p', 2),
        ofPay('not_executed', undefined, '5001'),
      ],
      'p',
      'in_doubt 2',
      'pay.in_doubt',
    ],
    [
      'of the back office, while our own carries a tag',
      [...doubtfulRefund, refunds('succeeded')],
      'r',
      'in_doubt 1',
      'operation.external',
    ],
    [
      'with a tag of nobody',
      [...doubtfulRefund, refunds('succeeded', { tag: { operation: 'AAAAAAAAAAAA', attempt: 1 } })],
      'r',
      'in_doubt 1',
      'operation.external',
    ],
    [
      'of another kind that carries our tag',
      [...redirect, refunds('succeeded', { tag: { operation: operationTag('a'), attempt: 1 } })],
      'a',
      'redirect_required 1',
      'operation.external',
    ],
  ];
  it.each(foreign)('%s settles nothing of ours', (_what, records, commandId, phase, lastEvent) => {
    const { order, events } = run(records);
    expect([phaseOf(order, commandId), events.at(-1)]).toEqual([phase, lastEvent]);
  });

  it('0003 on a capture is no pending approval', () => {
    const heard = evidence('pending', {
      operation: 'capture',
      tag: { operation: operationTag('c'), attempt: 1 },
      answer: { execCode: '0003' },
    });
    const { order, events } = run([...authorized, capture('c'), heard, capture('d')]);
    expect([phaseOf(order, 'c'), verdictOf(order, 'd#1'), events]).toEqual(['open 1', 'busy', ['authorize.succeeded']]);
  });

  it('keeps the platform’s amount where none was asked for, and none where it accepted in part and did not say how much', () => {
    const whole = run([...captured, refund('r'), outcome('r', 'succeeded', { amount: 700 })]);
    expect(findOperation(whole.order, 'r')?.amount).toBe(700);
    const partly = { ...outcome('c', 'succeeded', { execCode: '0004' }), partial: true };
    const answer = { execCode: '0004', transactionId: 'T-c', amount: 600 };
    const heard = evidence('succeeded', { operation: 'capture', of: 'c', partial: true, answer });
    const before = run([...authorized, capture('c', { amount: 1000 }), partly]);
    expect(findOperation(before.order, 'c')?.amount).toBeUndefined();
    expect(findOperation(run([heard], before.order).order, 'c')?.amount).toBe(600);
  });

  it('raises a conflict when the answer of an attempt comes after it was closed as not executed', () => {
    const { order, events } = run([intent('a'), evidence('not_executed', { of: 'a' }), outcome('a', 'succeeded')]);
    expect([phaseOf(order, 'a'), events]).toEqual(['ended 2 succeeded', ['conflict.detected', 'authorize.succeeded']]);
  });

  it('leaves what remains to the platform when a refund of the back office has no readable amount', () => {
    const unreadable = {
      ...refundOfBackOffice,
      answer: { execCode: '0000', transactionId: 'T-office' },
      flags: ['invalid_amount'],
    };
    const { order, bodies } = run([...captured, unreadable, refund('r', 15000)]);
    expect(verdictOf(order, 'r#1')).toBe('granted');
    expect(bodies.at(-1)).toMatchObject({ flags: ['invalid_amount'] });
  });

  it('counts a refund of the back office against what remains, once', () => {
    const { order, events } = run([...captured, refundOfBackOffice, refundOfBackOffice, refund('r', 11001)]);
    expect(events.filter((type) => type === 'operation.external')).toHaveLength(1);
    expect(verdictOf(order, 'r#1')).toBe('rejected');
    expect(verdictOf(run([...captured, refundOfBackOffice, refund('r', 11000)]).order, 'r#1')).toBe('granted');
  });

  it('says nothing twice for the same notification', () => {
    const twice = evidence('refused', { of: 'a' });
    expect(run([...authorized, twice, twice]).events).toEqual(['authorize.succeeded', 'conflict.detected']);
  });

  it('raises a conflict when a superseded redirect and its successor both succeed', () => {
    const { events, bodies } = run([
      ...redirect,
      intent('b', { supersedes: 'a' }),
      outcome('b', 'succeeded'),
      evidence('succeeded', { of: 'a' }),
    ]);
    expect(events).toEqual([
      'authorize.redirect_required',
      'authorize.succeeded',
      'authorize.succeeded',
      'conflict.detected',
    ]);
    expect(bodies.at(-1)).toMatchObject({ flags: ['two_payments_succeeded'] });
  });
});

describe('what rests on a state that was read', () => {
  const rejection = (seen: string): JournalRecord =>
    ({ ...capture('c'), record: 'REJECTED', faults: [], seen }) as unknown as JournalRecord;
  it('is void once the order moved on', () => {
    const { order } = run(authorized);
    expect(phaseOf(run([rejection('0')], order).order, 'c')).toBeUndefined();
    expect(phaseOf(run([rejection(historyOf(order))], order).order, 'c')).toBe('ended 1 rejected');
    expect(verdictOf(run([capture('c', { seen: '0' })], order).order, 'c#1')).toBe('lost');
    expect(verdictOf(run([capture('c', { seen: historyOf(order) })], order).order, 'c#1')).toBe('granted');
  });
});

describe('repeated and forgotten', () => {
  it('publishes the latest event of the operation again, the very same', () => {
    const { order } = run(authorized);
    const { effects } = fold(order, { record: 'REPEATED', ...inOrder, commandId: 'a' }, 99n);
    expect(effects).toEqual([{ event: findOperation(order, 'a')?.latest, isRepeat: true }]);
  });

  it('forgets an order that did not move on, and no other', () => {
    const { order } = run(authorized);
    const months = new Date(Date.parse(AT) + 36 * 86_400_000).toISOString();
    const forgotten = (seen: string) =>
      fold(order, { record: 'TOMBSTONE', ...inOrder, at: months, seen, refundableDays: 400 }, 99n).order.operations
        .length;
    expect([forgotten(historyOf(order)), forgotten('0')]).toEqual([0, 1]);
  });

  it('never forgets what waits', () => {
    const { order } = run([intent('a'), outcome('a', 'pending')]);
    expect(
      fold(order, { record: 'TOMBSTONE', ...inOrder, seen: historyOf(order), refundableDays: 35 }, 99n).order
        .operations,
    ).toHaveLength(1);
  });
});

describe('the fold', () => {
  it('changes nothing for an offset that it folded before', () => {
    const { order } = run(captured);
    expect(fold(order, intent('z'), BigInt(order.lastOffset))).toEqual({ order, effects: [] });
  });

  it('leaves the state that it was given as it was', () => {
    const { order } = run(authorized);
    const before = JSON.stringify(order);
    run([capture('c'), outcome('c', 'succeeded'), evidence('refused', { of: 'a' })], order);
    expect(JSON.stringify(order)).toBe(before);
  });

  it('survives a trip through JSON after every record', () => {
    const records = [
      ...captured,
      refund('r', 100),
      inDoubt('r'),
      evidence('succeeded', { operation: 'refund' }),
      evidence('refused', { of: 'a' }),
    ];
    let order = emptyOrder('shop-fr', 'order-1');
    for (const [offset, record] of records.entries()) {
      const stored = JSON.parse(JSON.stringify(order)) as OrderState;
      expect(stored).toEqual(order);
      const viaJson = fold(stored, record, BigInt(offset));
      order = fold(order, record, BigInt(offset)).order;
      expect(viaJson.order).toEqual(order);
    }
  });

  it('keeps names that live on every object apart from its own', () => {
    const { order } = run([intent('__proto__'), outcome('__proto__', 'succeeded'), intent('constructor')]);
    expect(phaseOf(order, '__proto__')).toBe('ended 1 succeeded');
    expect(tagExtraData(undefined, '__proto__', 1).isTagged).toBe(true);
  });
});

it('settles a doubt by the pending approval it heard of, and the approval by the success behind it', () => {
  const untagged = { operation: 'authorize', tag: undefined } as const;
  const heard = (result: 'pending' | 'succeeded') =>
    evidence(result, { answer: { execCode: result === 'pending' ? '0003' : '0000', transactionId: 'T-1' } });
  const { order, events } = run([intent('a', untagged), heard('pending'), heard('succeeded'), inDoubt('a')]);
  expect(findOperation(order, 'a')).toMatchObject({ phase: 'ended', end: 'succeeded' });
  expect([order.unmatchedEvidence, events.at(-1)]).toEqual([[], 'authorize.succeeded']);
});

it('takes back what it held for an external operation once the answer names it', () => {
  const early = evidence('succeeded', {
    operation: 'refund',
    answer: { execCode: '0000', transactionId: 'T-r', amount: 6000 },
  });
  const { order } = run([
    ...captured,
    refund('r', 6000),
    early,
    outcome('r', 'succeeded', { amount: 6000 }),
    refund('s', 9000),
  ]);
  expect([order.external, verdictOf(order, 's#1')]).toEqual([[], 'granted']);
});

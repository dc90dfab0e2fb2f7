import { fold } from './fold.js';
import { emptyOrder, findOperation, type OrderState } from './order-state.js';
import type { EvidenceRecord, JournalRecord } from './records.js';
import { NOT_EXECUTED_AFTER_MS } from './time.js';
import { RULES_VERSION } from './versions.js';

const INTENT_AT = Date.parse('2026-03-01T10:00:00.000Z');
const after = (ms: number) => new Date(INTENT_AT + ms).toISOString();
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order-1' };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 15000, contentHash: 'hash' } as const;
const ofAttempt = (attempt: number) => ({ ...inOrder, commandId: 'a', attempt, token: `a#${attempt}`, at: after(0) });

const intent: JournalRecord = { record: 'INTENT', ...ofAttempt(1), ...terms };
const inDoubt: JournalRecord = { record: 'IN_DOUBT', ...ofAttempt(1), reason: 'timeout', message: 'no answer' };
const pending: JournalRecord = {
  record: 'OUTCOME',
  ...ofAttempt(1),
  result: 'pending',
  answer: { transactionId: 'T-a' },
};
const notified = (result: EvidenceRecord['result']): JournalRecord => ({
  ...{ record: 'EVIDENCE', ...inOrder, at: after(0), source: 'notification', operation: 'authorize', result },
  answer: { transactionId: 'T-n', execCode: '0000' },
});
function says(result: EvidenceRecord['result'], change: Partial<EvidenceRecord> = {}): EvidenceRecord {
  return {
    ...{
      record: 'EVIDENCE',
      ...inOrder,
      at: after(NOT_EXECUTED_AFTER_MS),
      source: 'operator',
      operation: 'authorize',
      result,
    },
    ...{ commandId: 'a', attempt: 1, actor: 'alice', reason: 'seen in the back office', answer: {}, ...change },
  };
}

function run(...records: JournalRecord[]): { order: OrderState; events: string[] } {
  let order = emptyOrder('shop-fr', 'order-1');
  const events: string[] = [];
  for (const [offset, record] of records.entries()) {
    const folded = fold(order, record, BigInt(offset));
    order = folded.order;
    events.push(...folded.effects.map(({ event }) => event.type.replace('payment.', '')));
  }
  return { order, events };
}

describe("an operator's word", () => {
  it.each([
    ['succeeded, at once', [intent, inDoubt, says('succeeded', { at: after(1) })], 'ended succeeded'],
    ['refused, at once', [intent, inDoubt, says('refused', { at: after(1) })], 'ended refused'],
    ['not executed, 15 minutes after the INTENT', [intent, inDoubt, says('not_executed')], 'ended not_executed'],
    [
      'not executed, a millisecond early',
      [intent, inDoubt, says('not_executed', { at: after(NOT_EXECUTED_AFTER_MS - 1) })],
      'in_doubt',
    ],
    [
      'not executed, before the time that the settings ask for',
      [intent, inDoubt, says('not_executed', { notBefore: after(NOT_EXECUTED_AFTER_MS + 1) })],
      'in_doubt',
    ],
    [
      'not executed, at the time that the settings ask for',
      [intent, inDoubt, says('not_executed', { at: after(3_600_000), notBefore: after(3_600_000) })],
      'ended not_executed',
    ],
    [
      'not executed, early by the fold though the record allows it',
      [intent, inDoubt, says('not_executed', { at: after(1), notBefore: after(0) })],
      'in_doubt',
    ],
    [
      'not executed, at a time that nobody can read',
      [intent, inDoubt, says('not_executed', { at: 'later' })],
      'in_doubt',
    ],
    ['in_doubt', [intent, inDoubt, says('in_doubt')], 'in_doubt'],
    ['of an attempt that is not the current one', [intent, inDoubt, says('succeeded', { attempt: 2 })], 'in_doubt'],
    ['of a call that is under way', [intent, says('succeeded')], 'open'],
    ['of a pending approval', [intent, pending, says('refused')], 'pending'],
    ['the same word again', [intent, inDoubt, says('succeeded'), says('succeeded')], 'ended succeeded'],
    ['not executed after it ended', [intent, inDoubt, says('succeeded'), says('not_executed')], 'ended succeeded'],
  ] as [string, JournalRecord[], string][])('%s', (_, records, expected) => {
    const { order, events } = run(...records);
    const { phase, end } = findOperation(order, 'a') ?? {};
    expect([phase, end].filter((part) => part !== undefined).join(' ')).toBe(expected);
    expect(events).not.toContain('conflict.detected');
  });

  it('measures from the INTENT of the attempt, not from the first', () => {
    const again = { ...ofAttempt(2), at: after(600_000) };
    const records: JournalRecord[] = [
      intent,
      { record: 'NOT_EXECUTED', ...ofAttempt(1), reason: 'execcode', message: 'maintenance', execCode: '5003' },
      { record: 'INTENT', ...again, ...terms },
      { record: 'IN_DOUBT', ...again, reason: 'timeout', message: 'no answer' },
      says('not_executed', { attempt: 2 }),
    ];
    expect(findOperation(run(...records).order, 'a')?.phase).toBe('in_doubt');
  });

  it('is kept with its author and reason, and told once', () => {
    const { order, events } = run(
      intent,
      inDoubt,
      says('succeeded', { answer: { transactionId: 'T-9', execCode: '0000' } }),
    );
    expect(findOperation(order, 'a')).toMatchObject({
      transactionId: 'T-9',
      evidence: [{ attempt: 1, transactionId: 'T-9', code: '0000' }],
      resolvedBy: { actor: 'alice', reason: 'seen in the back office' },
      events: [
        { type: 'payment.authorize.in_doubt', offset: '1' },
        { type: 'payment.authorize.doubt_resolved', offset: '2' },
      ],
    });
    expect(events).toEqual(['authorize.in_doubt', 'authorize.doubt_resolved']);
  });

  it('that came too late contradicts the end: people are told, the end stays', () => {
    const { order, events } = run(intent, inDoubt, says('succeeded'), says('refused'));
    expect(findOperation(order, 'a')).toMatchObject({ end: 'succeeded', resolvedBy: { actor: 'alice' } });
    expect(events.at(-1)).toBe('conflict.detected');
  });

  it('that names a candidate takes it along', () => {
    const twoSources: JournalRecord[] = [
      intent,
      { record: 'NOT_EXECUTED', ...ofAttempt(1), reason: 'execcode', message: 'maintenance', execCode: '5003' },
      { record: 'INTENT', ...ofAttempt(2), ...terms },
      { record: 'IN_DOUBT', ...ofAttempt(2), reason: 'timeout', message: 'no answer' },
      notified('succeeded'),
    ];
    expect(run(...twoSources).order.unmatchedEvidence).toHaveLength(1);
    const { order, events } = run(...twoSources, says('succeeded', { attempt: 2, answer: { transactionId: 'T-n' } }));
    expect([order.unmatchedEvidence, events.at(-1)]).toEqual([[], 'authorize.doubt_resolved']);
  });

  it('about a command that the order does not have is nothing, and no operation of somebody else', () => {
    const { order, events } = run(intent, inDoubt, says('succeeded', { commandId: 'b' }));
    expect([order.external, order.unmatchedEvidence, events]).toEqual([[], [], ['authorize.in_doubt']]);
  });
});

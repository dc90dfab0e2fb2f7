import { later, START } from '../../test/order-story.js';
import {
  answered,
  asked,
  askedUntagged,
  authorized,
  folded,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
} from '../../test/order-story.js';
import { findOperation } from './order-state.js';
import type { JournalRecord } from './records.js';

const capturedByDefault = [...authorized, asked('capture'), answered('capture', '0000')];
const confirmed = (name: string, amount: number) => notified(name, '0000', { answer: { amount } });
const captured = [...capturedByDefault, confirmed('capture', 30_000)];
const repeated: JournalRecord = { ...asked('refund'), record: 'REPEATED' } as never;
const byHand = (kind: string, transactionId: string, amount: number) =>
  notifiedElsewhere(kind, '0000', { transactionId, amount });
const last = (records: readonly JournalRecord[]) => {
  const { events, bodies } = folded(records);
  return [events.at(-1), bodies.at(-1)];
};

describe('an amount that nobody named', () => {
  const refunded = [...captured, asked('refund'), answered('refund', '0000')];

  it('is published as assumed until the platform reports it, then as confirmed, once [Refund.{default-amount,at-most}] [Limits.refund-amount]', () => {
    expect(last(refunded)).toMatchObject(['refund.succeeded', { amount: 30_000, amountAssumed: true }]);
    const after = folded([...refunded, confirmed('refund', 25_000), confirmed('refund', 25_000), repeated]);
    expect(after.events.slice(-3)).toEqual(['refund.succeeded', 'refund.succeeded', 'refund.succeeded']);
    for (const body of after.bodies.slice(-2)) {
      expect(body).toMatchObject({ commandId: 'refund', amount: 25_000, flags: ['amount_confirmed'] });
      expect(body).not.toHaveProperty('amountAssumed');
    }
    expect(new Set(after.ids).size).toBe(after.ids.length);
  });

  it('is confirmed by the same amount too', () => {
    expect(last([...refunded, confirmed('refund', 30_000)])).toMatchObject(['refund.succeeded', { amount: 30_000 }]);
    expect(folded([...refunded, confirmed('refund', 30_000)]).events.slice(-2)).toEqual([
      'refund.succeeded',
      'refund.succeeded',
    ]);
  });

  it('is not assumed where a notification without our tag named it before the answer', () => {
    const records = [...captured, askedUntagged('refund'), byHand('refund', 'T-refund', 25_000)];
    const [type, body] = last([...records, answered('refund', '0000')]);
    expect([type, body]).toMatchObject(['refund.succeeded', { amount: 25_000 }]);
    expect(body).not.toHaveProperty('amountAssumed');
  });

  it('nor where a doubt ends by an operator who names the transaction of a candidate', () => {
    const doubtful = [...captured, askedUntagged('refund'), lost('refund'), byHand('refund', 'T-1', 25_000)];
    const after = folded([...doubtful, operatorSays('refund', 'succeeded', { transactionId: 'T-1' })]);
    expect(after.events.slice(-2)).toEqual(['refund.in_doubt', 'refund.doubt_resolved']);
    expect(after.bodies.at(-1)).toMatchObject({ outcome: 'succeeded', amount: 25_000 });
    expect(after.bodies.at(-1)).not.toHaveProperty('amountAssumed');
  });

  it('is published once it is known of a refund whose capture the back office made', () => {
    const ofUnknown = asked('refund', { transactionId: 'T-never-notified' });
    const records = [...authorized, ofUnknown, answered('refund', '0000')];
    expect(last(records)[1]).not.toHaveProperty('amount');
    expect(last([...records, confirmed('refund', 12_000)])).toMatchObject([
      'refund.succeeded',
      { amount: 12_000, reference: 'T-never-notified', flags: ['amount_added'] },
    ]);
  });
});

describe('a refusal of a refund', () => {
  const refunded = [...captured, asked('refund'), answered('refund', '0000')];
  const second = asked('refund-2', { amount: 5_000 });

  it('that rests on an assumed amount says so, and may be tried again', () => {
    const [type, body] = last([...refunded, second]);
    expect([type, body]).toMatchObject(['refund.rejected', { retryable: true }]);
    expect(body).toMatchObject({ faults: [{ code: 'refund_exceeds_remaining' }] });
    expect(JSON.stringify(body)).toContain('we assume its default');
  });

  it('rests on no assumption once the platform has reported the amount', () => {
    expect(standing(folded([...refunded, confirmed('refund', 25_000), second]).order, 'refund-2')).toBe('open');
    const [, body] = last([...refunded, confirmed('refund', 30_000), second]);
    expect(JSON.stringify(body)).toContain('Nothing remains to be refunded"');
    expect(body).not.toHaveProperty('retryable');
  });

  it.each([
    ['of a capture of the back office: its amount is known', 12_001, 'ended rejected'],
    ['and what remains of it may be refunded', 12_000, 'open'],
  ])('%s', (_what, amount, phase) => {
    const office = [...authorized, byHand('capture', 'T-office', 20_000)];
    const first = asked('refund', { transactionId: 'T-office', amount: 8_000 });
    const more = asked('refund-2', { transactionId: 'T-office', amount });
    expect(standing(folded([...office, first, answered('refund', '0000'), more]).order, 'refund-2')).toBe(phase);
  });
});

describe('an event states the order as folded:', () => {
  it('the amount that the platform moved instead stays beside the one that was asked for', () => {
    const refunded = [...captured, asked('refund', { amount: 10_000 }), answered('refund', '0000')];
    const references = { externalEntityId: '12', externalReference: '000000007' };
    const other = notified('refund', '0000', { answer: { amount: 9_000 } });
    const after = folded([...refunded, other, { ...other, ...references }]);
    expect(after.events.slice(-3)).toEqual(['conflict.detected', 'refund.succeeded', 'refund.succeeded']);
    for (const body of after.bodies.slice(-3)) expect(body).toMatchObject({ amount: 10_000, otherAmount: 9_000 });
  });

  it.each<[string, number[], number | undefined]>([
    ['another amount', [9_000], 9_000],
    ['two other amounts', [9_000, 8_000], 8_000],
    ['two other amounts, then a copy of the first of them', [9_000, 8_000, 9_000], 8_000],
    ['the one that was asked for, another, then a copy of the first', [10_000, 9_000, 10_000], 9_000],
    ['another amount, then the one that was asked for', [8_000, 10_000], undefined],
  ])('a repeated command gets the amount that was new last: %s', (_what, reported, otherAmount) => {
    const refunded = [...captured, asked('refund', { amount: 10_000 }), answered('refund', '0000')];
    const notices = reported.map((amount, index) => ({
      ...notified('refund', '0000', { answer: { amount } }),
      at: later(index),
    }));
    const { bodies, events } = folded([...refunded, ...notices, repeated]);
    expect(events.at(-1)).toBe('refund.succeeded');
    expect(bodies.at(-1)).toMatchObject({ amount: 10_000, flags: ['other_amount_added'] });
    expect(bodies.at(-1)?.otherAmount).toBe(otherAmount);
    // Each other amount is a conflict once.
    const conflicts = bodies.filter(({ flags }) => flags?.includes('other_amount')).map((body) => body.otherAmount);
    expect(conflicts).toEqual([...new Set(reported)].filter((amount) => amount !== 10_000));
  });

  const share = (amount: number) => ['0004', amount] as const;
  const whole = ['0000', 10_000] as const;
  it.each([
    ['whole amounts', ['0000', 9_000] as const, whole, undefined],
    ['whole amounts, the asked one first', whole, ['0000', 9_000] as const, 9_000],
    ['a share and the whole', share(9), whole, undefined],
    ['the whole and a share', whole, share(9), 9],
    ['two shares', share(9), share(12), 12],
  ])('copies of older reports publish nothing, however often they come: %s', (_what, one, other, otherAmount) => {
    for (const answer of [answered('refund', '0000'), answered('refund', '0004')]) {
      const refunded = [...captured, asked('refund', { amount: 10_000 }), answer];
      const notice = ([code, amount]: readonly [string, number], index: number) => ({
        ...notified('refund', code, { answer: { amount } }),
        at: later(index),
      });
      const first = folded([one, other].map(notice), folded(refunded).order);
      const { amount = 0 } = first.bodies.at(-1) ?? {};
      const copies = folded(
        [one, other, one, other].map((report, index) => notice(report, index + 2)),
        first.order,
      );
      expect(copies.events).toEqual([]);
      const { bodies } = folded([repeated], copies.order);
      expect(bodies[0]?.otherAmount ?? amount).toBe(otherAmount ?? other[1]);
    }
  });

  it('and a success that another share contradicts keeps its references', () => {
    const refunded = [...captured, asked('refund', { amount: 10_000 }), answered('refund', '0000')];
    const references = { externalEntityId: '12', externalReference: '000000007' };
    const known = notified('refund', '0000', { answer: { amount: 10_000 }, ...references });
    const contradicted = notified('refund', '0004', { answer: { amount: 9 } });
    expect(last([...refunded, known, contradicted, repeated])[1]).toMatchObject({ otherAmount: 9, ...references });
  });

  it('it names the operation that it follows', () => {
    const { bodies } = folded([...captured, asked('refund'), answered('refund', '0000')]);
    expect(bodies.map(({ operation, reference }) => [operation, reference])).toEqual([
      ['authorize', undefined],
      ['capture', 'T-authorize'],
      ['capture', 'T-authorize'],
      ['refund', 'T-capture'],
    ]);
  });
});

describe('what may be another operation is published as one', () => {
  it.each(['capture', 'refund'] as const)('a %s of the back office after ours without a tag was refused', (kind) => {
    const before = kind === 'refund' ? captured : authorized;
    const refused = [...before, askedUntagged(kind), answered(kind, '2005', { transactionId: undefined })];
    const after = folded([...refused, byHand(kind, 'T-office', 30_000)]);
    expect(after.events.at(-1)).toBe('operation.external');
    expect(after.bodies.at(-1)).toMatchObject({ transactionId: 'T-office', amount: 30_000, flags: ['may_be_ours'] });
    expect(standing(after.order, kind)).toBe('ended refused');
  });
});

describe('a notification behind the answer', () => {
  it('publishes the TRANSACTIONID and the DESCRIPTOR that the answer did not have, once', () => {
    const records = [asked('authorize'), answered('authorize', '0000', { transactionId: undefined })];
    const more = notified('authorize', '0000', { answer: { transactionId: 'T-1', descriptor: 'SHOP*1' } });
    const after = folded([...records, more, more]);
    expect(after.events).toEqual(['authorize.succeeded', 'authorize.succeeded']);
    expect(after.bodies[1]).toMatchObject({
      ...{ transactionId: 'T-1', descriptor: 'SHOP*1' },
      flags: ['transaction_added', 'descriptor_added'],
    });
  });
});

describe('an approval expires', () => {
  const DAY_MS = 86_400_000;
  const begun = [asked('authorize'), answered('authorize', '0002')];
  const expiredAt = (ms: number) =>
    ({ ...asked('authorize'), record: 'EXPIRED', at: later(ms) }) as unknown as JournalRecord;

  it('six days after the platform began to wait, however late we heard of it', () => {
    const heard = { ...notified('authorize', '0003'), at: later(5 * DAY_MS), executedAt: later(DAY_MS) };
    const standingAt = (ms: number) => standing(folded([...begun, heard, expiredAt(ms)]).order, 'authorize');
    expect([standingAt(7 * DAY_MS - 1), standingAt(7 * DAY_MS)]).toEqual(['pending', 'ended expired']);
  });

  it('never by the DATE of a look-up, which says when the transaction was created', () => {
    const row = { ...notified('authorize', '0003'), source: 'look-up' as const, at: later(DAY_MS), executedAt: START };
    const standingAt = (ms: number) => standing(folded([...begun, row, expiredAt(ms)]).order, 'authorize');
    expect([standingAt(7 * DAY_MS - 1), standingAt(7 * DAY_MS)]).toEqual(['pending', 'ended expired']);
  });

  it('and of several times the latest counts', () => {
    const answer = answered('authorize', '0003');
    const heard = { ...notified('authorize', '0003'), at: later(2 * DAY_MS), executedAt: later(DAY_MS) };
    const records = [asked('authorize'), answer, heard, heard];
    const standingAt = (ms: number) => standing(folded([...records, expiredAt(ms)]).order, 'authorize');
    expect([standingAt(7 * DAY_MS - 1), standingAt(7 * DAY_MS)]).toEqual(['pending', 'ended expired']);
  });

  it('and the clock of a report that is older than the INTENT counts for nothing', () => {
    const heard = { ...notified('authorize', '0003'), at: later(DAY_MS), executedAt: later(-DAY_MS) };
    expect(standing(folded([...begun, heard, expiredAt(6 * DAY_MS)]).order, 'authorize')).toBe('pending');
  });
});

describe('a guard builds on no amount that it need not assume:', () => {
  it('a refund above what remains is retryable only where an amount of that payment is assumed', () => {
    const elsewhere = [
      ...authorized,
      byHand('capture', 'T-office', 20_000),
      asked('capture'),
      answered('capture', '0000'),
    ];
    const judged = (transactionId: string) => {
      const { bodies } = folded([...elsewhere, asked('refund', { transactionId, amount: 30_001 })]);
      return bodies.at(-1);
    };
    expect(judged('T-capture')).toMatchObject({ retryable: true });
    expect(judged('T-office')).not.toHaveProperty('retryable');
  });

  it('an amount that the attempt before assumed counts no more where none can be assumed now', () => {
    const again = [...captured, asked('refund'), notExecuted('refund'), asked('refund-2', { amount: 1_000 })];
    const unknown = answered('refund-2', '0004');
    const { order } = folded([...again, unknown, asked('refund', { attempt: 2 })]);
    expect(findOperation(order, 'refund')).toMatchObject({ phase: 'open', isAmountAssumed: true });
    expect(findOperation(order, 'refund')?.amount).toBeUndefined();
  });
});

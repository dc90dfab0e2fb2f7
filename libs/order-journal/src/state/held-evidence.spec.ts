import {
  answered,
  asked,
  askedUntagged,
  authorized,
  captured,
  folded,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
} from '../../test/order-story.js';
import { verdictOf } from './order-state.js';
import { eventId } from '../projection/published-event.js';
import type { Evidence, JournalRecord } from './records.js';

const untagged = (name: string, execCode: string, change: Parameters<typeof notified>[2] = {}): Evidence => {
  const { tag, ...rest } = notified(name, execCode, change);
  return tag === undefined ? rest : { ...rest };
};
const flagsOf = (records: readonly JournalRecord[]) => {
  const { bodies, events } = folded(records);
  return bodies.flatMap(({ flags }, at) => (events[at] === 'conflict.detected' ? [flags] : []));
};

describe('evidence that was held is judged again when', () => {
  it('the open attempt turns out to be another one: an answer', () => {
    const first = [asked('pay-1'), lost('pay-1'), operatorSays('pay-1', 'not_executed')];
    const told = [...first, asked('pay-2'), notified('pay-1', '0000'), answered('pay-2', '0000')];
    expect(flagsOf(told)).toEqual([['was_not_executed', 'said_succeeded', 'two_payments_succeeded']]);
  });

  it('the refund that it might have been is another one', () => {
    const refund = askedUntagged('refund', { amount: 1000 });
    const elsewhere = notifiedElsewhere('refund', '0000', { transactionId: 'T-office', amount: 29_000 });
    for (const unknown of [
      elsewhere,
      { ...elsewhere, answer: { ...elsewhere.answer, amount: undefined } } as Evidence,
    ]) {
      const { order, events } = folded([
        ...captured,
        refund,
        unknown,
        answered('refund', '0000'),
        asked('refund-2', { amount: 30_000 }),
      ]);
      expect([order.unbound, events.filter((type) => type === 'operation.external').length]).toEqual([[], 1]);
    }
    const { order } = folded([
      ...captured,
      refund,
      elsewhere,
      answered('refund', '0000'),
      asked('refund-2', { amount: 29_000 }),
    ]);
    expect(verdictOf(order, 'refund-2#1')).toBe('rejected');
  });

  it('the answer says that nothing was executed: no second attempt', () => {
    const capture = [
      askedUntagged('capture'),
      untagged('capture', '0000'),
      notExecuted('capture'),
      askedUntagged('capture', { attempt: 2 }),
    ];
    const { order } = folded([...authorized, ...capture]);
    expect([standing(order, 'capture'), verdictOf(order, 'capture#2')]).toEqual(['ended succeeded', 'lost']);
  });

  it('the answer is a refusal without a TRANSACTIONID', () => {
    expect(
      flagsOf([asked('pay'), notified('pay', '0000'), answered('pay', '4001', { transactionId: undefined })]),
    ).toEqual([['was_refused', 'said_succeeded']]);
  });

  it('an operator ends the second of two attempts that it may be about', () => {
    const refund = [
      askedUntagged('refund'),
      notExecuted('refund'),
      askedUntagged('refund', { attempt: 2 }),
      lost('refund', 2),
    ];
    const told = [...captured, ...refund, untagged('refund', '0000'), operatorSays('refund', 'not_executed', {}, 2)];
    expect(flagsOf(told)).toEqual([['was_not_executed', 'said_succeeded']]);
  });

  it('another word of it has settled the doubt', () => {
    const said = (code: string) => notified('pay', code, { answer: { transactionId: undefined } });
    const told = [asked('pay'), said('0000'), said('4001'), lost('pay')];
    expect([folded(told).order.unbound, flagsOf(told)]).toEqual([[], [['was_succeeded', 'said_refused']]]);
  });

  it('and keeps the references that came with its second telling', () => {
    const heard = [untagged('refund', '0000'), untagged('refund', '0000', { externalReference: '000001234' })];
    const { bodies } = folded([...captured, askedUntagged('refund'), ...heard, answered('refund', '0000')]);
    expect(bodies.at(-1)).toMatchObject({ transactionId: 'T-refund', externalReference: '000001234' });
  });
});

describe('events of one record', () => {
  it('about one operation and of one type are one event: a success with its references', () => {
    const heard = untagged('refund', '0000', { externalReference: '000001234' });
    const { events, bodies, order } = folded([...captured, askedUntagged('refund'), heard, answered('refund', '0000')]);
    expect(events.filter((type) => type === 'refund.succeeded')).toHaveLength(1);
    expect(bodies.at(-1)).toMatchObject({ origin: 'answer', externalReference: '000001234' });
    expect(bodies.at(-1)).not.toHaveProperty('flags');
    expect(order.operations.at(-1)?.latest?.body.externalReference).toBe('000001234');
  });

  it('about several operations have ids of their own', () => {
    const office = (transactionId: string) => notifiedElsewhere('refund', '0000', { transactionId });
    const { order } = folded([
      ...captured,
      askedUntagged('refund'),
      office('T-1'),
      office('T-2'),
      answered('refund', '0000'),
    ]);
    expect(order.external.map(({ offset, nth }) => [offset, nth])).toEqual([
      ['7', undefined],
      ['7', 1],
    ]);
    const first = { offset: '7', type: 'payment.operation.external' };
    expect(eventId(order, { ...first, nth: 1 })).not.toBe(eventId(order, first));
  });
});

it('a refund of another amount settles no doubt', () => {
  const doubtful = [...captured, askedUntagged('refund', { amount: 10_000 }), lost('refund')];
  const office = (amount: number, execCode = '0000') =>
    notifiedElsewhere('refund', execCode, { transactionId: 'T-office', amount });
  expect(standing(folded([...doubtful, office(5000)]).order, 'refund')).toBe('in_doubt');
  expect(standing(folded([...doubtful, office(10_000)]).order, 'refund')).toBe('ended succeeded');
  expect(standing(folded([...doubtful, office(5000, '0004')]).order, 'refund')).toBe('ended succeeded');
});

describe('what was taken for somebody else’s', () => {
  const refund = asked('refund', { amount: 1000 });
  it('is compared with the end of ours', () => {
    const refused = notifiedElsewhere('refund', '4001', { transactionId: 'T-refund' });
    expect(flagsOf([...captured, refund, refused, answered('refund', '0000')])).toEqual([
      ['was_succeeded', 'said_refused'],
    ]);
  });

  it('gives ours its references', () => {
    const heard = untagged('refund', '0000', { externalReference: '000001234' });
    const { bodies, order } = folded([...captured, refund, heard, answered('refund', '0000')]);
    expect([order.external, bodies.at(-1)?.externalReference]).toEqual([[], '000001234']);
  });

  it('ends our redirect', () => {
    const { order } = folded([asked('authorize'), untagged('authorize', '0000'), answered('authorize', '0002')]);
    expect([standing(order, 'authorize'), order.external]).toEqual(['ended succeeded', []]);
  });
});

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
import { nextStep } from './next-step.js';
import { findOperation, verdictOf } from './order-state.js';
import type { EvidenceRecord, JournalRecord } from './records.js';
import { eventId } from '../projection/published-event.js';

const untagged = (name: string, execCode: string, change: Parameters<typeof notified>[2] = {}): EvidenceRecord => {
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
    const records = [...first, asked('pay-2'), notified('pay-1', '0000'), answered('pay-2', '0000')];
    expect(flagsOf(records)).toEqual([['was_not_executed', 'said_succeeded', 'two_payments_succeeded']]);
  });

  it('the refund that it might have been is another one', () => {
    const refund = askedUntagged('refund', { amount: 1000 });
    const elsewhere = notifiedElsewhere('refund', '0000', { transactionId: 'T-office', amount: 29_000 });
    for (const unknown of [
      elsewhere,
      { ...elsewhere, answer: { ...elsewhere.answer, amount: undefined } } as EvidenceRecord,
    ]) {
      const { order, events } = folded([
        ...captured,
        refund,
        unknown,
        answered('refund', '0000'),
        asked('refund-2', { amount: 30_000 }),
      ]);
      expect([order.unmatchedEvidence, events.filter((type) => type === 'operation.external').length]).toEqual([[], 1]);
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

  it('the answer says that nothing was executed: no second attempt of a payment', () => {
    const pay = [asked('pay'), notified('pay', '0000'), notExecuted('pay'), asked('pay', { attempt: 2 })];
    const { order } = folded(pay);
    expect([standing(order, 'pay'), verdictOf(order, 'pay#2')]).toEqual(['ended succeeded', 'lost']);
  });

  it('the answer is a refusal without a TRANSACTIONID', () => {
    expect(
      flagsOf([asked('pay'), notified('pay', '0000'), answered('pay', '4001', { transactionId: undefined })]),
    ).toEqual([['was_refused', 'said_succeeded']]);
  });

  it('an operator ends the second of two attempts that it may be about', () => {
    const pay = [asked('pay'), notExecuted('pay'), asked('pay', { attempt: 2 }), lost('pay', 2)];
    const records = [...pay, notified('pay', '0000'), operatorSays('pay', 'not_executed', {}, 2)];
    expect(flagsOf(records)).toEqual([['was_not_executed', 'said_succeeded']]);
  });

  it('another word of it has settled the doubt', () => {
    const said = (code: string) => notified('pay', code, { answer: { transactionId: undefined } });
    const records = [asked('pay'), said('0000'), said('4001'), lost('pay')];
    expect([folded(records).order.unmatchedEvidence, flagsOf(records)]).toEqual([
      [],
      [['was_succeeded', 'said_refused']],
    ]);
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
    const first = { offset: '7', type: 'payment.operation.external' } as const;
    expect(eventId(order, { ...first, nth: 1 })).not.toBe(eventId(order, first));
  });
});

describe.each(['capture', 'refund', 'void'] as const)('a %s without a tag may be one of the back office:', (kind) => {
  const before = kind === 'refund' ? captured : authorized;
  const doubtful = [...before, askedUntagged(kind), lost(kind)];
  const elsewhere = (execCode = '0000', amount = 30_000) =>
    notifiedElsewhere(kind, execCode, { transactionId: 'T-office', amount });
  const candidates = (records: readonly JournalRecord[]) => {
    const { order, events } = folded(records);
    const listed = order.unmatchedEvidence.map(({ answer }) => answer.transactionId);
    return [standing(order, kind), listed, events.filter((type) => type === 'operation.external').length];
  };

  it.each(['0000', '0004', '4001', '5001', '2017'])('%s settles no doubt, and is listed as a candidate', (execCode) => {
    expect(candidates([...doubtful, elsewhere(execCode)])).toEqual(['in_doubt', ['T-office'], 0]);
    expect(candidates([...before, askedUntagged(kind), elsewhere(execCode), lost(kind)])).toEqual([
      'in_doubt',
      ['T-office'],
      0,
    ]);
  });

  it('nor does one of the very amount that was asked for', () => {
    const asking = askedUntagged(kind, { amount: 10_000 });
    expect(candidates([...before, asking, lost(kind), elsewhere('0000', 10_000)])).toEqual([
      'in_doubt',
      ['T-office'],
      0,
    ]);
  });

  it('nor one that a look-up lists', () => {
    expect(candidates([...doubtful, { ...elsewhere(), source: 'look-up' }])).toEqual(['in_doubt', ['T-office'], 0]);
  });

  it('an operator names it as ours', () => {
    const named = operatorSays(kind, 'succeeded', { transactionId: 'T-office' });
    const { order, bodies } = folded([...doubtful, elsewhere(), named]);
    expect(candidates([...doubtful, elsewhere(), named])).toEqual(['ended succeeded', [], 0]);
    expect([order.external, bodies.at(-1)]).toMatchObject([[], { outcome: 'succeeded', transactionId: 'T-office' }]);
  });

  it('an operator names another one: it is told as an operation made elsewhere', () => {
    const named = operatorSays(kind, 'succeeded', { transactionId: 'T-ours' });
    expect(candidates([...doubtful, elsewhere(), named])).toEqual(['ended succeeded', [], 1]);
  });

  it('so it is once ours was not executed, with a flag that says that it may be ours', () => {
    const records = [...doubtful, elsewhere(), operatorSays(kind, 'not_executed')];
    expect(candidates(records)).toEqual(['ended not_executed', [], 1]);
    expect(folded(records).bodies.at(-1)).toMatchObject({ transactionId: 'T-office', flags: ['may_be_ours'] });
  });

  it('so it is after ours was refused: its money is in no sum otherwise', () => {
    const refused = answered(kind, '2005', { transactionId: undefined });
    const { order, events, bodies } = folded([...before, askedUntagged(kind), refused, elsewhere()]);
    expect([events.at(-1), bodies.at(-1)?.flags]).toEqual(['operation.external', ['may_be_ours']]);
    expect([standing(order, kind), events.includes('conflict.detected')]).toEqual(['ended refused', false]);
  });

  it('of another amount it is theirs: another attempt of ours is made', () => {
    const asking = (attempt: number) => askedUntagged(kind, { amount: 10_000, attempt });
    const { order, events } = folded([...before, asking(1), elsewhere('0000', 9000), notExecuted(kind), asking(2)]);
    expect([events.at(-1), verdictOf(order, `${kind}#2`)]).toEqual(['operation.external', 'granted']);
  });

  describe.each(['0000', '0004'])('%s beside an answer that says that nothing was executed:', (execCode) => {
    const denied = notExecuted(kind);
    const stories: [string, JournalRecord[]][] = [
      ['before the answer', [askedUntagged(kind), elsewhere(execCode), denied]],
      ['before the next INTENT', [askedUntagged(kind), denied, elsewhere(execCode)]],
    ];

    it.each(stories)('%s, it is in doubt: no second attempt', (_when, story) => {
      expect(candidates([...before, ...story])).toEqual(['in_doubt', ['T-office'], 0]);
      const { order, events, bodies } = folded([...before, ...story, askedUntagged(kind, { attempt: 2 })]);
      expect(verdictOf(order, `${kind}#2`)).toBe('lost');
      expect([events.at(-1), bodies.at(-1)]).toMatchObject([
        `${kind}.in_doubt`,
        { attempt: 1, origin: 'notification', flags: ['success_reported'] },
      ]);
      expect(nextStep(order, { commandId: kind, contentHash: kind })).toEqual({ step: 'repeat' });
    });

    it.each(stories)('%s, a person decides', (_when, story) => {
      const theirs = operatorSays(kind, 'not_executed');
      expect(candidates([...before, ...story, theirs])).toEqual(['ended not_executed', [], 1]);
      const ours = operatorSays(kind, 'succeeded', { transactionId: 'T-office' });
      expect(candidates([...before, ...story, ours])).toEqual(['ended succeeded', [], 0]);
    });

    it('so it is where an attempt after that was never sent', () => {
      const unsent = { ...notExecuted(kind, 2), reason: 'unreachable' } as JournalRecord;
      const story = [askedUntagged(kind), denied, askedUntagged(kind, { attempt: 2 }), unsent, elsewhere(execCode)];
      expect(candidates([...before, ...story])).toEqual(['in_doubt', ['T-office'], 0]);
      expect(findOperation(folded([...before, ...story]).order, kind)).toMatchObject({
        attempt: 1,
        token: `${kind}#1`,
      });
    });

    it('nothing was sent at all: another attempt is made', () => {
      const unsent = { ...denied, reason: 'unreachable' } as JournalRecord;
      const story = [askedUntagged(kind), elsewhere(execCode, 1000), unsent, askedUntagged(kind, { attempt: 2 })];
      expect(verdictOf(folded([...before, ...story]).order, `${kind}#2`)).toBe('granted');
    });
  });

  it.each(['5003', '2005'])('a failure with the EXECCODE of ours, %s, says nothing new', (execCode) => {
    const answer = execCode === '5003' ? notExecuted(kind) : answered(kind, execCode, { transactionId: undefined });
    const asking = [...before, askedUntagged(kind)];
    for (const story of [
      [answer, elsewhere(execCode)],
      [elsewhere(execCode), answer],
    ])
      expect(candidates([...asking, ...story]).slice(1)).toEqual([[], 0]);
    const other = execCode === '5003' ? '5001' : '2017';
    expect(candidates([...asking, answer, elsewhere(other)])[2]).toBe(1);
  });

  it('names no success of ours that has no TRANSACTIONID: it stays a candidate', () => {
    const nameless = answered(kind, '0000', { transactionId: undefined });
    expect(candidates([...before, askedUntagged(kind), nameless, elsewhere()])).toEqual([
      'ended succeeded',
      ['T-office'],
      0,
    ]);
  });
});

it('what was executed once is told once, though a candidate was there: first the back office’s, then ours', () => {
  const office = notifiedElsewhere('refund', '0000', { transactionId: 'T-office', amount: 30_000 });
  const doubtful = [...captured, askedUntagged('refund'), lost('refund')];
  const ours = operatorSays('refund', 'succeeded', { transactionId: 'T-refund', amount: 5000 });
  const { events, bodies } = folded([...doubtful, office, untagged('refund', '0000'), ours]);
  expect(events.slice(-2)).toEqual(['refund.doubt_resolved', 'operation.external']);
  expect(bodies.slice(-2)).toMatchObject([
    { transactionId: 'T-refund', amount: 5000 },
    { transactionId: 'T-office', amount: 30_000 },
  ]);
});

describe('a refund that is to be tried again, and another one under way:', () => {
  const again = askedUntagged('refund-1', { amount: 1000, attempt: 2 });
  const story = [
    ...captured,
    ...[askedUntagged('refund-1', { amount: 1000 }), notExecuted('refund-1')],
    ...[askedUntagged('refund-2', { amount: 1000 }), untagged('refund-2', '0000', { answer: { amount: 1000 } })],
  ];

  it('a success that turns out to be that one’s lets the first be tried again', () => {
    const { order } = folded([...story, answered('refund-2', '0000'), again]);
    expect([order.unmatchedEvidence, verdictOf(order, 'refund-1#2')]).toEqual([[], 'granted']);
  });

  it('a success that may be the first one’s lets it be tried no more', () => {
    for (const transactionId of ['T-other', undefined]) {
      const { order } = folded([...story, answered('refund-2', '0000', { transactionId }), again]);
      expect([standing(order, 'refund-1'), verdictOf(order, 'refund-1#2')]).toEqual(['in_doubt', 'lost']);
    }
  });
});

it('a success that is of one of two authorizations lets none of them be tried again', () => {
  const first = [askedUntagged('authorize-1'), notExecuted('authorize-1')];
  const second = [askedUntagged('authorize-2'), answered('authorize-2', '2005', { transactionId: undefined })];
  const success = untagged('authorize-1', '0000');
  const { order } = folded([...first, ...second, success, askedUntagged('authorize-1', { attempt: 2 })]);
  expect([standing(order, 'authorize-1'), verdictOf(order, 'authorize-1#2')]).toEqual(['in_doubt', 'lost']);
});

it('a card payment has no tag and is made by nobody else: a notification settles its doubt', () => {
  expect(standing(folded([asked('pay'), lost('pay'), notified('pay', '0000')]).order, 'pay')).toBe('ended succeeded');
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

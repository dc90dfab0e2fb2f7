import {
  answered,
  asked,
  authorized,
  captured,
  expired,
  folded,
  lost,
  notExecuted,
  notified,
  operatorSays,
  standing,
} from '../../test/order-story.js';
import { findOperation, verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';

const flagsOf = (records: readonly JournalRecord[]) => {
  const { bodies, events } = folded(records);
  return bodies.flatMap(({ flags }, at) => (events[at] === 'conflict.detected' ? [flags] : []));
};
const verdict = (records: readonly JournalRecord[], name: string) => verdictOf(folded(records).order, `${name}#1`);

describe('a payment that succeeded by one word of two is live', () => {
  const refused = [
    asked('authorize'),
    answered('authorize', '0002'),
    notified('authorize', '4003'),
    notified('authorize', '0000'),
  ];
  const doubted = [
    asked('authorize'),
    lost('authorize'),
    operatorSays('authorize', 'not_executed'),
    notified('authorize', '0000'),
  ];
  it.each([
    ['refused, then 0000', refused],
    ['not executed, then 0000', doubted],
  ])('%s', (_what, records) => {
    expect(verdict([...records, asked('authorize-2')], 'authorize-2')).toBe('rejected');
    const voided = [...records, asked('void'), answered('void', '0000'), asked('authorize-2')];
    expect(verdict(voided, 'authorize-2')).toBe('granted');
  });

  it('and a second one that succeeded before is told', () => {
    const waiting = [asked('authorize'), answered('authorize', '0002'), notified('authorize', '4003')];
    const both = [...waiting, asked('authorize-2'), answered('authorize-2', '0000'), notified('authorize', '0000')];
    expect(flagsOf(both)).toEqual([['was_refused', 'said_succeeded', 'two_payments_succeeded']]);
  });

  it('and a second one that succeeds after it is told', () => {
    const open = [asked('authorize'), answered('authorize', '0003'), expired('authorize'), asked('authorize-2')];
    const both = [...open, notified('authorize', '0000'), answered('authorize-2', '0000')];
    expect(flagsOf(both).at(-1)).toEqual(['two_payments_succeeded']);
  });
});

describe('an amount that two words contradict binds no guard', () => {
  const capture = [...authorized, asked('capture'), answered('capture', '0004', { amount: 9000 })];
  const authorization = [asked('authorize'), answered('authorize', '0004', { amount: 9000 })];
  const whole = (name: string) => notified(name, '0000', { answer: { amount: 30_000 } });
  it.each([
    ['a refund of the whole', [...capture, whole('capture'), asked('refund', { amount: 30_000 })], 'refund'],
    ['a capture of the whole', [...authorization, whole('authorize'), asked('capture', { amount: 30_000 })], 'capture'],
    [
      'a refund of the larger share',
      [...capture, notified('capture', '0004', { answer: { amount: 12_000 } }), asked('refund', { amount: 12_000 })],
      'refund',
    ],
  ] as [string, JournalRecord[], string][])('%s', (_what, records, name) => {
    expect([verdict(records, name), flagsOf(records)]).toEqual([
      'granted',
      [expect.arrayContaining(['was_succeeded'])],
    ]);
  });

  it('nor is it what a capture without an amount takes', () => {
    const { order } = folded([...authorization, whole('authorize'), asked('capture')]);
    expect(findOperation(order, 'capture')?.amount).toBeUndefined();
  });
});

it('an answer NOT_EXECUTED after a success is a conflict, once', () => {
  const reported = [
    ...authorized,
    asked('capture'),
    notified('capture', '0000'),
    notExecuted('capture'),
    notExecuted('capture'),
  ];
  expect([standing(folded(reported).order, 'capture'), flagsOf(reported)]).toEqual([
    'ended succeeded',
    [['was_succeeded', 'said_not_executed']],
  ]);
});

it('an answer with another TRANSACTIONID than the notification is a conflict', () => {
  const heard = notified('refund', '0000', { answer: { transactionId: 'T-other' } });
  expect(flagsOf([...captured, asked('refund'), heard, answered('refund', '0000')])).toEqual([
    ['was_succeeded', 'said_other_transaction'],
  ]);
});

describe('an attempt that was executed after all, while the next one was waited for', () => {
  const late = [...captured, asked('refund', { amount: 1000 }), notExecuted('refund'), notified('refund', '0000')];
  it('is denied later: a conflict', () => {
    expect(flagsOf([...late, notified('refund', '4001')]).at(-1)).toEqual(['was_succeeded', 'said_refused']);
  });

  it('tells its references later', () => {
    const { bodies } = folded([...late, notified('refund', '0000', { externalReference: '000001234' })]);
    expect(bodies.at(-1)).toMatchObject({ externalReference: '000001234', flags: ['references_added'] });
  });

  it('is no longer what evidence without a name may be about', () => {
    const { tag, ...other } = notified('pay', '0000', { answer: { transactionId: 'T-other' } });
    const { events } = folded([asked('pay'), notExecuted('pay'), notified('pay', '0000'), other]);
    expect([tag, events.slice(-2)]).toEqual([undefined, ['operation.external', 'conflict.detected']]);
  });
});

it('the accepted amount is told once more where only a notification has it', () => {
  const records = [
    ...authorized,
    asked('capture'),
    answered('capture', '0004'),
    notified('capture', '0004', { answer: { amount: 9000 } }),
  ];
  const { events, bodies } = folded([...records, notified('capture', '0004', { answer: { amount: 9000 } })]);
  expect(events.filter((type) => type === 'capture.succeeded')).toHaveLength(2);
  expect(bodies.at(-1)).toMatchObject({ amount: 9000, partial: true, flags: ['amount_added'] });
});

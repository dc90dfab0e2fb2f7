import {
  answered,
  asked,
  askedUntagged,
  authorized,
  captured,
  folded,
  lost,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
} from '../../test/order-story.js';
import { isCapturable } from './guards.js';
import { findOperation, verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';

const elsewhere = (
  operation: string,
  execCode = '0000',
  transactionId: string | undefined = 'T-office',
  amount?: number,
) => notifiedElsewhere(operation, execCode, { transactionId, amount });

describe('an operation that we never sent', () => {
  it.each(['authorize', 'capture', 'refund', 'void', 'pay'] as const)(
    '%s is told once, and changes nothing of ours',
    (kind) => {
      const { order } = folded(captured);
      const after = folded([elsewhere(kind), elsewhere(kind)], order);
      const isPayment = kind === 'authorize' || kind === 'pay';
      const conflict = isPayment ? ['conflict.detected'] : [];
      expect([after.events, after.bodies[0]?.operation]).toEqual([['operation.external', ...conflict], kind]);
      expect(after.order.operations).toEqual(order.operations);
    },
  );

  it.each(['credit', 'constructor', '__proto__', 'AUTHORIZATION'])(
    'OPERATIONTYPE %p is told by the platform’s own word',
    (reported) => {
      const { order, events, bodies } = folded([elsewhere(reported), elsewhere(reported)]);
      expect(events).toEqual(['operation.external']);
      expect(bodies[0]).toMatchObject({
        operationType: reported,
        transactionId: 'T-office',
        execCode: '0000',
        origin: 'notification',
      });
      expect(bodies[0]).not.toHaveProperty('operation');
      expect(order.external).toMatchObject([{ operationType: reported, result: 'succeeded' }]);
    },
  );

  it('without an OPERATIONTYPE is told as well', () => {
    const { operationType, ...nameless } = elsewhere('');
    expect([operationType, folded([nameless]).events]).toEqual(['', ['operation.external']]);
  });

  it('of an unknown OPERATIONTYPE settles nothing, even with our tag and TRANSACTIONID', () => {
    const { operation, ...ours } = notified('capture', '0000');
    const after = folded([...authorized, asked('capture'), lost('capture'), { ...ours, operationType: 'credit' }]);
    expect([operation, standing(after.order, 'capture'), after.events.at(-1)]).toEqual([
      'capture',
      'in_doubt',
      'operation.external',
    ]);
  });

  it('of an order that we do not know is told', () => {
    expect(folded([elsewhere('refund')]).events).toEqual(['operation.external']);
  });

  it('goes on as it was told: 0003, then 0000', () => {
    expect(folded([elsewhere('authorize', '0003'), elsewhere('authorize', '0000')]).events).toEqual([
      'operation.external',
      'operation.external',
    ]);
  });

  it('that contradicts itself is a conflict, once', () => {
    const { events, bodies } = folded([elsewhere('refund'), elsewhere('refund', '4001'), elsewhere('refund', '4001')]);
    expect(events).toEqual(['operation.external', 'operation.external', 'conflict.detected']);
    expect(bodies.at(-1)).toMatchObject({
      operation: 'refund',
      transactionId: 'T-office',
      execCode: '4001',
      flags: ['was_succeeded'],
    });
  });

  it('without a TRANSACTIONID is told once for each amount', () => {
    const nameless = (amount: number) => notifiedElsewhere('refund', '0000', { amount });
    expect(folded([nameless(100), nameless(100), nameless(200)]).events).toEqual([
      'operation.external',
      'operation.external',
    ]);
  });

  it('told twice settles no younger doubt of ours', () => {
    const doubtful = [...captured, elsewhere('refund'), askedUntagged('refund'), lost('refund')];
    expect(standing(folded([...doubtful, elsewhere('refund')]).order, 'refund')).toBe('in_doubt');
  });
});

describe('what turns out to be ours is taken back', () => {
  const early = elsewhere('refund', '0000', 'T-refund', 6000);
  const refund = asked('refund', { amount: 6000 });
  it.each([
    ['by the answer', [refund, early, answered('refund', '0000')]],
    ['by a notification that carries the tag', [refund, early, notified('refund', '0000')]],
    [
      'by an operator',
      [refund, early, lost('refund'), operatorSays('refund', 'succeeded', { transactionId: 'T-refund' })],
    ],
  ] as [string, JournalRecord[]][])('%s', (_what, records) => {
    const { order } = folded([...captured, ...records, asked('refund-2', { amount: 24_000 })]);
    expect([order.external, verdictOf(order, 'refund-2#1')]).toEqual([[], 'granted']);
  });

  it('and is not held for another one afterwards', () => {
    const { order, events } = folded([...captured, refund, answered('refund', '0000'), early]);
    expect([order.external, events.includes('operation.external')]).toEqual([[], false]);
  });

  it('unlike what another one of ours is, that carries its tag', () => {
    const another = notified('refund', '0000', { answer: { transactionId: 'T-office', amount: 500 } });
    const { order } = folded([...captured, refund, answered('refund', '0000'), another]);
    expect(order.external).toMatchObject([{ operation: 'refund', transactionId: 'T-office', amount: 500 }]);
  });
});

describe('captures and voids of the back office', () => {
  const two = [
    ...authorized,
    asked('void'),
    answered('void', '0000'),
    asked('authorize-2'),
    answered('authorize-2', '0000'),
  ];
  it.each([
    ['a capture after a capture', [...authorized, elsewhere('capture'), asked('capture')], 'capture', 'granted'],
    ['a capture after a void', [...authorized, elsewhere('void'), asked('capture')], 'capture', 'granted'],
    ['a void after a capture', [...authorized, elsewhere('capture'), asked('void')], 'void', 'granted'],
    ['a void after a void', [...authorized, elsewhere('void'), asked('void')], 'void', 'granted'],
    [
      'a refund of a capture',
      [...authorized, elsewhere('capture'), asked('refund', { transactionId: 'T-office' })],
      'refund',
      'granted',
    ],
    [
      'an authorization after a void',
      [...authorized, elsewhere('void'), asked('authorize-2')],
      'authorize-2',
      'granted',
    ],
    [
      'an authorization after a void that was refused',
      [...authorized, elsewhere('void', '2015'), asked('authorize-2')],
      'authorize-2',
      'rejected',
    ],
    [
      'an authorization after a capture',
      [...authorized, elsewhere('capture'), asked('authorize-2')],
      'authorize-2',
      'rejected',
    ],
    [
      'an authorization after a void of who knows which',
      [elsewhere('authorize', '0000', 'T-other'), ...authorized, elsewhere('void'), asked('authorize-2')],
      'authorize-2',
      'rejected',
    ],
    [
      'an authorization after the void of the second one',
      [...two, elsewhere('void'), asked('authorize-3')],
      'authorize-3',
      'granted',
    ],
  ] as [string, JournalRecord[], string, string][])('%s is %s', (_what, records, name, verdict) => {
    expect(verdictOf(folded(records).order, `${name}#1`)).toBe(verdict);
  });

  it.each(['capture', 'void'])('end the capture window that people are reminded of: %s', (kind) => {
    const { order } = folded([...authorized, elsewhere(kind)]);
    const authorization = findOperation(order, 'authorize');
    expect(authorization && isCapturable(order, authorization)).toBe(false);
  });
});

it('an operation that we never sent is published once more with what was left out before, and counts once', () => {
  const [bare, amount] = [elsewhere('refund'), elsewhere('refund', '0000', 'T-office', 4_000)];
  const referenced = { ...bare, externalReference: '000000007' };
  const { order, events, bodies } = folded([...captured, bare, amount, referenced, bare, amount, referenced]);
  expect(events.slice(-3)).toEqual(['operation.external', 'operation.external', 'operation.external']);
  expect(bodies.at(-2)).toMatchObject({ transactionId: 'T-office', amount: 4_000 });
  expect(bodies.at(-1)).toMatchObject({ transactionId: 'T-office', amount: 4_000, externalReference: '000000007' });
  expect(order.external).toMatchObject([{ transactionId: 'T-office', amount: 4_000, externalReference: '000000007' }]);
  const tooMuch = asked('refund', { amount: 26_001 });
  expect(verdictOf(folded([tooMuch], order).order, tooMuch.token)).toBe('rejected');
});

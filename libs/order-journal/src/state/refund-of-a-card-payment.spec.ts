import { answered, asked, folded, lost, notified } from '../../test/order-story.js';
import { referenceFor } from './next-step.js';
import { verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';

/** `payment` authorizes and captures in one; its refund names it (docs/decisions/0020). */
const paid = [asked('pay', { amount: 5000 }), answered('pay', '0000')];
const refund = (amount?: number, name = 'refund') => asked(name, { transactionId: 'T-pay', amount });

it.each([
  ['all of it', [...paid, refund(5000)], 'granted'],
  ['more than it', [...paid, refund(5001)], 'rejected'],
  ['the rest', [...paid, refund(4000, 'refund-1'), answered('refund-1', '0000'), refund(1000)], 'granted'],
  ['more than the rest', [...paid, refund(4000, 'refund-1'), answered('refund-1', '0000'), refund(1001)], 'rejected'],
  ['what was accepted in part', [asked('pay'), answered('pay', '0004', { amount: 700 }), refund(700)], 'granted'],
  ['more than was accepted in part', [asked('pay'), answered('pay', '0004', { amount: 700 }), refund(701)], 'rejected'],
  ['after its notification alone', [asked('pay'), lost('pay'), notified('pay', '0000'), refund(30_000)], 'granted'],
  ['while it waits for its cardholder', [asked('pay'), answered('pay', '0001'), refund(1)], 'rejected'],
  ['while it is in doubt', [asked('pay'), lost('pay'), refund(1)], 'rejected'],
  ['of one that was refused', [asked('pay'), answered('pay', '4001'), refund(1)], 'rejected'],
  [
    'of one that was refused and succeeded after all',
    [asked('pay'), answered('pay', '4001'), notified('pay', '0000'), refund(1)],
    'granted',
  ],
] as [string, JournalRecord[], string][])('a refund of a card payment, %s', (_what, records, verdict) => {
  expect(verdictOf(folded(records).order, 'refund#1')).toBe(verdict);
});

describe('a refund of a capture of a card payment', () => {
  const captured = (amount: number) => [
    asked('capture', { transactionId: 'T-pay', amount }),
    answered('capture', '0000'),
  ];
  const ofCapture = (amount: number) => asked('refund-2', { amount });

  it.each([
    ['all of both', [...paid, ...captured(5000), refund(5000), answered('refund', '0000'), ofCapture(1)], 'rejected'],
    ['the rest', [...paid, ...captured(4000), refund(2000), answered('refund', '0000'), ofCapture(3000)], 'granted'],
    ['more', [...paid, ...captured(4000), refund(2000), answered('refund', '0000'), ofCapture(3001)], 'rejected'],
    ['more than was captured', [...paid, ...captured(4000), ofCapture(4001)], 'rejected'],
  ] as [string, JournalRecord[], string][])(
    'gives back no more than the payment took: %s [States.other-transitions]',
    (_what, records, verdict) => {
      expect(verdictOf(folded(records).order, 'refund-2#1')).toBe(verdict);
    },
  );
});

it('names the card payment where the command names nothing', () => {
  expect(referenceFor(folded(paid).order, 'refund')).toEqual({ transactionId: 'T-pay' });
});

it.each([
  ['void', 'rejected'],
  ['capture', 'granted'],
] as const)('a %s of a card payment is %s', (name, verdict) => {
  expect(verdictOf(folded([...paid, asked(name, { transactionId: 'T-pay' })]).order, `${name}#1`)).toBe(verdict);
});

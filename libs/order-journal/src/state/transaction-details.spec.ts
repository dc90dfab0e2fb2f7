import {
  answered,
  asked,
  expired,
  folded,
  later,
  lost,
  notified,
  notifiedElsewhere,
  standing,
} from '../../test/order-story.js';
import { timersOf } from '../timers/timer-watch.js';
import { refundableAmount } from './guards.js';
import { findOperation, verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const after = (...records: JournalRecord[]) => folded(records);
const conflicts = (...records: JournalRecord[]) => {
  const { events, bodies } = after(...records);
  return bodies.filter((_, at) => events[at] === 'conflict.detected');
};
const onForm = [asked('authorize'), answered('authorize', '0002')];
const authorized = [asked('authorize'), answered('authorize', '0000')];
const captured = [...authorized, asked('capture'), answered('capture', '0000')];
const paid = [asked('pay'), answered('pay', '0000')];
const card = { maskedCard: 'XXXXXXXXXXXX1234', cardBrand: 'visa', selectedBrand: 'cb', cardCountry: 'FR' };

describe('the currency that the platform names', () => {
  it.each([
    [
      'of a redirect that succeeds',
      [...onForm, notified('authorize', '0000', { currency: 'USD' })],
      'authorize.succeeded',
    ],
    ['behind the answer', [...authorized, notified('authorize', '0000', { currency: 'USD' })], 'authorize.succeeded'],
    [
      'after a doubt',
      [asked('authorize'), lost('authorize'), notified('authorize', '0000', { currency: 'USD' })],
      'authorize.doubt_resolved',
    ],
    [
      'of an approval that is waited for',
      [...onForm, notified('authorize', '0003', { currency: 'USD' })],
      'authorize.pending',
    ],
    [
      'of a refund',
      [...captured, asked('refund'), notified('refund', '0000', { currency: 'USD' })],
      'refund.succeeded',
    ],
  ])('is a conflict where it is another one, once: %s', (_what, records, event) => {
    const [conflict, ...more] = conflicts(...records, records.at(-1)!);
    expect(more).toEqual([]);
    expect(conflict).toMatchObject({ currency: 'EUR', otherCurrency: 'USD', flags: ['other_currency'] });
    expect(after(...records).events).toContain(event);
  });

  it.each([
    ['the order’s own', [...onForm, notified('authorize', '0000', { currency: 'EUR' })]],
    ['none', [...onForm, notified('authorize', '0000')]],
    ['another, of a refusal', [...onForm, notified('authorize', '4001', { currency: 'USD' })]],
  ])('is no conflict where it is %s', (_what, records) => {
    expect(conflicts(...records)).toEqual([]);
  });

  it('goes into one conflict with another amount', () => {
    const answer = { amount: 28_000 };
    expect(conflicts(...onForm, notified('authorize', '0000', { currency: 'USD', answer }))).toEqual([
      expect.objectContaining({ otherAmount: 28_000, otherCurrency: 'USD', flags: ['other_amount', 'other_currency'] }),
    ]);
  });

  it('loosens no guard: what was asked for counts', () => {
    const order = [...onForm, notified('authorize', '0000', { currency: 'USD' })];
    const tooMuch = asked('capture', { amount: 30_001 });
    expect(verdictOf(after(...order, tooMuch).order, tooMuch.token)).toBe('rejected');
  });

  it('is that of an operation made elsewhere, which counts against what remains whatever it is', () => {
    const office = (currency: string) => ({
      ...notifiedElsewhere('refund', '0000', { transactionId: 'T-o', amount: 10_000 }),
      currency,
    });
    const { order, bodies } = after(...captured, office('EUR'));
    expect([bodies.at(-1)?.currency, order.external[0]?.currency]).toEqual(['EUR', 'EUR']);
    expect(refundableAmount(order, 'T-capture')).toBe(20_000);
    expect(refundableAmount(after(...captured, office('USD')).order, 'T-capture')).toBe(20_000);
  });
});

describe('the language and the card', () => {
  it('are said by the event of the result', () => {
    const { bodies } = after(
      asked('pay'),
      answered('pay', '0001'),
      notified('pay', '0000', { language: 'fr', ...card }),
    );
    expect(bodies.at(-1)).toMatchObject({ language: 'fr', ...card });
  });

  it('a card is told once more behind an answer that did not have it; a language alone is not', () => {
    expect(after(...paid, notified('pay', '0000', { language: 'fr' })).events).toEqual(['pay.succeeded']);
    const { events, bodies } = after(...paid, notified('pay', '0000', card), notified('pay', '0000', card));
    expect(events).toEqual(['pay.succeeded', 'pay.succeeded']);
    expect(bodies.at(-1)).toMatchObject({ ...card, flags: ['card_added'] });
  });

  it('are said of an operation made elsewhere', () => {
    const office = { ...notifiedElsewhere('refund', '0000', { transactionId: 'T-o' }), language: 'fr', ...card };
    expect(after(...captured, office).bodies.at(-1)).toMatchObject({ language: 'fr', ...card });
  });

  it.each([
    ['cs', ['B', 'card'], 'B', undefined],
    ['cs', ['B', 'card'], 'A', ['unknown_language']],
    ['sk', ['A', 'card'], 'B', ['unknown_language']],
    ['xx', [], 'A', ['unknown_language']],
    ['fr', undefined, 'A', undefined],
  ] as const)('%s, a language of %j, of an operation of method %s: %j', (language, languageOf, method, flags) => {
    const evidence = notified('authorize', '0000', { language, ...(languageOf && { languageOf: [...languageOf] }) });
    const { bodies } = after(asked('authorize', { method }), answered('authorize', '0002'), evidence);
    expect(bodies.at(-1)?.flags).toEqual(flags);
  });
});

describe('a text of the platform that was cut', () => {
  const cut = { message: 'long', messageTruncated: true, descriptor: 'long', descriptorTruncated: true };
  const cutToo = { ...cut, execCodeTruncated: true };

  it.each([
    ['an answer', cut, [asked('authorize'), answered('authorize', '0000', cut)]],
    ['a notification', cutToo, [...onForm, notified('authorize', '4001', { answer: cutToo })]],
    ['a notification of another operation', cutToo, [...captured, notifiedElsewhere('refund', '0000', cutToo)]],
    ['an answer without its form', { redirectHtmlDropped: true }, [asked('authorize'), answered('authorize', '0002', { redirectHtmlDropped: true })]], // prettier-ignore
  ])('is flagged by the event: %s', (_whose, flags, records) => {
    expect(after(...records).bodies.at(-1)).toMatchObject(flags);
  });
});

describe('the capture window', () => {
  const lateBy = (ms: number): JournalRecord => ({ ...asked('capture'), at: later(ms) });
  const flagsOf = (...records: JournalRecord[]) => findOperation(after(...records).order, 'capture')?.flags;
  /** Heard on the third day, of what the platform did on the first. */
  const heard = (executedAt: string): JournalRecord => ({
    ...notified('authorize', '0000', { executedAt }),
    at: later(3 * DAY_MS),
  });

  it('counts from the time that the platform tells', () => {
    const records = [...onForm, heard(later(MINUTE_MS))];
    const { order } = after(...records);
    const closing = timersOf(order).find(({ timer }) => timer === 'capture_window');
    expect(new Date(closing!.atMs).toISOString()).toBe(later(6 * DAY_MS + MINUTE_MS));
    expect(flagsOf(...records, lateBy(7 * DAY_MS + MINUTE_MS))).toBeUndefined();
    expect(flagsOf(...records, lateBy(7 * DAY_MS + MINUTE_MS + 1))).toEqual(['capture_window_passed']);
  });

  it('counts from it too where the success was known before', () => {
    const answeredLate = { ...answered('authorize', '0000'), at: later(DAY_MS) };
    const records = [asked('authorize'), answeredLate, heard(later(MINUTE_MS))];
    expect(flagsOf(...records, lateBy(7 * DAY_MS + MINUTE_MS + 1))).toEqual(['capture_window_passed']);
  });

  it.each([
    ['later than we heard of it', later(5 * DAY_MS)],
    ['before it was asked for', later(-MINUTE_MS - 1)],
    ['no time', 'yesterday'],
  ])('counts from when it was heard where the platform tells a time that is %s', (_what, executedAt) => {
    const records = [...onForm, heard(executedAt)];
    expect(flagsOf(...records, lateBy(10 * DAY_MS))).toBeUndefined();
    expect(flagsOf(...records, lateBy(10 * DAY_MS + 1))).toEqual(['capture_window_passed']);
  });

  it('an expiry is no success: its time counts for nothing', () => {
    const late = [asked('authorize'), answered('authorize', '0003'), expired('authorize')];
    expect(standing(after(...late).order, 'authorize')).toBe('ended expired');
    expect(findOperation(after(...late).order, 'authorize')?.executedAt).toBeUndefined();
  });
});

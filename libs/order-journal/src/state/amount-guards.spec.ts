import {
  answered,
  asked,
  askedUntagged,
  folded,
  lost,
  notified,
  notifiedElsewhere,
  operatorSays,
} from '../../test/order-story.js';
import { findOperation, verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';

/** "Amount rules must never refuse a true partial capture or refund": both sides of every limit. */
type Row = [what: string, before: JournalRecord[], most: number | 'anything'];

const authorized = [asked('authorize', { amount: 30_000 }), answered('authorize', '0000')];
const partly = (amount?: number) => [asked('authorize', { amount: 30_000 }), answered('authorize', '0004', { amount })];
const capture = (amount?: number, code = '0000', said?: number) => [
  ...authorized,
  asked('capture', { amount }),
  answered('capture', code, { amount: said }),
];
const refunded = (name: string, amount?: number, code = '0000', said?: number) => [
  asked(name, { amount }),
  answered(name, code, { amount: said }),
];
const office = (amount: number | undefined, code = '0000', transactionId = 'T-office') =>
  notifiedElsewhere('refund', code, { transactionId, amount });

const verdictAt = (before: JournalRecord[], name: string, amount: number) =>
  verdictOf(folded([...before, asked(name, { amount })]).order, `${name}#1`);

function expectAtMost(before: JournalRecord[], name: string, most: number | 'anything'): void {
  if (most === 'anything') expect(verdictAt(before, name, 1_000_000)).toBe('granted');
  else {
    expect([most, most + 1].map((amount) => verdictAt(before, name, amount))).toEqual([
      most > 0 ? 'granted' : 'rejected',
      'rejected',
    ]);
  }
}

describe('a capture may take at most', () => {
  const rows: Row[] = [
    ['what was authorized', authorized, 30_000],
    [
      'the smaller amount that its notification says',
      [...authorized, notified('authorize', '0000', { answer: { amount: 1 } })],
      1,
    ],
    ['what was accepted in part', partly(9000), 9000],
    ['who knows what, where it was accepted in part and nobody said how much', partly(), 'anything'],
    [
      'what the notification said of the part',
      [...partly(), notified('authorize', '0004', { answer: { amount: 800 } })],
      800,
    ],
    ['who knows what, of an authorization never seen', [], 'anything'],
    [
      'what was authorized, after a refused capture',
      [...authorized, asked('capture-1'), answered('capture-1', '2007')],
      30_000,
    ],
    [
      'what was asked for, where an authorization that was refused succeeded after all',
      [asked('authorize'), answered('authorize', '4001'), notified('authorize', '0000')],
      30_000,
    ],
  ];
  it.each(rows)('%s', (_what, before, most) => {
    expectAtMost(before, 'capture', most);
  });

  it('nothing after a capture, and the platform decides where somebody denies that one', () => {
    expect(verdictAt(capture(1000), 'capture-2', 1000)).toBe('rejected');
    expect(verdictAt([...capture(1000), notified('capture', '4001')], 'capture-2', 1000)).toBe('granted');
  });
});

describe('a refund may give back at most [States.refund]', () => {
  const two = [
    asked('authorize'),
    answered('authorize', '0002'),
    asked('authorize-2', { supersedes: 'authorize', amount: 10_000 }),
    answered('authorize-2', '0000'),
    notified('authorize', '0000'),
    asked('capture'),
    answered('capture', '0000', { amount: 30_000 }),
    asked('capture-2', { transactionId: 'T-authorize-2' }),
    answered('capture-2', '0000', { amount: 10_000 }),
  ];
  const ofSecond = { transactionId: 'T-capture-2' };
  const rows: Row[] = [
    ['what was captured', capture(20_000), 20_000],
    ['the whole authorization, where the capture named no amount', capture(), 30_000],
    [
      'what the platform says that it captured, where the capture named no amount',
      capture(undefined, '0000', 25_000),
      25_000,
    ],
    [
      'what the notification says of it',
      [...capture(), notified('capture', '0000', { answer: { amount: 25_000 } })],
      25_000,
    ],
    ['the smaller amount that is said of the capture', capture(20_000, '0000', 1), 1],
    ['what was captured in part', capture(20_000, '0004', 15_000), 15_000],
    ['who knows what, where nobody said how much of it was captured', capture(20_000, '0004'), 'anything'],
    ['who knows what, of a capture never seen', authorized, 'anything'],
    ['the rest', [...capture(20_000), ...refunded('refund-1', 5000)], 15_000],
    ['the rest, to the cent', [...capture(20_000), ...refunded('refund-1', 19_999)], 1],
    ['nothing, after all was given back', [...capture(20_000), ...refunded('refund-1')], 0],
    [
      'nothing, where the default gave back what remained',
      [...capture(20_000), ...refunded('refund-1', 5000), ...refunded('refund-2')],
      0,
    ],
    [
      'what the platform left over of a default',
      [...capture(20_000), ...refunded('refund-1', undefined, '0000', 12_000)],
      8000,
    ],
    [
      'what the platform left over, by its notification',
      [...capture(20_000), ...refunded('refund-1'), notified('refund-1', '0000', { answer: { amount: 12_000 } })],
      8000,
    ],
    [
      'the rest of a refund that was accepted in part',
      [...capture(20_000), ...refunded('refund-1', 9000, '0004', 4000)],
      16_000,
    ],
    [
      'who knows what, where nobody said how much of a refund was accepted',
      [...capture(20_000), ...refunded('refund-1', 9000, '0004')],
      'anything',
    ],
    ['all, after a refund that was refused', [...capture(20_000), ...refunded('refund-1', 9000, '2008')], 20_000],
    [
      'who knows what, after a refund that somebody denies',
      [...capture(20_000), ...refunded('refund-1', 9000), notified('refund-1', '4001')],
      'anything',
    ],
    ['the rest behind a refund of the back office', [...capture(20_000), office(4000)], 16_000],
    ['the rest behind one that is told twice', [...capture(20_000), office(4000), office(4000)], 16_000],
    ['the rest behind two', [...capture(20_000), office(4000), office(1000, '0000', 'T-office-2')], 15_000],
    ['who knows what, where the back office names no amount', [...capture(20_000), office(undefined)], 'anything'],
    ['all, behind one that was refused', [...capture(20_000), office(4000, '4001')], 20_000],
    ['all, behind one that is contradicted', [...capture(20_000), office(4000), office(4000, '4001')], 20_000],
    [
      'the rest behind the least that was said of one',
      [...capture(20_000), office(4000), office(3000, '0004')],
      17_000,
    ],
    [
      'the rest behind one of the back office and our own',
      [...capture(20_000), office(4000), ...refunded('refund-1', 6000)],
      10_000,
    ],
    [
      'the rest behind the smaller of two, where one may be ours that has no TRANSACTIONID',
      [
        ...capture(30_000),
        askedUntagged('refund-1', { amount: 10_000 }),
        answered('refund-1', '0000', { transactionId: undefined }),
        office(10_000, '0000', 'T-a'),
        office(4000, '0004', 'T-b'),
      ],
      16_000,
    ],
    [
      'the rest behind ours, where the only candidate may be ours',
      [
        ...capture(30_000),
        askedUntagged('refund-1', { amount: 10_000 }),
        answered('refund-1', '0000', { transactionId: undefined }),
        office(10_000, '0000', 'T-a'),
      ],
      20_000,
    ],
    [
      'the rest behind ours, where a candidate is reported without its TRANSACTIONID too',
      [
        ...capture(30_000),
        askedUntagged('refund-1', { amount: 10_000 }),
        answered('refund-1', '0000', { transactionId: undefined }),
        office(10_000, '0000', 'T-a'),
        notifiedElsewhere('refund', '0000', { amount: 10_000 }),
      ],
      20_000,
    ],
    [
      'the rest behind two of ours and one of three candidates',
      [
        ...capture(30_000),
        ...['refund-1', 'refund-2'].flatMap((name) => [
          askedUntagged(name, { amount: 5000 }),
          answered(name, '0000', { transactionId: undefined }),
        ]),
        ...['T-a', 'T-b', 'T-c'].map((id) => office(5000, '0000', id)),
      ],
      15_000,
    ],
    [
      'what a refund of ours leaves, told before its own answer',
      [
        ...capture(20_000),
        asked('refund-1', { amount: 6000 }),
        notified('refund-1', '0000', { answer: { amount: 6000 } }),
        answered('refund-1', '0000', { amount: 6000 }),
      ],
      14_000,
    ],
    [
      'the same without a tag',
      [
        ...capture(20_000),
        askedUntagged('refund-1', { amount: 6000 }),
        office(6000, '0000', 'T-refund-1'),
        answered('refund-1', '0000'),
      ],
      14_000,
    ],
    [
      'the same by an operator',
      [
        ...capture(20_000),
        asked('refund-1', { amount: 6000 }),
        office(6000, '0000', 'T-refund-1'),
        lost('refund-1'),
        operatorSays('refund-1', 'succeeded', { transactionId: 'T-refund-1' }),
      ],
      14_000,
    ],
    ['all of the first, where the back office may have given back the second', [...two, office(10_000)], 30_000],
    ['what can remain of both', [...two, office(15_000)], 25_000],
    [
      'what can remain of both, behind a refund of the second',
      [...two, asked('refund-1', { ...ofSecond, amount: 9000 }), answered('refund-1', '0000'), office(5000)],
      26_000,
    ],
    [
      'all, where what the back office gave back may be of what it captured',
      [
        ...capture(20_000),
        notifiedElsewhere('capture', '0000', { transactionId: 'T-other', amount: 5000 }),
        office(5000),
      ],
      20_000,
    ],
    [
      'all, where nobody says how much the back office captured',
      [...capture(20_000), notifiedElsewhere('capture', '0000', { transactionId: 'T-other' }), office(50_000)],
      20_000,
    ],
    [
      'all, where the back office may have given back what we never saw',
      [
        ...capture(20_000),
        asked('refund-1', { transactionId: 'T-unseen', amount: 1 }),
        answered('refund-1', '0000'),
        office(4000),
      ],
      20_000,
    ],
    [
      'all, where the beginning of the order is missing',
      [notified('authorize-0', '0000'), ...capture(20_000), office(4000)],
      20_000,
    ],
    [
      'who knows what, of a capture that was refused and succeeded after all',
      [...capture(20_000, '4001'), notified('capture', '0000')],
      'anything',
    ],
  ];
  it.each(rows)('%s', (_what, before, most) => {
    expectAtMost(before, 'refund', most);
  });

  it('nothing of a capture that was refused', () => {
    expect(verdictAt(capture(20_000, '2007'), 'refund', 1)).toBe('rejected');
  });

  it.each([
    ['what remains', [...capture(20_000), office(4000)], 16_000],
    ['what nobody can tell: of which of two the back office gave back', [...two, office(4000)], undefined],
  ] as [string, JournalRecord[], number | undefined][])('by default %s', (_what, before, amount) => {
    expect(findOperation(folded([...before, asked('refund')]).order, 'refund')?.amount).toBe(amount);
  });

  it('two refunds in one breath are not counted twice when the first is told late', () => {
    const late = notified('refund-1', '0000', { answer: { amount: 5000 } });
    const before = [...capture(20_000), ...refunded('refund-1', 5000), ...refunded('refund-2', 5000), late, late];
    expectAtMost(before, 'refund', 10_000);
  });
});

import { answered, asked, expired, folded, notified, standing } from '../../test/order-story.js';
import { findOperation, verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';

/** The table of states as a whole (interface, States and transitions): what may follow an authorization in each of them. */
const authorized = [asked('authorize', { method: 'A' }), answered('authorize', '0000')];
const waiting = (execCode: string) => [asked('authorize', { method: 'A' }), answered('authorize', execCode)];

const STATES: [string, JournalRecord[], { standing: string; capture: string; void: string }][] = [
  ['0002, on the form', waiting('0002'), { standing: 'redirect_required', capture: 'rejected', void: 'granted' }],
  ['0003, waiting for approval', waiting('0003'), { standing: 'pending', capture: 'rejected', void: 'granted' }],
  [
    '0003, expired',
    [...waiting('0003'), expired('authorize')],
    { standing: 'ended expired', capture: 'rejected', void: 'granted' },
  ],
  [
    '0003, approved',
    [...waiting('0003'), notified('authorize', '0000')],
    { standing: 'ended succeeded', capture: 'granted', void: 'granted' },
  ],
  [
    '0002, validated',
    [...waiting('0002'), notified('authorize', '0000')],
    { standing: 'ended succeeded', capture: 'granted', void: 'granted' },
  ],
  [
    '0002, refused on the form',
    [...waiting('0002'), notified('authorize', '4001')],
    { standing: 'ended refused', capture: 'rejected', void: 'rejected' },
  ],
  ['0000', authorized, { standing: 'ended succeeded', capture: 'granted', void: 'granted' }],
  ['refused', waiting('4001'), { standing: 'ended refused', capture: 'rejected', void: 'rejected' }],
  [
    'captured',
    [...authorized, asked('capture-0'), answered('capture-0', '0000')],
    { standing: 'ended succeeded', capture: 'rejected', void: 'rejected' },
  ],
  [
    'captured in part',
    [...authorized, asked('capture-0', { amount: 1 }), answered('capture-0', '0000')],
    { standing: 'ended succeeded', capture: 'rejected', void: 'rejected' },
  ],
  [
    'with a capture that was refused',
    [...authorized, asked('capture-0'), answered('capture-0', '4001')],
    { standing: 'ended succeeded', capture: 'granted', void: 'granted' },
  ],
  [
    'voided',
    [...authorized, asked('void-0'), answered('void-0', '0000')],
    { standing: 'ended succeeded', capture: 'rejected', void: 'rejected' },
  ],
];

describe.each(STATES)('an authorization: %s', (_state, records, expected) => {
  it(`is ${expected.standing}`, () => {
    expect(standing(folded(records).order, 'authorize')).toBe(expected.standing);
  });

  for (const name of ['capture', 'void'] as const)
    it(`a ${name} is ${expected[name]}`, () => {
      const { order } = folded([...records, asked(name)]);
      expect(verdictOf(order, `${name}#1`)).toBe(expected[name]);
    });
});

it.each([
  [30_000, 'granted'],
  [30_001, 'rejected'],
  [29_999, 'granted'],
])('a capture of %i of an authorization of 30000 is %s', (amount, verdict) => {
  expect(verdictOf(folded([...authorized, asked('capture', { amount })]).order, 'capture#1')).toBe(verdict);
});

it.each(['capture', 'pay', 'refund'])(
  'a void of a %s is rejected: only authorizations can be voided [States.names] [Void.authorizations-only]',
  (name) => {
    const executed = name === 'refund' ? [asked('capture'), answered('capture', '0000'), asked(name)] : [asked(name)];
    const first = name === 'pay' ? [] : authorized;
    const records = [...first, ...executed, answered(name, '0000'), asked('void', { transactionId: `T-${name}` })];
    expect(findOperation(folded(records).order, 'void')?.latest?.body.faults).toMatchObject([
      { code: 'not_an_authorization' },
    ]);
  },
);

it.each([
  ['void-0', 'already_voided'],
  ['capture-0', 'already_captured'],
])('a void that follows a void or a capture is rejected, and says so: %s, %s [Ours.not-asked]', (name, code) => {
  const { order } = folded([...authorized, asked(name), answered(name, '0000'), asked('void')]);
  expect(findOperation(order, 'void')?.latest?.body.faults).toMatchObject([{ code }]);
});

it('a capture, and a refund, that name no amount take all of it', () => {
  const captured = folded([...authorized, asked('capture'), answered('capture', '0000')]).order;
  expect(findOperation(captured, 'capture')?.amount).toBe(30_000);
  const rest = [
    asked('refund-1', { amount: 10_000 }),
    answered('refund-1', '0000'),
    asked('refund-2'),
    answered('refund-2', '0000'),
  ];
  expect(findOperation(folded(rest, captured).order, 'refund-2')?.amount).toBe(20_000);
});

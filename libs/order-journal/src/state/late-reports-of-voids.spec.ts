import {
  answered,
  asked,
  askedUntagged,
  authorized,
  folded,
  later,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
} from '../../test/order-story.js';
import { timersOf } from '../timers/timer-watch.js';
import { conflictsOf } from './conflicts.js';
import { lookUpEvidence } from './evidence.js';
import type { JournalRecord } from './records.js';

const DAY_MS = 86_400_000;
const again = [asked('authorize-2', { method: 'A' }), answered('authorize-2', '0000')];
const onTheForm = [asked('authorize', { method: 'A' }), answered('authorize', '0002')];
const paidForm = notifiedElsewhere('authorize', '0000', { transactionId: 'T-authorize', amount: 30_000 });
const office = notifiedElsewhere('void', '0000', { transactionId: 'T-office' });
const second = notified('authorize', '0000', { answer: { transactionId: 'T-second' } });
const takenTwice = (records: readonly JournalRecord[]) =>
  conflictsOf(folded(records).order).find(({ reason }) => reason === 'two_payments_succeeded')?.payments;

describe('a void of the back office', () => {
  it('is of the authorization that it was first reported for, whatever a later copy adds', () => {
    const changed = asked('authorize-2', { method: 'A', supersedes: 'authorize' });
    const records = [
      ...[...onTheForm, changed, answered('authorize-2', '0002'), office],
      ...[notified('authorize', '4001'), notified('authorize-2', '0000')],
      notifiedElsewhere('void', '0000', { transactionId: 'T-office', amount: 30_000 }),
    ];
    const { order } = folded([...records, asked('authorize-3', { method: 'A' })]);
    expect([standing(order, 'authorize-3'), order.external.map(({ of }) => of)]).toEqual([
      'ended rejected',
      [undefined],
    ]);
  });

  it.each([
    ['after both successes', [...authorized, second, office], undefined],
    ['between them', [...authorized, office, second], 'T-authorize'],
  ] as [string, JournalRecord[], string | undefined][])(
    'cancels one success of an authorization at most: %s',
    (_what, records, cancelled) => {
      expect(standing(folded([...records, ...again]).order, 'authorize-2')).toBe('ended rejected');
      expect(takenTwice(records)?.map(({ transactionId }) => transactionId)).toEqual(
        cancelled === undefined ? ['T-authorize', 'T-second'] : undefined,
      );
    },
  );

  it('cancels nothing once a report denies it', () => {
    const denied = notifiedElsewhere('void', '4001', { transactionId: 'T-office' });
    for (const reports of [
      [office, denied],
      [denied, office],
    ])
      expect(standing(folded([...authorized, ...reports, ...again]).order, 'authorize-2')).toBe('ended rejected');
  });
});

describe('a void that was sent without a tag', () => {
  const begun = [asked('authorize', { method: 'A', mayLookUp: true }), answered('authorize', '0002')];
  const givenUp = { ...notExecuted('void'), record: 'GIVEN_UP', attempt: 2, code: 'platform_unavailable' };
  const ends: [string, JournalRecord[]][] = [
    ['is refused', [answered('void', '4001')]],
    ['is not executed, and given up', [notExecuted('void'), givenUp as unknown as JournalRecord]],
  ];

  it.each(ends)('and %s holds back no success of its authorization', (_what, end) => {
    for (const reported of [
      [...end, paidForm],
      [paidForm, ...end],
    ]) {
      const { order, events } = folded([...begun, askedUntagged('void'), ...reported]);
      expect([standing(order, 'authorize'), order.unmatchedEvidence]).toEqual(['ended succeeded', []]);
      expect(events).toContain('authorize.succeeded');
    }
  });

  const undecided = folded([...begun, askedUntagged('void'), answered('void', '0000'), paidForm]).order;

  it('and succeeded leaves the look-ups of an authorization that may have been paid, which keep the order', () => {
    const timers = timersOf(undecided).map(({ timer }) => timer);
    expect(timers).toEqual([
      ...['look_up_15_minutes', 'look_up_1_hour', 'look_up_6_hours', 'look_up_24_hours'],
      'snapshot',
    ]);
  });

  it('and its row of a look-up decides, though the notification that waits says the same', () => {
    const [authorize] = undecided.operations;
    const listed = {
      ...{ orderId: 'order-1', operation: 'authorize', execCode: '0000', transactionId: 'T-authorize' },
      ...{
        amount: 30_000,
        dateMs: Date.parse(later(1000)),
        answer: { execCode: '0000', transactionId: 'T-authorize' },
      },
    };
    const about = { merchant: { identifier: 'shop' }, order: undecided, operation: authorize, at: later(DAY_MS) };
    const rows = lookUpEvidence([listed] as never, about as never);
    const { order, events } = folded([...rows, asked('authorize-2', { method: 'A' })], undecided);
    const after = [standing(order, 'authorize'), order.unmatchedEvidence, events];
    expect(after).toEqual(['ended succeeded', [], ['authorize.succeeded', 'authorize.rejected']]);
  });
});

it('a void of an authorization whose TRANSACTIONID the order did not show hides no success that comes after it', () => {
  const unnamed = [asked('authorize', { method: 'A' }), answered('authorize', '0002', { transactionId: undefined })];
  const voided = [...unnamed, asked('void'), answered('void', '0000')];
  expect(takenTwice([...voided, ...again, notified('authorize', '0000')])).toHaveLength(2);
  const { order } = folded([...voided, notified('authorize', '0000'), asked('authorize-2', { method: 'A' })]);
  expect(standing(order, 'authorize-2')).toBe('ended rejected');
});

it('a void of an authorization of the back office cancels the success that was reported', () => {
  const made = notifiedElsewhere('authorize', '0000', { transactionId: 'T-authorize' });
  expect(takenTwice([made, asked('void'), answered('void', '0000'), ...again])).toBeUndefined();
});

describe('an authorization that succeeded after its void', () => {
  const succeeded = [...onTheForm, asked('void'), answered('void', '0000'), notified('authorize', '0000')];

  it('is live until it is voided again', () => {
    const { order, bodies } = folded([...succeeded, asked('authorize-2', { method: 'A' })]);
    expect(bodies.at(-1)?.faults).toMatchObject([
      { code: 'authorization_live', message: expect.stringContaining('voided again') },
    ]);
    const voided = folded([asked('void-2'), answered('void-2', '0000'), asked('authorize-3', { method: 'A' })], order);
    expect(standing(voided.order, 'authorize-3')).toBe('open');
  });

  it('is cancelled by an operator who says that the second void succeeded', () => {
    const both = [...succeeded.slice(0, -1), ...again, notified('authorize', '0000')];
    expect(takenTwice(both)).toHaveLength(2);
    const resolved = [asked('void-2'), lost('void-2'), operatorSays('void-2', 'succeeded')];
    expect(takenTwice([...both, ...resolved])).toBeUndefined();
  });
});

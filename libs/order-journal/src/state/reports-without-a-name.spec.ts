import { answered, asked, askedUntagged, authorized, captured, folded, lost, notifiedElsewhere, operatorSays, standing, under } from '../../test/order-story.js'; // prettier-ignore
import { conflictsOf } from './conflicts.js';
import { findOperation } from './order-state.js';
import type { JournalRecord } from './records.js';

/** Reports of captures and refunds that name none of ours: each TRANSACTIONID is told once, from rules version 2 on. */
const nameless = (name: string) => answered(name, '0000', { transactionId: undefined });
const refunded = (transactionId: string, amount?: number, execCode = '0000') =>
  notifiedElsewhere('refund', execCode, { transactionId, amount });
const story = (...records: JournalRecord[]) => folded(under(2, ...records));
/** Returns of each TRANSACTIONID, else command, the latest event that says that money moved. */
const books = ({ bodies }: ReturnType<typeof folded>) => {
  const moved = bodies.filter(({ operation, execCode, outcome }) => operation === 'refund' && (execCode === '0000' || outcome === 'succeeded')); // prettier-ignore
  return [...new Map(moved.map((one) => [one.transactionId ?? one.commandId, one.amount])).entries()].filter(
    ([id], _at, all) => id !== 'refund' || !all.some(([other]) => moved.some((one) => one.commandId === 'refund' && one.transactionId === other)), // prettier-ignore
  );
};

describe('a success of ours without a TRANSACTIONID', () => {
  const done = [...captured, askedUntagged('refund', { amount: 10_000 }), nameless('refund')];

  it('takes one report; the second is of the back office', () => {
    const told = story(...done, refunded('R', 10_000), refunded('BO', 10_000), refunded('BO', 10_000));
    expect(told.events.slice(-3)).toEqual(['refund.succeeded', 'refund.succeeded', 'operation.external']);
    expect(told.bodies.at(-2)).toMatchObject({ transactionId: 'R', transactionAssumed: true, flags: ['transaction_added'] }); // prettier-ignore
    expect(told.bodies.at(-1)).toMatchObject({ transactionId: 'BO', amount: 10_000, flags: ['may_be_ours'] });
    expect(conflictsOf(told.order)).toMatchObject([{ reason: 'transaction_assumed', transactionId: 'R' }]);
  });

  it.each([[['R', 'BO']], [['BO', 'R']]])(
    'of the default amount: the sum is right, whichever comes first (%s)',
    (ids) => {
      const amounts: Record<string, number> = { R: 20_000, BO: 7_000 };
      const reports = ids.map((id) => refunded(id, amounts[id]));
      for (const records of [
      [...captured, askedUntagged('refund'), nameless('refund'), ...reports],
      [...captured, askedUntagged('refund'), ...reports, nameless('refund')],
      [...captured, askedUntagged('refund'), lost('refund'), ...reports, nameless('refund')],
    ])
      expect(books(story(...records)).toSorted()).toEqual([['BO', 7_000], ['R', 20_000]]); // prettier-ignore
    },
  );

  it('gives a capture its amount and its TRANSACTIONID', () => {
    const report = notifiedElsewhere('capture', '0000', { transactionId: 'T-capture', amount: 24_000 });
    const { order, bodies } = story(...authorized, askedUntagged('capture'), nameless('capture'), report);
    expect(bodies.at(-1)).toMatchObject({ transactionId: 'T-capture', amount: 24_000, transactionAssumed: true });
    expect(findOperation(order, 'capture')).toMatchObject({ transactionId: 'T-capture', amount: 24_000 });
  });

  it('is told whose the report is by a person', () => {
    const seen = operatorSays('refund', 'succeeded', { transactionId: 'R' });
    const told = story(...done, refunded('R', 10_000), seen);
    expect(told.bodies.at(-1)).toMatchObject({ transactionId: 'R', flags: ['transaction_confirmed'] });
    expect(told.bodies.at(-1)).not.toHaveProperty('transactionAssumed');
    expect(conflictsOf(told.order)).toEqual([]);
  });

  it('takes no refused report and none of another amount', () => {
    const told = story(...done, refunded('X', 10_000, '4001'), refunded('Y', 9_999));
    expect(told.events.slice(-2)).toEqual(['operation.external', 'operation.external']);
    expect(findOperation(told.order, 'refund')?.transactionId).toBeUndefined();
  });

  it('takes no report that is older than its command', () => {
    const told = story(...captured, refunded('BO', 10_000), ...done.slice(captured.length));
    expect([told.order.external.length, findOperation(told.order, 'refund')?.transactionId]).toEqual([1, undefined]);
  });
});

describe('a refund of ours in doubt', () => {
  const doubtful = [...captured, askedUntagged('refund'), lost('refund')];

  it.each([
    ['after the doubt', [...doubtful, refunded('BO', 7_000)]],
    ['before it', [...captured, askedUntagged('refund'), refunded('BO', 7_000), lost('refund')]],
  ])('lets a report be told that comes %s', (_when, records) => {
    const told = story(...records, refunded('BO', 7_000));
    expect(told.bodies.filter(({ transactionId }) => transactionId === 'BO')).toMatchObject([
      { amount: 7_000, flags: ['may_be_ours'] },
    ]);
    expect(standing(told.order, 'refund')).toBe('in_doubt');
  });

  it.each([
    ['ours', operatorSays('refund', 'succeeded', { transactionId: 'BO' }), [], [['BO', 7_000]]],
    [
      'another one',
      operatorSays('refund', 'succeeded', { transactionId: 'R' }),
      ['BO'],
      [
        ['BO', 7_000],
        ['R', 30_000],
      ],
    ],
    ['nobody’s', operatorSays('refund', 'not_executed'), ['BO'], [['BO', 7_000]]],
    ['known by its answer', nameless('refund'), [], [['BO', 7_000]]],
  ])('and then turns out to be %s', (_what, end, external, expected) => {
    const told = story(...doubtful, refunded('BO', 7_000), end);
    expect(told.order.external.map(({ transactionId }) => transactionId)).toEqual(external);
    expect(books(told).toSorted()).toEqual(expected);
  });

  it('is told under version 1 as it was', () => {
    expect(folded([...doubtful, refunded('BO', 7_000)]).events.at(-1)).toBe('refund.in_doubt');
  });

  it('where its answer denied it, is told too', () => {
    const denied: JournalRecord[] = [...captured, askedUntagged('refund', { amount: 7_000 }),
      { ...lost('refund'), record: 'NOT_EXECUTED', reason: 'execcode', execCode: '5003' } as JournalRecord]; // prettier-ignore
    expect(story(...denied, refunded('R', 7_000)).events.slice(-2)).toEqual(['refund.in_doubt', 'operation.external']);
  });
});

it('a void of ours without a TRANSACTIONID takes one report', () => {
  const voided = [asked('authorize', { method: 'A' }), answered('authorize', '0000'), askedUntagged('void'), nameless('void')]; // prettier-ignore
  const told = story(...voided, notifiedElsewhere('void', '0000', { transactionId: 'V' }));
  expect(told.bodies.at(-1)).toMatchObject({ operation: 'void', transactionId: 'V', transactionAssumed: true });
});

import {
  answered,
  asked,
  askedUntagged,
  authorized,
  captured,
  expired,
  folded,
  later,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
} from '../../test/order-story.js';
import { findOperation } from './order-state.js';
import type { JournalRecord } from './records.js';

type Row = [what: string, records: JournalRecord[], stands: string, events: string[]];

const onForm = [asked('authorize'), answered('authorize', '0002')];

describe('an authorization by the table of states (interface, States and transitions)', () => {
  const ok = 'authorize.succeeded';
  const no = 'authorize.refused';
  const form = 'authorize.redirect_required';
  const held = 'authorize.pending';
  const conflict = 'conflict.detected';
  const notifiedAs = (code: string) => notified('authorize', code);
  const rows: Row[] = [
    ['0002, the cardholder validates', [...onForm, notifiedAs('0000')], 'ended succeeded', [form, ok]],
    ['0002, the cardholder is refused', [...onForm, notifiedAs('4001')], 'ended refused', [form, no]],
    ['0002, the cardholder leaves', [...onForm, notifiedAs('4004')], 'ended refused', [form, no]],
    ['0002, validated, told twice', [...onForm, notifiedAs('0000'), notifiedAs('0000')], 'ended succeeded', [form, ok]],
    ['0002, and 0002 by notification', [...onForm, notifiedAs('0002')], 'redirect_required', [form]],
    ['0002, and 0001 by notification', [...onForm, notifiedAs('0001')], 'redirect_required', [form]],
    [
      '0002, 0003, 0000 (method B)',
      [...onForm, notifiedAs('0003'), notifiedAs('0000')],
      'ended succeeded',
      [form, held, ok],
    ],
    ['0002, 0003, refused', [...onForm, notifiedAs('0003'), notifiedAs('4001')], 'ended refused', [form, held, no]],
    ['0002, 0000, then 0003 late', [...onForm, notifiedAs('0000'), notifiedAs('0003')], 'ended succeeded', [form, ok]],
    ['0002, 0003, then 0002 late', [...onForm, notifiedAs('0003'), notifiedAs('0002')], 'pending', [form, held]],
    [
      '0003 by the answer, approved',
      [asked('authorize'), answered('authorize', '0003'), notifiedAs('0000')],
      'ended succeeded',
      [held, ok],
    ],
    [
      '0003 by the answer, told again',
      [asked('authorize'), answered('authorize', '0003'), notifiedAs('0003')],
      'pending',
      [held],
    ],
    [
      '0003, no update for 6 days',
      [...onForm, notifiedAs('0003'), expired('authorize')],
      'ended expired',
      [form, held, 'authorize.expired'],
    ],
    [
      '0003, approved, and the timer too late',
      [...onForm, notifiedAs('0003'), notifiedAs('0000'), expired('authorize')],
      'ended succeeded',
      [form, held, ok],
    ],
    [
      '0003, expired, and approved all the same',
      [...onForm, notifiedAs('0003'), expired('authorize'), notifiedAs('0000'), notifiedAs('0000')],
      'ended succeeded',
      [form, held, 'authorize.expired', ok, conflict],
    ],
    [
      '0003, expired, refused',
      [...onForm, notifiedAs('0003'), expired('authorize'), notifiedAs('2009')],
      'ended expired',
      [form, held, 'authorize.expired'],
    ],
    ['a timer on what waits for its cardholder', [...onForm, expired('authorize')], 'redirect_required', [form]],
    [
      'notified before the answer',
      [asked('authorize'), notifiedAs('0000'), answered('authorize', '0000')],
      'ended succeeded',
      [ok],
    ],
    [
      '0000 before the answer 0002',
      [asked('authorize'), notifiedAs('0000'), answered('authorize', '0002')],
      'ended succeeded',
      [ok],
    ],
    [
      '0003 before the answer 0000',
      [asked('authorize'), notifiedAs('0003'), answered('authorize', '0000')],
      'ended succeeded',
      [held, ok],
    ],
    [
      '0003 before the answer, refused',
      [asked('authorize'), notifiedAs('0003'), answered('authorize', '4001')],
      'ended refused',
      [held, no],
    ],
    [
      '0003 before the answer 0003',
      [asked('authorize'), notifiedAs('0003'), answered('authorize', '0003')],
      'pending',
      [held],
    ],
    ['without an answer', [asked('authorize'), notifiedAs('0000'), lost('authorize')], 'ended succeeded', [ok]],
    [
      'after the answer was lost',
      [asked('authorize'), lost('authorize'), notifiedAs('0000')],
      'ended succeeded',
      ['authorize.in_doubt', 'authorize.doubt_resolved'],
    ],
    [
      'after the answer was lost, the cardholder still at it',
      [asked('authorize'), lost('authorize'), notifiedAs('0002')],
      'in_doubt',
      ['authorize.in_doubt'],
    ],
    [
      '5004, then 0000 by notification',
      [asked('authorize'), lost('authorize'), notified('authorize', '5004'), notifiedAs('0000')],
      'ended succeeded',
      ['authorize.in_doubt', 'authorize.doubt_resolved'],
    ],
    [
      'refused, and validated all the same',
      [...onForm, notifiedAs('4001'), notifiedAs('0000'), notifiedAs('0000')],
      'ended refused',
      [form, no, conflict],
    ],
    [
      'validated, and refused all the same',
      [...onForm, notifiedAs('0000'), notifiedAs('4001'), notifiedAs('4001')],
      'ended succeeded',
      [form, ok, conflict],
    ],
    [
      'an unknown code is kept and moves nothing',
      [...onForm, notified('authorize', '7777', { flags: ['unknown_execcode'] })],
      'redirect_required',
      [form],
    ],
  ];
  it.each(rows)('%s', (_what, records, stands, events) => {
    const after = folded(records);
    expect([standing(after.order, 'authorize'), after.events]).toEqual([stands, events]);
  });

  it('is captured by its TRANSACTIONID of the answer, also when the notification came first', () => {
    const { order } = folded([
      asked('authorize'),
      notified('authorize', '0003', { answer: { transactionId: undefined } }),
      answered('authorize', '0000'),
    ]);
    expect(findOperation(order, 'authorize')?.transactionId).toBe('T-authorize');
  });

  it('0003 of a card payment is approved too, and does not expire', () => {
    const onHold = [asked('pay'), answered('pay', '0003')];
    expect(folded([...onHold, notified('pay', '0000')]).events).toEqual(['pay.pending', 'pay.succeeded']);
  });
});

describe.each([
  ['capture', authorized],
  ['refund', captured],
  ['void', authorized],
])('a %s', (name, before) => {
  const notifiedAs = (code: string, change = {}) => notified(name, code, change);
  const rows: Row[] = [
    ['answered, then notified', [answered(name, '0000'), notifiedAs('0000')], 'ended succeeded', ['succeeded']],
    ['notified, then answered', [notifiedAs('0000'), answered(name, '0000')], 'ended succeeded', ['succeeded']],
    [
      'notified twice, never answered',
      [notifiedAs('0000'), notifiedAs('0000'), lost(name)],
      'ended succeeded',
      ['succeeded'],
    ],
    ['in doubt, notified', [lost(name), notifiedAs('0000')], 'ended succeeded', ['in_doubt', 'doubt_resolved']],
    ['in doubt, refused', [lost(name), notifiedAs('2008')], 'ended refused', ['in_doubt', 'doubt_resolved']],
    [
      'in doubt, "already done" leaves it',
      [lost(name), notifiedAs('2005'), notifiedAs('2015')],
      'in_doubt',
      ['in_doubt'],
    ],
    [
      'succeeded, and "already done" denies nothing',
      [answered(name, '0000'), notifiedAs('2005')],
      'ended succeeded',
      ['succeeded'],
    ],
    ['in doubt, not executed', [lost(name), notifiedAs('2017')], 'ended not_executed', ['in_doubt', 'doubt_resolved']],
    ['not executed, by notification before the answer', [notifiedAs('2017')], 'idle', []],
    ['0002 and 0003 say nothing of it', [notifiedAs('0002'), notifiedAs('0003')], 'open', []],
    [
      'answered 0000, refused by notification',
      [answered(name, '0000'), notifiedAs('4001'), notifiedAs('4001')],
      'ended succeeded',
      ['succeeded', 'conflict'],
    ],
    [
      'refused, success by notification',
      [answered(name, '4001'), notifiedAs('0000'), notifiedAs('0000')],
      'ended refused',
      ['refused', 'conflict'],
    ],
    [
      'success by notification, refused by a late answer, twice',
      [notifiedAs('0000'), answered(name, '4001'), answered(name, '4001')],
      'ended succeeded',
      ['succeeded', 'conflict'],
    ],
    [
      'succeeded, and not executed by notification',
      [answered(name, '0000'), notifiedAs('5001')],
      'ended succeeded',
      ['succeeded', 'conflict'],
    ],
    [
      'an operator’s "not executed", then success',
      [lost(name), operatorSays(name, 'not_executed'), notifiedAs('0000'), notifiedAs('0000')],
      'ended not_executed',
      ['in_doubt', 'doubt_resolved', 'conflict'],
    ],
    [
      'success, then an operator’s "refused", twice',
      [lost(name), notifiedAs('0000'), operatorSays(name, 'refused'), operatorSays(name, 'refused')],
      'ended succeeded',
      ['in_doubt', 'doubt_resolved', 'conflict'],
    ],
    [
      'success in part behind a whole one',
      [answered(name, '0000'), notifiedAs('0004', { answer: { amount: 9 } })],
      'ended succeeded',
      ['succeeded', 'conflict', ...(name === 'void' ? [] : ['succeeded'])],
    ],
    [
      'a late word of the attempt before',
      [notExecuted(name), asked(name, { attempt: 2 }), notifiedAs('5003')],
      'open',
      [],
    ],
    [
      'the attempt before was executed after all',
      [notExecuted(name), notifiedAs('0000')],
      'ended succeeded',
      ['conflict', 'succeeded'],
    ],
  ];
  it.each(rows)('%s', (_what, records, stands, events) => {
    const { order } = folded(before);
    const after = folded([asked(name), ...records], order);
    const short = after.events.map((type) =>
      type === 'conflict.detected' ? 'conflict' : type.replace(`${name}.`, ''),
    );
    expect([standing(after.order, name), short]).toEqual([stands, events]);
  });
});

describe('what a contradiction tells', () => {
  it('names both words, with the caller’s EXTRADATA', () => {
    const { bodies } = folded([...authorized, notified('authorize', '4001', { extraData: 'basket 7' })]);
    expect(bodies.at(-1)).toMatchObject({
      flags: ['was_succeeded', 'said_refused'],
      execCode: '4001',
      transactionId: 'T-authorize',
      extraData: 'basket 7',
    });
  });

  it('names the shares where both words are successes', () => {
    const { bodies } = folded([...authorized, notified('authorize', '0004', { answer: { amount: 9 } })]);
    const amounts = { execCode: '0004', amount: 30_000, otherAmount: 9 };
    expect(bodies.at(-2)).toMatchObject({ flags: ['was_succeeded', 'said_partial'], ...amounts });
    expect(bodies.at(-1)).toMatchObject({ flags: ['other_amount_added'], ...amounts });
  });

  it('is one event of a record, whatever it contradicts', () => {
    const successor = asked('authorize-2', { supersedes: 'authorize' });
    const { events, bodies } = folded([
      asked('authorize'),
      notExecuted('authorize'),
      successor,
      answered('authorize-2', '0000'),
      notified('authorize', '0000'),
    ]);
    expect(events.filter((type) => type === 'conflict.detected')).toHaveLength(1);
    expect(bodies.find(({ flags }) => flags)?.flags).toEqual(['was_idle', 'said_succeeded', 'two_payments_succeeded']);
  });
});

describe('EXTRADATA', () => {
  it.each([
    ['settled by it', [asked('authorize'), notified('authorize', '0000', { extraData: 'basket 7' })]],
    ['a doubt', [asked('authorize'), lost('authorize'), notified('authorize', '0000', { extraData: 'basket 7' })]],
    [
      'without a tag, after the answer bound it',
      [
        askedUntagged('authorize'),
        notified('authorize', '0000', { tag: undefined, extraData: 'basket 7' }),
        answered('authorize', '0003'),
      ],
    ],
    [
      'approved after its expiry',
      [
        ...onForm,
        notified('authorize', '0003'),
        expired('authorize'),
        notified('authorize', '0000', { extraData: 'basket 7' }),
      ],
    ],
    [
      'made elsewhere',
      [{ ...notifiedElsewhere('refund', '0000', { transactionId: 'T-office' }), extraData: 'basket 7' }],
    ],
  ] as [string, JournalRecord[]][])('comes back on the event: %s', (_what, records) => {
    const { bodies } = folded(records);
    expect(bodies.at(-1)?.extraData ?? bodies.at(-2)?.extraData).toBe('basket 7');
  });
});

it('the times of the table: approved on the sixth day is a success, a timer afterwards changes nothing [States.0003-approved]', () => {
  const approved = { ...notified('authorize', '0000'), at: later(6 * 86_400_000 - 1) };
  const { order } = folded([...onForm, notified('authorize', '0003'), approved, expired('authorize')]);
  expect(standing(order, 'authorize')).toBe('ended succeeded');
});

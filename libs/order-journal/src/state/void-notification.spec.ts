import {
  answered,
  asked,
  askedUntagged,
  authorized,
  folded,
  later,
  lost,
  notified,
  notifiedElsewhere,
  standing,
} from '../../test/order-story.js';
import { conflictsOf } from './conflicts.js';
import { operationTag } from './extradata-tag.js';
import type { JournalRecord } from './records.js';

const voiding = [...authorized, asked('void')];
const tag = { operation: operationTag('void'), attempt: 1 };
/** OPERATIONTYPEs that the notification of a void may have: which is not shown (docs/decisions/0006). */
const WORDS = ['void', 'capture', 'authorize', 'cancel'];

describe.each(WORDS)('a void that is notified as %s', (reported) => {
  const tagged = { ...notifiedElsewhere(reported, '0000', { transactionId: 'T-void' }), tag };
  const untagged = notifiedElsewhere(reported, '0000', { transactionId: 'T-void' });
  it.each([
    ['after its answer', [answered('void', '0000'), untagged], ['void.succeeded']],
    ['after its answer, with the tag', [answered('void', '0000'), tagged], ['void.succeeded']],
    ['before its answer', [tagged, answered('void', '0000')], ['void.succeeded']],
    ['in doubt', [lost('void'), tagged], ['void.in_doubt', 'void.doubt_resolved']],
    ['twice', [lost('void'), tagged, tagged, untagged], ['void.in_doubt', 'void.doubt_resolved']],
  ] as [string, JournalRecord[], string[]][])('%s', (_what, records, events) => {
    const after = folded([...voiding, ...records]);
    expect([standing(after.order, 'void'), after.events.slice(1), after.order.external]).toEqual([
      'ended succeeded',
      events,
      [],
    ]);
    expect(standing(after.order, 'authorize')).toBe('ended succeeded');
  });

  it('and refused contradicts its success', () => {
    const refusal = notifiedElsewhere(reported, '2015', { transactionId: 'T-void' });
    const { mayBeDone, ...plain } = refusal;
    expect([
      mayBeDone,
      folded([
        ...voiding,
        answered('void', '0000'),
        { ...plain, answer: { ...plain.answer, execCode: '4001' } },
      ]).events.at(-1),
    ]).toEqual([true, 'conflict.detected']);
  });
});

describe('what only looks like the notification of a void', () => {
  it.each([
    ['of its authorization', { ...notifiedElsewhere('authorize', '0000', { transactionId: 'T-authorize' }), tag }],
    [
      'of its authorization, as a capture',
      { ...notifiedElsewhere('capture', '0000', { transactionId: 'T-authorize' }), tag },
    ],
    ['without a TRANSACTIONID', { ...notifiedElsewhere('capture', '0000'), tag }],
    ['of nobody', notifiedElsewhere('capture', '0000', { transactionId: 'T-office' })],
    ['a refund', { ...notifiedElsewhere('refund', '0000', { transactionId: 'T-void' }), tag }],
    ['a card payment', { ...notifiedElsewhere('pay', '0000', { transactionId: 'T-void' }), tag }],
  ])('leaves its doubt: %s', (_what, evidence) => {
    expect(standing(folded([...voiding, lost('void'), evidence]).order, 'void')).toBe('in_doubt');
  });

  it('a capture of ours is settled by its own', () => {
    const { order } = folded([
      ...voiding,
      answered('void', '4001'),
      asked('capture'),
      lost('capture'),
      notified('capture', '0000'),
    ]);
    expect([standing(order, 'void'), standing(order, 'capture')]).toEqual(['ended refused', 'ended succeeded']);
  });

  it('what came without a tag, before the answer, is taken back once the answer names it', () => {
    const early = notifiedElsewhere('capture', '0000', { transactionId: 'T-void' });
    const after = folded([...authorized, askedUntagged('void'), early, answered('void', '0000')]);
    expect([standing(after.order, 'void'), after.order.external]).toEqual(['ended succeeded', []]);
  });
});

it('a void has no amount, and its notification adds none: one event', () => {
  const noticed = notifiedElsewhere('capture', '0000', { transactionId: 'T-void', amount: 30_000 });
  const { events, bodies } = folded([...voiding, answered('void', '0000', { descriptor: 'SHOP' }), noticed]);
  expect(events.slice(1)).toEqual(['void.succeeded']);
  expect(bodies.at(-1)).not.toHaveProperty('amount');
  expect(bodies.at(-1)).not.toHaveProperty('amountAssumed');
});

describe('a void of an authorization whose cardholder is on the form', () => {
  const onTheForm = [asked('authorize', { method: 'A' }), answered('authorize', '0002'), asked('void')];
  const voided = [...onTheForm, answered('void', '0000')];
  const again = [asked('authorize-2', { method: 'A' }), answered('authorize-2', '0000')];

  it('is notified with the TRANSACTIONID of that authorization: neither of them is taken for paid [States.void]', () => {
    const notice = { ...notifiedElsewhere('authorize', '0000', { transactionId: 'T-authorize' }), tag };
    for (const records of [
      [...voided, notice],
      [...onTheForm, lost('void'), notice],
    ]) {
      const { order, events } = folded(records);
      expect(standing(order, 'authorize')).toBe('redirect_required');
      expect(events).not.toContain('authorize.succeeded');
    }
  });

  it.each(['authorize', 'capture', 'cancel'])(
    'is notified with its tag as %s of an authorization that only our timer ended: neither is taken for paid',
    (reported) => {
      const ended = { ...asked('authorize'), record: 'EXPIRED', at: later(7 * 86_400_000) } as unknown as JournalRecord;
      const begun = [...onTheForm.slice(0, 2), ended, asked('void'), answered('void', '0000')];
      const notice = { ...notifiedElsewhere(reported, '0000', { transactionId: 'T-authorize' }), tag };
      const { order, events } = folded([...begun, notice]);
      expect([standing(order, 'authorize'), events.at(-1), order.external]).toEqual([
        'ended expired',
        'void.succeeded',
        [],
      ]);
    },
  );

  it.each(['redirect_required', 'ended expired'])(
    'is notified without a tag, under the TRANSACTIONID of an authorization that is %s: a candidate, until that authorization is decided',
    (stands) => {
      const ended = { ...asked('authorize'), record: 'EXPIRED', at: later(7 * 86_400_000) } as unknown as JournalRecord;
      const begun = [...onTheForm.slice(0, 2), ...(stands === 'ended expired' ? [ended] : [])];
      const notice = notifiedElsewhere('authorize', '0000', { transactionId: 'T-authorize' });
      const { order, events } = folded([...begun, askedUntagged('void'), answered('void', '0000'), notice, notice]);
      expect([standing(order, 'authorize'), events.at(-1)]).toEqual([stands, 'void.succeeded']);
      expect(order.unmatchedEvidence).toHaveLength(1);
      const seen = folded([{ ...notified('authorize', '0000'), source: 'look-up' }], order);
      expect([standing(seen.order, 'authorize'), seen.order.unmatchedEvidence]).toEqual(['ended succeeded', []]);
    },
  );

  it('that was sent without a tag takes no late form or approval of its authorization for its own', () => {
    const paid = [
      ...onTheForm.slice(0, 2),
      notified('authorize', '0000'),
      askedUntagged('void'),
      answered('void', '0000'),
    ];
    const late = ['0002', '0003'].map((code) => notifiedElsewhere('authorize', code, { transactionId: 'T-authorize' }));
    expect(folded([...paid, ...late]).order.unmatchedEvidence).toEqual([]);
  });

  it('leaves the authorization as the platform reports it, and its success can be captured no more', () => {
    const { order, events } = folded([...voided, notified('authorize', '0000'), asked('capture')]);
    expect([standing(order, 'authorize'), standing(order, 'void'), standing(order, 'capture')]).toEqual([
      'ended succeeded',
      'ended succeeded',
      'ended rejected',
    ]);
    expect(events).toContain('void.succeeded');
  });

  it.each(['0002', '0003'])(
    'that the platform accepts frees the order of an authorization at %s, which expires no more',
    (code) => {
      const begun = [
        asked('authorize', { method: 'A' }),
        answered('authorize', code),
        asked('void'),
        answered('void', '0000'),
      ];
      const ended = {
        ...asked('authorize'),
        record: 'EXPIRED',
        at: later(400 * 86_400_000),
      } as unknown as JournalRecord;
      const { order, events } = folded([...begun, ended, asked('authorize-2', { method: 'A' })]);
      expect([standing(order, 'authorize-2'), events.at(-1)]).toEqual(['open', 'void.succeeded']);
    },
  );

  it('that the platform accepts hides no success: a second payment is published as a conflict', () => {
    const { events, bodies } = folded([...voided, ...again, notified('authorize', '0000')]);
    expect(events.slice(-2)).toEqual(['authorize.succeeded', 'conflict.detected']);
    expect(bodies.at(-1)).toMatchObject({ flags: ['two_payments_succeeded'] });
  });

  it.each([
    ['its success', [notified('authorize', '0000')]],
    ['its success by a look-up', [{ ...notified('authorize', '0000'), source: 'look-up' as const }]],
    [
      'its success while the void was under way',
      [notified('authorize', '0000')],
      [...onTheForm, notified('authorize', '0000'), answered('void', '0000')],
    ],
  ] as [string, JournalRecord[], JournalRecord[]?][])(
    'hides no second payment that succeeds after %s',
    (_what, reported, records = [...voided, ...reported]) => {
      const refused = folded([...records, asked('authorize-2', { method: 'A' })]);
      expect([standing(refused.order, 'authorize-2'), conflictsOf(refused.order)]).toEqual(['ended rejected', []]);
      const [granted, success] = again;
      const { order, events, bodies } = folded([...voided, granted!, ...reported, success!]);
      expect(events.slice(-2)).toEqual(['authorize.succeeded', 'conflict.detected']);
      expect(bodies.at(-1)).toMatchObject({
        ...{ commandId: 'authorize-2', transactionId: 'T-authorize-2' },
        ...{ execCode: '0000', flags: ['two_payments_succeeded'] },
      });
      expect(conflictsOf(order)[0]).toMatchObject({
        reason: 'two_payments_succeeded',
        payments: [{ transactionId: 'T-authorize' }, { transactionId: 'T-authorize-2' }],
      });
    },
  );

  it('is followed by another one where the authorization succeeded all the same: then only the second payment is left', () => {
    const both = [...voided, ...again, notified('authorize', '0000')];
    const { order } = folded([...both, asked('void-2'), answered('void-2', '0000')]);
    expect([standing(order, 'void-2'), conflictsOf(order)]).toEqual(['ended succeeded', []]);
    expect(standing(folded([asked('void-3')], order).order, 'void-3')).toBe('ended rejected');
  });

  it('is no second payment where the void was asked for once the success was known', () => {
    const paid = [...onTheForm.slice(0, 2), notified('authorize', '0000'), asked('void'), answered('void', '0000')];
    const { order, events } = folded([...paid, ...again]);
    expect([events.at(-1), conflictsOf(order)]).toEqual(['authorize.succeeded', []]);
  });

  it('was made elsewhere: it hides no second payment either', () => {
    const office = notifiedElsewhere('void', '0000', { transactionId: 'T-office' });
    const { events } = folded([...onTheForm.slice(0, 2), office, ...again, notified('authorize', '0000')]);
    expect(events.at(-1)).toBe('conflict.detected');
  });

  it('that the platform refuses leaves the form payable, and says so', () => {
    const { order, events } = folded([...onTheForm, answered('void', '2015')]);
    expect([standing(order, 'authorize'), events.at(-1)]).toEqual(['redirect_required', 'void.refused']);
  });
});

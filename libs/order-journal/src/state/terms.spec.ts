import {
  answered,
  asked,
  authorized,
  captured,
  folded,
  later,
  notified,
  notifiedElsewhere,
  START,
  under,
} from '../../test/order-story.js';
import type { Change } from './history.js';
import { emptyOrder, type Evidence, type OperationState, type OrderState } from './order-state.js';
import type { Intent, JournalRecord } from './records.js';
import {
  addedDetails,
  amountsOf,
  bindFirst,
  contradictsEnd,
  describe as describeOperation,
  grantedOperation,
  isOtherTransaction,
  knownTermsOf,
  newOperation,
  pendingSince,
  settled,
  termsOf,
  withAttempt,
  withReport,
  type CommandFacts,
} from './terms.js';
import { CAPTURE_WINDOW_MS, CLOCKS_APART_MS } from './time.js';

const after = (...records: JournalRecord[]): OrderState => folded(records).order;
const operationOf = (name: string, ...records: JournalRecord[]): OperationState =>
  after(...records).operations.find(({ commandId }) => commandId === name)!;
const reportOf = (result: Evidence['result'], change: Partial<Evidence> = {}): Evidence => ({
  source: 'notification',
  result,
  answer: {},
  ...change,
});
const open = operationOf('authorize', asked('authorize'));
const ended = operationOf('authorize', ...authorized);
const openCapture = operationOf('capture', ...authorized, asked('capture'));
const openRefund = operationOf('refund', ...captured, asked('refund', { amount: 5 }));
const openVoid = operationOf('void', ...authorized, asked('void'));

describe('the terms of a command', () => {
  const facts: CommandFacts = {
    ...{ operation: 'capture', rail: 'partner-b', currency: 'EUR', contentHash: 'h', amount: 5 },
    ...{ supersedes: 'c-0', correlationId: 'x' },
  };

  it.each(['capture', 'refund', 'void'] as const)(
    'of a %s are those of its order and of what it follows',
    (operation) => {
      expect(termsOf({ ...facts, operation }, 'A', 'T-1')).toEqual({
        ...{ operation, method: 'A', currency: 'EUR', contentHash: 'h', amount: 5, supersedes: 'c-0' },
        ...{ transactionId: 'T-1', correlationId: 'x' },
      });
      expect(termsOf({ ...facts, operation }, undefined, undefined).method).toBe('B');
    },
  );

  it('of a payment are those of its rail, and it follows nothing', () => {
    const terms = termsOf({ ...facts, operation: 'authorize' }, 'A', 'T-1');
    expect(terms).toMatchObject({ operation: 'authorize', method: 'B' });
    expect(terms).not.toHaveProperty('transactionId');
  });

  it('have no field for what was not said', () => {
    const bare = { ...facts, amount: undefined, supersedes: undefined, correlationId: undefined };
    expect(Object.keys(termsOf(bare, 'A', undefined)).sort()).toEqual([
      'contentHash',
      'currency',
      'method',
      'operation',
    ]);
  });

  it('are known from the operation, without an amount that was not asked for', () => {
    const known = operationOf('capture', ...authorized, asked('capture', { supersedes: 'c-0', correlationId: 'x' }));
    expect(knownTermsOf({ ...known, amount: 5, isAmountAssumed: false })).toEqual({
      ...{ operation: 'capture', method: 'B', currency: 'EUR', contentHash: 'capture', amount: 5 },
      ...{ transactionId: 'T-authorize', supersedes: 'c-0', correlationId: 'x' },
    });
    expect(knownTermsOf(known)).not.toHaveProperty('amount');
    expect(knownTermsOf(open)).not.toHaveProperty('transactionId');
  });
});

describe('an operation that is granted', () => {
  const order = after(...authorized);
  const grant = (record: Intent, of = order) => grantedOperation(of, newOperation(record), record, { amount: 7 });

  it('begins between two attempts', () => {
    expect(newOperation(asked('authorize'))).toMatchObject({ phase: 'idle', attempt: 1, attempts: [], evidence: [] });
  });

  it('has the amount of the platform’s default where none was asked for, except a void', () => {
    expect(grant(asked('capture'))).toMatchObject({ amount: 7, isAmountAssumed: true, reference: 'T-authorize' });
    expect(grant(asked('capture', { amount: 7 }))).not.toHaveProperty('isAmountAssumed');
    expect(grant(asked('void'))).not.toHaveProperty('isAmountAssumed');
    expect(grant(asked('authorize-2'))).not.toHaveProperty('reference');
  });

  it('keeps what it followed where its next attempt names nothing', () => {
    const first = grant(asked('capture'));
    const again = asked('capture', { attempt: 2, transactionId: undefined });
    expect(grantedOperation(order, first, again, { amount: 7 }).reference).toBe('T-authorize');
  });

  it('is flagged as late where a capture is asked for behind the window, by the time of the platform', () => {
    const flags = (name: string, ms: number) => grant({ ...asked(name), at: later(ms) }).flags;
    expect([flags('capture', CAPTURE_WINDOW_MS), flags('void', 9 * CAPTURE_WINDOW_MS)]).toEqual([undefined, undefined]);
    expect(flags('capture', CAPTURE_WINDOW_MS + 1)).toEqual(['capture_window_passed']);
    expect(
      grant({ ...asked('capture', { transactionId: 'T-x' }), at: later(9 * CAPTURE_WINDOW_MS) }).flags,
    ).toBeUndefined();
  });

  it('has the settings of the newest INTENT', () => {
    const with_ = grant(asked('authorize-2', { mayLookUp: true, captureReminderHours: 24 }));
    expect(with_).toMatchObject({ mayLookUp: true, captureReminderHours: 24 });
    const without = grantedOperation(order, with_, asked('authorize-2', { attempt: 2 }), { amount: 7 });
    expect([without.mayLookUp, without.captureReminderHours]).toEqual([undefined, 24]);
    const plain = grant(asked('authorize-2'));
    for (const name of ['mayLookUp', 'captureReminderHours', 'isOfWaiting', 'supersedesDoubt'])
      expect(plain).not.toHaveProperty(name);
  });

  it('took the place of a doubt, whichever attempt of it did', () => {
    const record = asked('authorize-2');
    const one = grantedOperation(order, newOperation(record), record, { amount: 7, supersedesDoubt: true });
    expect(one.supersedesDoubt).toBe(true);
    expect(grantedOperation(order, one, record, { amount: 7 }).supersedesDoubt).toBe(true);
  });

  it('is a void of what waits only where no report told the success of its payment', () => {
    const isOfWaiting = (transactionId: string | undefined, ...records: JournalRecord[]) =>
      grant(asked('void', { transactionId }), after(...records)).isOfWaiting;
    const form = [asked('authorize', { method: 'A' }), answered('authorize', '0002')];
    const office = (operation: string, execCode: string) =>
      notifiedElsewhere(operation, execCode, { transactionId: 'T-o' });
    expect([isOfWaiting('T-authorize', ...form), isOfWaiting('T-authorize', ...authorized)]).toEqual([true, undefined]);
    expect([
      isOfWaiting('T-o', ...form, office('authorize', '0000')),
      isOfWaiting('T-x', office('authorize', '0000')),
    ]).toEqual([undefined, true]);
    expect([isOfWaiting('T-o', office('authorize', '4001')), isOfWaiting('T-o', office('refund', '0000'))]).toEqual([
      true,
      true,
    ]);
  });

  it('keeps the newest 20 attempts, and of older ones those that may have been executed', () => {
    const attempts = Array.from({ length: 22 }, (_, at) => ({
      ...{ attempt: at + 1, token: `${at}`, intentAt: START, isTagged: true },
      ...(at === 1 ? {} : { closed: 'unsent' as const }),
      ...(at === 2 ? { transactionId: 'T' } : {}),
    }));
    const record = asked('authorize', { attempt: 23, tag: undefined });
    const kept = grantedOperation(order, { ...open, attempts }, record, { amount: 7 }).attempts;
    expect(kept.map(({ attempt }) => attempt)).toEqual([2, 3, ...Array.from({ length: 20 }, (_, at) => at + 4)]);
    expect(kept.at(-1)).toEqual({ attempt: 23, token: 'authorize#23', intentAt: START, isTagged: false });
  });
});

describe('an operation that a report settles', () => {
  const change = (rulesVersion = 1): Change => ({
    ...{
      order: { ...emptyOrder('shop-fr', 'order-1'), rulesVersion },
      events: [],
      at: later(9),
      hash: 'h',
      match: 'whole',
    },
  });
  const settle = (operation: OperationState, evidence: Evidence, rulesVersion?: number) =>
    settled(change(rulesVersion), operation, evidence);
  const waits = operationOf('pay', asked('pay'), answered('pay', '0002'));

  it('ends with a success or a refusal, at the time of the record', () => {
    for (const result of ['succeeded', 'refused'] as const)
      expect(settle(open, reportOf(result))).toMatchObject({ phase: 'ended', end: result, endedAt: later(9) });
    const pending = settle(open, reportOf('pending'));
    expect(pending.phase).toBe('pending');
    for (const name of ['end', 'endedAt']) expect(pending).not.toHaveProperty(name);
  });

  it('is bound to the TRANSACTIONID of the report', () => {
    const bound = settle(open, reportOf('succeeded', { answer: { transactionId: 'T-1' } }));
    expect([bound.transactionId, bound.attempts[0]?.transactionId]).toEqual(['T-1', 'T-1']);
    expect(settle(open, reportOf('succeeded'))).not.toHaveProperty('transactionId');
  });

  it('may succeed no more by itself, and nothing that was said while it waited counts', () => {
    const before = { ...open, mayYetSucceed: true as const, saidNotExecutedAt: START };
    expect(settle(before, reportOf('succeeded'))).toMatchObject({
      mayYetSucceed: undefined,
      saidNotExecutedAt: undefined,
    });
    for (const name of ['mayYetSucceed', 'saidNotExecutedAt', 'pendingAt', 'reminded'])
      expect(settle(open, reportOf('succeeded'))).not.toHaveProperty(name);
  });

  it('waits from when its notification was made, and not from what a look-up says', () => {
    const executedAt = later(3);
    expect(settle(waits, reportOf('pending', { executedAt })).pendingAt).toBe(executedAt);
    expect(settle(waits, reportOf('pending', { executedAt, source: 'look-up' }))).not.toHaveProperty('pendingAt');
    expect(
      settle({ ...waits, pendingAt: START }, reportOf('pending', { source: 'look-up' })).pendingAt,
    ).toBeUndefined();
    expect(settle(waits, reportOf('succeeded', { executedAt }))).not.toHaveProperty('pendingAt');
  });

  it('is looked up anew where it begins to wait for an approval', () => {
    const before = { ...waits, reminded: ['look_up_1_hour' as const, 'doubt_15_minutes' as const] };
    expect(settle(before, reportOf('pending')).reminded).toEqual(['doubt_15_minutes']);
    expect(settle(before, reportOf('succeeded')).reminded).toEqual(before.reminded);
  });

  it('has the amount that was asked for, and else the one that is reported', () => {
    const amount = (operation: OperationState, said: number | undefined, more: Partial<Evidence> = {}) =>
      settle(operation, reportOf('succeeded', { answer: said === undefined ? {} : { amount: said }, ...more })).amount;
    expect([amount(open, 12), amount(openCapture, 12), amount(openCapture, undefined)]).toEqual([30_000, 12, 30_000]);
    expect([amount(openVoid, 12), amount(open, 12, { partial: true })]).toEqual([undefined, 12]);
    expect(amount({ ...openVoid, amount: 3 }, 12)).toBeUndefined();
    expect(amount({ ...openCapture, amount: undefined }, undefined)).toBeUndefined();
    expect(settle(open, reportOf('refused', { answer: { amount: 12 } })).amount).toBe(30_000);
  });

  it('has an assumed amount until a success names it', () => {
    const isAssumed = (result: Evidence['result'], amount?: number) =>
      settle(openCapture, reportOf(result, { answer: amount === undefined ? {} : { amount } })).isAmountAssumed;
    expect([isAssumed('succeeded', 30_000), isAssumed('succeeded'), isAssumed('refused', 30_000)]).toEqual([
      undefined,
      true,
      true,
    ]);
  });

  it('keeps each reported amount once', () => {
    const said = (operation: OperationState, amount?: number, result: Evidence['result'] = 'succeeded') => {
      const { isAmountReported, otherAmounts } = settle(
        operation,
        reportOf(result, { answer: { ...(amount && { amount }) } }),
      );
      return [isAmountReported, otherAmounts];
    };
    expect(said(open, 30_000)).toEqual([true, undefined]);
    expect(said(open, 12)).toEqual([undefined, [12]]);
    expect(said(open)).toEqual([undefined, undefined]);
    expect(said(open, 12, 'refused')).toEqual([undefined, undefined]);
    expect(said(openVoid, 12)).toEqual([undefined, undefined]);
    expect(said({ ...open, isAmountReported: true }, 12)).toEqual([true, [30_000, 12]]);
    expect(said({ ...open, isAmountReported: true }, 30_000)).toEqual([true, undefined]);
    expect(said({ ...open, otherAmounts: [30_000, 12] }, 12)).toEqual([undefined, [30_000, 12]]);
    expect(said({ ...open, otherAmounts: [12] }, 30_000)).toEqual([undefined, [12, 30_000]]);
  });

  it('was accepted in part of what was asked for', () => {
    const share = reportOf('succeeded', { partial: true, answer: { amount: 9 } });
    expect(settle(open, share)).toMatchObject({ partial: true, askedAmount: 30_000, amount: 9 });
    expect(settle(openCapture, share).askedAmount).toBeUndefined();
    expect(settle(open, reportOf('succeeded'))).not.toHaveProperty('partial');
  });

  it.each([
    [{ externalEntityId: '1', externalReference: '012345678' }, true, true],
    [{ externalEntityId: '1234567890', externalReference: '0123456789' }, true, false],
    [{ externalEntityId: '12345678901', externalReference: '01234567' }, false, false],
    [{ externalEntityId: 'x1', externalReference: 'x012345678' }, false, false],
    [{ externalEntityId: '1x', externalReference: '012345678x' }, false, false],
    [{}, false, false],
  ])('of a refund has the references %j where they are some', (references, hasEntity, hasReference) => {
    const refund = settle(openRefund, reportOf('succeeded', references));
    expect(['externalEntityId' in refund, 'externalReference' in refund]).toEqual([hasEntity, hasReference]);
    const other = settle(open, reportOf('succeeded', references));
    expect(['externalEntityId' in other, 'externalReference' in other]).toEqual([false, false]);
  });

  it('lacks EXTRADATA and LANGUAGE once it has ended without them, under rules version 2', () => {
    const lacks = (result: Evidence['result'], said: Partial<Evidence> = {}, version = 2) => {
      const { isExtraDataMissing, isLanguageMissing } = settle(open, reportOf(result, said), version);
      return [isExtraDataMissing, isLanguageMissing];
    };
    expect(lacks('refused')).toEqual([true, true]);
    expect(lacks('refused', { extraData: 'x' })).toEqual([undefined, true]);
    expect(lacks('refused', { language: 'fr' })).toEqual([true, undefined]);
    expect([lacks('pending'), lacks('refused', {}, 1)]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('lacks the DESCRIPTOR of a success alone', () => {
    expect(settle(open, reportOf('succeeded')).isDescriptorMissing).toBe(true);
    const told = reportOf('succeeded', { answer: { descriptor: 'SHOP' } });
    expect(settle(open, told)).not.toHaveProperty('isDescriptorMissing');
    expect(settle(open, reportOf('refused'))).not.toHaveProperty('isDescriptorMissing');
  });

  it('shows the card of a payment, whatever of it was told', () => {
    const isShown = (operation: OperationState, said: Partial<Evidence>) =>
      settle(operation, reportOf('succeeded', said)).isCardPublished;
    for (const said of [{ maskedCard: '*' }, { cardBrand: 'VISA' }, { cardCountry: 'FR' }])
      expect([isShown(open, said), isShown(openCapture, said)]).toEqual([true, undefined]);
    expect(isShown(open, {})).toBeUndefined();
    expect(settle(open, reportOf('refused', { maskedCard: '*' })).isCardPublished).toBeUndefined();
    expect(isShown({ ...open, isCardPublished: true }, {})).toBe(true);
  });

  it('was executed when the platform says so, if that is before we heard of it and not before it was asked for', () => {
    const executed = (ms: number | undefined, operation = open) =>
      settle(operation, reportOf('succeeded', ms === undefined ? {} : { executedAt: later(ms) })).executedAt;
    expect([executed(8), executed(9), executed(undefined)]).toEqual([later(8), undefined, undefined]);
    expect([executed(-CLOCKS_APART_MS), executed(-CLOCKS_APART_MS - 1)]).toEqual([later(-CLOCKS_APART_MS), undefined]);
    expect(executed(8, openCapture)).toBeUndefined();
    expect(executed(5, { ...open, executedAt: later(6) })).toBe(later(5));
    expect(executed(7, { ...open, executedAt: later(6) })).toBe(later(6));
  });
});

describe('a payment that waits for an approval', () => {
  const pending = { ...open, phase: 'pending' as const, since: START };
  const since = (operation: OperationState, evidence: Evidence) => pendingSince(operation, evidence).pendingAt;
  const said = reportOf('pending', { executedAt: later(5) });

  it('waits from its latest notification', () => {
    expect([since(pending, said), since({ ...pending, pendingAt: later(4) }, said)]).toEqual([later(5), later(5)]);
    expect(since({ ...pending, pendingAt: later(6) }, said)).toBe(later(6));
    expect(pendingSince({ ...pending, since: later(5) }, said)).not.toHaveProperty('pendingAt');
  });

  it.each<[string, OperationState, Evidence]>([
    ['at a form', { ...pending, phase: 'redirect_required' }, said],
    ['from another report', pending, { ...said, result: 'redirect_required' }],
    ['from a look-up', pending, { ...said, source: 'look-up' }],
    ['without a time', pending, reportOf('pending')],
  ])('not %s', (_what, operation, evidence) => {
    expect(pendingSince(operation, evidence)).toBe(operation);
  });
});

describe('a TRANSACTIONID', () => {
  const answer = (transactionId?: string) =>
    reportOf('succeeded', { answer: transactionId === undefined ? {} : { transactionId } });

  it('is another one where no attempt has it', () => {
    const attempts = [
      { ...ended.attempts[0]!, attempt: 1, transactionId: 'T-1' },
      { ...ended.attempts[0]!, attempt: 2, transactionId: 'T-2' },
    ];
    const operation = { ...ended, transactionId: 'T-2', attempts };
    const isOther = (id?: string) => isOtherTransaction(operation, answer(id));
    expect([isOther('T-1'), isOther('T-2'), isOther('T-3'), isOther()]).toEqual([false, false, true, false]);
    expect(isOtherTransaction(open, answer('T-3'))).toBe(false);
  });

  it('is bound first, and then not changed', () => {
    expect(bindFirst(open, answer('T-1')).transactionId).toBe('T-1');
    expect(bindFirst(ended, answer('T-1'))).toBe(ended);
    expect(bindFirst(open, answer())).toBe(open);
  });

  it('of an attempt that was left out puts it back in its place', () => {
    const attempts = [{ ...open.attempts[0]!, attempt: 3 }];
    const back = withAttempt({ ...open, attempt: 3, attempts }, 2).attempts.map(({ attempt }) => attempt);
    expect(back).toEqual([2, 3]);
    const gap = [1, 3].map((attempt) => ({ ...open.attempts[0]!, attempt }));
    const filled = withAttempt({ ...open, attempt: 3, attempts: gap }, 2).attempts;
    expect(filled.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(withAttempt(open, 1)).toBe(open);
  });
});

describe('a report contradicts', () => {
  const contradicts = (end: OperationState['end'], result: Evidence['result'], more: Partial<Evidence> = {}) =>
    contradictsEnd({ ...ended, ...(end && { end }) }, reportOf(result, more));

  it('a success where it refuses it, or says that nothing was executed; but not where a person said so of the doubt', () => {
    expect([contradicts('succeeded', 'refused'), contradicts('succeeded', 'not_executed')]).toEqual([true, true]);
    expect(contradicts('succeeded', 'refused', { mayBeDone: true })).toBe(false);
    expect(contradicts('succeeded', 'not_executed', { source: 'operator' })).toBe(false);
    for (const result of ['pending', 'redirect_required', 'in_doubt', 'succeeded'] as const)
      expect(contradicts('succeeded', result)).toBe(false);
  });

  it('any other end with another result, and an expiry with a success alone', () => {
    expect([contradicts('refused', 'succeeded'), contradicts('refused', 'refused')]).toEqual([true, false]);
    expect([contradicts('expired', 'succeeded'), contradicts('expired', 'refused')]).toEqual([true, false]);
    expect([contradicts('not_executed', 'refused'), contradicts('not_executed', 'not_executed')]).toEqual([
      true,
      false,
    ]);
    expect(contradicts('refused', 'not_executed')).toBe(false);
  });

  it('a success of another share, which the platform itself says', () => {
    const share = (amount: number | undefined, partial: boolean, more: object = { execCode: '0004' }) => ({
      ...{ partial, answer: { ...more, ...(amount && { amount }) } },
    });
    const partly = { ...ended, partial: true, amount: 9 };
    const isOther = (operation: OperationState, said: Partial<Evidence>) =>
      contradictsEnd(operation, reportOf('succeeded', said));
    expect([isOther(ended, share(9, true)), isOther(ended, share(9, false))]).toEqual([true, false]);
    expect([
      isOther(partly, share(9, true)),
      isOther(partly, share(8, true)),
      isOther(partly, share(9, false)),
    ]).toEqual([false, true, true]);
    expect([
      isOther(partly, share(undefined, true)),
      isOther({ ...partly, amount: undefined }, share(8, true)),
    ]).toEqual([false, false]);
    expect([isOther(ended, share(9, true, {})), isOther(ended, { answer: { transactionId: 'T-other' } })]).toEqual([
      false,
      true,
    ]);
  });
});

describe('an ended operation and a further report of it', () => {
  const add = (before: OperationState, said: Partial<Evidence> & Pick<Evidence, 'result'>, isContradiction = false) =>
    withReport(before, reportOf(said.result, said), isContradiction);
  const expired = { ...ended, end: 'expired' as const, mayYetSucceed: true as const };

  it('may succeed no more once it is denied', () => {
    const may = (said: Partial<Evidence> & Pick<Evidence, 'result'>) => add(expired, said).mayYetSucceed;
    expect([may({ result: 'refused' }), may({ result: 'not_executed', source: 'operator' })]).toEqual([
      undefined,
      undefined,
    ]);
    expect([may({ result: 'refused', mayBeDone: true }), may({ result: 'not_executed' })]).toEqual([true, true]);
    expect(may({ result: 'succeeded', source: 'operator' })).toBe(true);
  });

  it('is surely that TRANSACTIONID once an answer, a person or a tag names it', () => {
    const assumed = { ...ended, isTransactionAssumed: true as const };
    const is = (said: Partial<Evidence>) =>
      add(assumed, { result: 'succeeded', answer: { transactionId: 'T-authorize' }, ...said }).isTransactionAssumed;
    expect([is({}), is({ answer: {}, source: 'answer' })]).toEqual([true, true]);
    for (const said of [{ source: 'answer' }, { source: 'operator' }, { tag: { operation: 'x', attempt: 1 } }] as const)
      expect(is(said)).toBeUndefined();
  });

  it('gets EXTRADATA and LANGUAGE, each once, from a report that agrees', () => {
    const lacks = { ...ended, isExtraDataMissing: true as const, isLanguageMissing: true as const };
    const missing = (before: OperationState, said: Partial<Evidence>, isContradiction = false) => {
      const { isExtraDataMissing, isLanguageMissing } = add(before, { result: 'succeeded', ...said }, isContradiction);
      return [isExtraDataMissing, isLanguageMissing];
    };
    expect(missing(lacks, {})).toEqual([true, true]);
    expect(missing(lacks, { extraData: 'x' })).toEqual([undefined, true]);
    expect(missing(lacks, { language: 'fr' })).toEqual([true, undefined]);
    expect(missing(lacks, { extraData: 'x', language: 'fr' })).toEqual([undefined, undefined]);
    expect(missing(lacks, { extraData: 'x', result: 'refused' })).toEqual([true, true]);
    expect(missing(lacks, { extraData: 'x' }, true)).toEqual([true, true]);
    expect(add(ended, { result: 'refused', extraData: 'x', language: 'fr' })).toBe(ended);
    const refused = { ...lacks, end: 'refused' as const };
    expect(missing(refused, { result: 'refused', extraData: 'x' })).toEqual([undefined, true]);
    const onlyLanguage = { ...ended, isLanguageMissing: true as const };
    expect(missing(onlyLanguage, { extraData: 'x' })).toEqual([undefined, true]);
    expect(add(onlyLanguage, { result: 'succeeded', extraData: 'x' })).not.toHaveProperty('isExtraDataMissing');
  });

  it('that did not succeed gets nothing else', () => {
    const refused = { ...ended, end: 'refused' as const, isDescriptorMissing: true as const };
    const said = { answer: { descriptor: 'SHOP', amount: 7 } };
    expect(add(refused, { result: 'refused', ...said })).toBe(refused);
    expect(add({ ...refused, end: 'succeeded' }, { result: 'refused', ...said }).isDescriptorMissing).toBe(true);
    expect(add(refused, { result: 'succeeded', ...said }).isDescriptorMissing).toBe(true);
  });

  it('gets its DESCRIPTOR and its amount where they were not known', () => {
    const lacks = { ...ended, isDescriptorMissing: true as const };
    expect(add(lacks, { result: 'succeeded', answer: { descriptor: 'SHOP' } }).isDescriptorMissing).toBeUndefined();
    expect(add(lacks, { result: 'succeeded' }).isDescriptorMissing).toBe(true);
    const named = (change: Partial<OperationState>, answer: object = { amount: 7 }) => {
      const { amount, isAmountAssumed } = add({ ...ended, ...change }, { result: 'succeeded', answer });
      return [amount, isAmountAssumed];
    };
    const unknown = { amount: undefined } as Partial<OperationState>;
    expect([named(unknown), named(unknown, {})]).toEqual([
      [7, undefined],
      [undefined, undefined],
    ]);
    expect(named({ isAmountAssumed: true })).toEqual([7, undefined]);
    expect(named({ isAmountAssumed: true }, {})).toEqual([30_000, true]);
    expect(named({})).toEqual([30_000, undefined]);
    expect(named({ ...unknown, operation: 'void' })).toEqual([undefined, undefined]);
  });

  it('has a disputed amount where the platform says another share, and keeps what a like report names', () => {
    const whole = { result: 'succeeded', answer: { execCode: '0000', amount: 12 } } as const;
    const share = { result: 'succeeded', partial: true, answer: { execCode: '0004', amount: 12 } } as const;
    expect(add(ended, share, true)).toMatchObject({ isAmountDisputed: true, otherAmounts: [12] });
    expect(add(ended, whole, true)).not.toHaveProperty('isAmountDisputed');
    expect(add(ended, whole, true)).not.toHaveProperty('otherAmounts');
    expect(add(ended, whole)).toMatchObject({ otherAmounts: [12] });
    expect(add(ended, share)).not.toHaveProperty('otherAmounts');
    expect(add({ ...ended, partial: true }, share)).toMatchObject({ otherAmounts: [12] });
  });
});

describe('what a further report adds to the events', () => {
  const flags = (before: Partial<OperationState>, now: Partial<OperationState>, of = ended) =>
    addedDetails({ ...of, ...before }, { ...of, ...now }, reportOf('succeeded')).flags;

  it.each<[string, Partial<OperationState>, Partial<OperationState>]>([
    ['amount_added', { amount: undefined }, {}],
    ['amount_confirmed', { isAmountAssumed: true }, {}],
    ['other_amount_added', {}, { otherAmounts: [12] }],
    ['transaction_added', { transactionId: undefined }, {}],
    ['transaction_confirmed', { isTransactionAssumed: true }, {}],
    ['descriptor_added', { isDescriptorMissing: true }, { isDescriptorMissing: undefined }],
    ['card_added', {}, { isCardPublished: true }],
    ['extra_data_added', { isExtraDataMissing: true }, {}],
    ['language_added', { isLanguageMissing: true }, {}],
  ])('is told: %s', (flag, before, now) => {
    expect([flags(before, now), flags(now, now)]).toEqual([[flag], []]);
    expect(flags(before, before)).toEqual([]);
  });

  it('are the references of a refund, each once', () => {
    const said = (before: OperationState, references: Partial<Evidence>) =>
      addedDetails(before, before, reportOf('succeeded', references));
    const both = { externalEntityId: '47', externalReference: '012345678' };
    expect(said(openRefund, both)).toEqual({ references: both, flags: ['references_added'] });
    expect(said({ ...openRefund, ...both }, both).flags).toEqual([]);
    expect(said({ ...openRefund, externalEntityId: '11' }, both)).toEqual({
      ...{ references: { ...both, externalEntityId: '11' }, flags: ['references_added'] },
    });
    expect(said({ ...openRefund, externalReference: '999999999' }, { externalEntityId: '47' }).flags).toEqual([
      'references_added',
    ]);
    expect(said(ended, both)).toEqual({ references: {}, flags: [] });
  });
});

describe('the body of an event', () => {
  it('has what is known of its operation, and no more', () => {
    expect(describeOperation(undefined)).toEqual({});
    const more = {
      isTransactionAssumed: true,
      partial: true,
      flags: ['x'],
      otherAmounts: [12],
      isAmountAssumed: true,
    } as const;
    expect(
      describeOperation({ ...openCapture, ...more, flags: ['x'], otherAmounts: [12], transactionId: 'T-1' }),
    ).toEqual({
      ...{ commandId: 'capture', operation: 'capture', method: 'B', attempt: 1, amount: 30_000, amountAssumed: true },
      ...{ otherAmount: 12, currency: 'EUR', reference: 'T-authorize', transactionId: 'T-1', transactionAssumed: true },
      ...{ partial: true, flags: ['x'] },
    });
    expect(describeOperation(open)).not.toHaveProperty('reference');
  });

  it('says that an amount is assumed, or another one is reported', () => {
    const of = (change: object) => amountsOf({ ...open, ...change });
    expect(of({ amount: undefined, isAmountAssumed: true }).amountAssumed).toBeUndefined();
    expect(of({ isAmountAssumed: true }).amountAssumed).toBe(true);
    expect(of({ otherAmounts: [12, 30_000] }).otherAmount).toBeUndefined();
    expect(of({ otherAmounts: [30_000, 12] }).otherAmount).toBe(12);
    expect(of({}).otherAmount).toBeUndefined();
  });
});

it('a report of rules version 2 tells EXTRADATA that came behind the answer', () => {
  const { events, bodies } = folded(under(2, ...authorized, notified('authorize', '0000', { extraData: 'basket' })));
  expect(events).toEqual(['authorize.succeeded', 'authorize.succeeded']);
  expect(bodies[1]).toMatchObject({ extraData: 'basket', flags: ['extra_data_added'] });
});

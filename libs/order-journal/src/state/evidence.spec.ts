import type { ListedTransaction, Merchant, PaymentNotification } from '@tranche/contracts';
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
  START,
} from '../../test/order-story.js';
import { evidenceOf, evidenceResult, execCodeNotes, lookUpEvidence, notificationEvidence } from './evidence.js';
import { operationTag, tagExtraData } from './extradata-tag.js';
import type { OrderState } from './order-state.js';
import type { EvidenceRecord, JournalRecord } from './records.js';
import { CLOCKS_APART_MS } from './time.js';

const inOrder = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'order-1', at: START };
const after = (...records: JournalRecord[]): OrderState => folded(records).order;

describe('the report in a record', () => {
  const call = { commandId: 'authorize', attempt: 1, token: 'authorize#1' };

  it('of an answer names its call', () => {
    const answer = { execCode: '0004', transactionId: 'T-authorize', amount: 5 };
    const outcome = { ...answered('authorize', '0004', answer), flags: ['invalid_amount'] };
    expect(evidenceOf(outcome)).toEqual({
      ...{ source: 'answer', ...call, result: 'succeeded', partial: true, answer, flags: ['invalid_amount'] },
    });
  });

  it('of a call that was not executed says why', () => {
    const said = { ...call, result: 'not_executed', reason: 'execcode' };
    expect(evidenceOf(notExecuted('authorize') as never)).toEqual({
      ...{ source: 'answer', ...said, answer: { execCode: '5003', message: 'maintenance' } },
    });
    const unreachable = { ...notExecuted('authorize'), reason: 'unreachable', execCode: undefined };
    const { answer, reason } = evidenceOf(unreachable as never);
    expect([reason, answer]).toEqual(['unreachable', { message: 'maintenance' }]);
    expect(answer).not.toHaveProperty('execCode');
  });

  const everything: EvidenceRecord = {
    ...{ record: 'EVIDENCE', ...inOrder, source: 'operator', operation: 'refund', result: 'succeeded', partial: true },
    ...{ mayBeDone: true, answer: { transactionId: 'T-1' }, tag: { operation: 'refund', attempt: 1 } },
    ...{ commandId: 'refund', attempt: 2, extraData: 'basket', externalEntityId: '4711', externalReference: '0001' },
    ...{ flags: ['invalid_amount'], currency: 'EUR', language: 'fr', languageOf: ['A'], maskedCard: '****1234' },
    ...{ cardBrand: 'VISA', selectedBrand: 'CB', cardCountry: 'FR', executedAt: later(-5), actor: 'alice' },
    ...{ reason: 'seen in the books', notBefore: later(5) },
  };

  it('of a person says who stated it, and why', () => {
    const { record: _record, merchant: _merchant, orderId: _orderId, rulesVersion: _version, ...told } = everything;
    const { actor, reason, notBefore, ...rest } = told;
    expect(evidenceOf(everything)).toEqual({ ...rest, resolution: { actor, reason, at: START, notBefore } });
    const { actor: _actor, reason: _reason, ...nameless } = everything;
    expect(evidenceOf(nameless).resolution).toMatchObject({ actor: '', reason: '' });
  });

  it('of nobody else is a statement of a person', () => {
    expect(evidenceOf({ ...everything, source: 'look-up' }).resolution).toBeUndefined();
    expect(evidenceOf({ ...everything, source: 'notification' }).resolution).toBeUndefined();
  });

  it('has the OPERATIONTYPE of the platform only where no operation of ours has it', () => {
    const both = { ...everything, operationType: 'credit' };
    expect(evidenceOf(both).operationType).toBeUndefined();
    expect(evidenceOf(notifiedElsewhere('credit', '0000')).operationType).toBe('credit');
  });
});

describe('a notification as a record', () => {
  const { extraData } = tagExtraData('basket', 'authorize', 2);
  const of = (execCode: string, more: object = {}) =>
    notificationEvidence(
      { merchant: 'shop-fr', orderId: 'order-1', execCode } as PaymentNotification,
      { operation: 'authorize', answer: { execCode }, extraData, ...more } as never,
      START,
    );

  it('is one of its order, with the tag apart from the EXTRADATA of the caller', () => {
    expect(of('0000')).toEqual({
      ...{ record: 'EVIDENCE', ...inOrder, source: 'notification', operation: 'authorize', result: 'succeeded' },
      ...{ answer: { execCode: '0000' }, extraData: 'basket' },
      tag: { operation: operationTag('authorize'), attempt: 2 },
    });
  });

  it('has neither where the platform returned none', () => {
    const record = of('0000', { extraData: undefined });
    expect(record).not.toHaveProperty('tag');
    expect(record).not.toHaveProperty('extraData');
  });

  it('says what its EXECCODE adds', () => {
    expect(of('0004')).toMatchObject({ result: 'succeeded', partial: true });
    expect(of('4011')).toMatchObject({ result: 'refused', mayBeDone: true });
  });
});

it.each([
  ['0000', 'succeeded', {}],
  ['0004', 'succeeded', { partial: true }],
  ['0003', 'pending', {}],
  ['2005', 'refused', { mayBeDone: true }],
  ['4001', 'refused', {}],
])('EXECCODE %s proves %s', (execCode, result, notes) => {
  expect([evidenceResult(execCode), execCodeNotes(execCode)]).toEqual([result, notes]);
});

describe('a row of a look-up', () => {
  const merchant = { merchant: 'shop-fr', identifier: 'Demo Shop FR' } as Merchant;
  const tagOf = (name: string, attempt = 1) => tagExtraData(undefined, name, attempt).extraData;
  const row = (change: Partial<ListedTransaction> = {}): ListedTransaction => {
    const { execCode = '0000', transactionId = 'T-authorize' } = change;
    return {
      ...{ orderId: 'order-1', identifier: 'Demo Shop FR', operation: 'authorize', execCode, transactionId },
      ...{ amount: 30_000, dateMs: Date.parse(START), extraData: tagOf('authorize') },
      answer: { execCode, transactionId },
      ...change,
    };
  };
  const lookedUp = (order: OrderState, listed: ListedTransaction[], name = 'authorize') => {
    const operation = order.operations.find(({ commandId }) => commandId === name)!;
    return lookUpEvidence(listed, { merchant, order, operation, at: later(7) });
  };
  const doubt = after(asked('authorize'), lost('authorize'));
  const form = after(asked('authorize', { method: 'A' }), answered('authorize', '0002'));

  it('is a record of what it proves', () => {
    const listed = row({ extraData: tagExtraData('basket', 'authorize', 1).extraData, flags: ['invalid_amount'] });
    expect(lookedUp(doubt, [listed])).toEqual([
      {
        ...{ record: 'EVIDENCE', ...inOrder, at: later(7), source: 'look-up', operation: 'authorize' },
        ...{ result: 'succeeded', answer: listed.answer, tag: { operation: operationTag('authorize'), attempt: 1 } },
        ...{ extraData: 'basket', executedAt: START, flags: ['invalid_amount'] },
      },
    ]);
    const [record] = lookedUp(doubt, [row({ execCode: '0004', dateMs: NaN })]);
    expect(record).toMatchObject({ result: 'succeeded', partial: true });
    for (const name of ['executedAt', 'extraData', 'flags']) expect(record).not.toHaveProperty(name);
  });

  it('is of the account where it names none', () => {
    expect(lookedUp(doubt, [row({ identifier: undefined })])).toHaveLength(1);
    expect(lookedUp(doubt, [row({ identifier: 'Demo Shop ES' })])).toEqual([]);
  });

  it('of a payment that waits says nothing new while it waits', () => {
    const waits = (order: OrderState, execCode: string) => lookedUp(order, [row({ execCode })]).length;
    expect([waits(form, '0002'), waits(form, '0003'), waits(form, '0000')]).toEqual([0, 1, 1]);
    const pending = after(asked('authorize', { method: 'A' }), answered('authorize', '0003'));
    expect([waits(pending, '0002'), waits(pending, '0003'), waits(pending, '4001')]).toEqual([0, 0, 1]);
    expect(waits(doubt, '0003')).toBe(1);
  });

  it('without a tag is of the payment that waits whose TRANSACTIONID it has', () => {
    const untagged = { extraData: undefined };
    expect(lookedUp(form, [row(untagged)])).toHaveLength(1);
    expect(lookedUp(form, [row({ ...untagged, transactionId: 'T-other' })])).toEqual([]);
    const nameless = after(
      asked('authorize', { method: 'A' }),
      answered('authorize', '0002', { transactionId: undefined }),
    );
    expect(lookedUp(nameless, [row(untagged)])).toEqual([]);
    const sentUntagged = after(
      askedUntagged('authorize', { method: 'A' }),
      answered('authorize', '0002', { transactionId: undefined }),
    );
    expect(lookedUp(sentUntagged, [row(untagged)])).toHaveLength(1);
  });

  it('was counted where a report of its attempt said the same', () => {
    const unclear = after(asked('authorize'), lost('authorize'), notified('authorize', '5004'));
    expect(lookedUp(unclear, [row({ execCode: '5004' })])).toEqual([]);
    expect(lookedUp(unclear, [row({ execCode: '5004', transactionId: 'T-other' })])).toHaveLength(1);
    expect(lookedUp(unclear, [row()])).toHaveLength(1);
    expect(lookedUp(unclear, [row({ execCode: '5004', extraData: tagOf('authorize', 2) })])).toHaveLength(1);
  });

  it('was counted where the order holds it for nobody, but not where a payment waits under its TRANSACTIONID', () => {
    const held = notifiedElsewhere('pay', '0000', { transactionId: 'T-pay', amount: 30_000 });
    const evidence = { source: 'notification', result: 'succeeded', answer: held.answer } as const;
    const open = { ...after(askedUntagged('pay'), lost('pay')), unmatchedEvidence: [evidence] };
    const listed = row({ operation: 'pay', transactionId: 'T-pay', extraData: undefined });
    expect(lookedUp(open, [listed], 'pay')).toEqual([]);
    expect(lookedUp(open, [{ ...listed, transactionId: 'T-2' }], 'pay')).toHaveLength(1);
    expect(lookedUp(open, [{ ...listed, execCode: '4001' }], 'pay')).toHaveLength(1);
    const waits = { ...after(askedUntagged('pay'), answered('pay', '0003')), unmatchedEvidence: [evidence] };
    expect(lookedUp(waits, [listed], 'pay')).toHaveLength(1);
  });

  describe('without a tag', () => {
    const open = after(askedUntagged('pay'), lost('pay'));
    const listed = row({ operation: 'pay', transactionId: 'T-1', extraData: undefined });
    const count = (order: OrderState, change: Partial<ListedTransaction> = {}, name = 'pay') =>
      lookedUp(order, [{ ...listed, ...change }], name).length;

    it('may be of an attempt that was sent without one, and of no other', () => {
      expect(count(open)).toBe(1);
      const [operation] = open.operations;
      const tagged = { ...operation!, attempts: operation!.attempts.map((one) => ({ ...one, isTagged: true })) };
      expect(count({ ...open, operations: [tagged] })).toBe(0);
      expect(count({ ...open, operations: [{ ...operation!, attempts: [] }] })).toBe(0);
      const [sent] = operation!.attempts;
      const earlier = { ...sent!, token: 'before', intentAt: later(9e9) };
      expect(count({ ...open, operations: [{ ...operation!, attempts: [earlier, sent!] }] })).toBe(1);
    });

    it('is not older than its attempt, but for what two clocks differ', () => {
      const made = (ms: number) => count(open, { dateMs: Date.parse(START) + ms });
      expect([made(-CLOCKS_APART_MS), made(-CLOCKS_APART_MS - 1), count(open, { dateMs: NaN })]).toEqual([1, 0, 0]);
    });

    it('is of the amount that was asked for, unless it is a share, or one of the two is not known', () => {
      expect([count(open, { amount: 29_999 }), count(open, { amount: undefined })]).toEqual([0, 1]);
      expect(count(open, { amount: 29_999, execCode: '0004' })).toBe(1);
      const [operation] = open.operations;
      const of = (change: object) => count({ ...open, operations: [{ ...operation!, ...change }] }, { amount: 7 });
      expect([of({ amount: undefined }), of({ isAmountAssumed: true }), of({})]).toEqual([1, 1, 0]);
    });

    it('is of nobody here where its transaction is known to be another’s', () => {
      const elsewhere = after(
        notifiedElsewhere('refund', '0000', { transactionId: 'T-1', amount: 5 }),
        askedUntagged('pay'),
        lost('pay'),
      );
      expect([count(elsewhere), count(elsewhere, { transactionId: 'T-2' })]).toEqual([0, 1]);
      const refused = after(
        asked('pay'),
        answered('pay', '4001', { transactionId: 'T-1' }),
        asked('pay-2'),
        lost('pay-2'),
      );
      expect([count(refused, {}, 'pay-2'), count(refused, { transactionId: 'T-2' }, 'pay-2')]).toEqual([0, 1]);
    });

    it('may be a tagged attempt’s of the same kind that was sent and has no TRANSACTIONID', () => {
      const beside = (change: object, attempt: object = {}) => {
        const [operation] = open.operations;
        const [sent] = operation!.attempts;
        const other = {
          ...operation!,
          commandId: 'other',
          attempts: [{ ...sent!, isTagged: true, ...attempt }],
          ...change,
        };
        return count({ ...open, operations: [other, operation!] });
      };
      expect(beside({})).toBe(0);
      expect(beside({ operation: 'refund' })).toBe(1);
      expect(beside({}, { isTagged: false })).toBe(1);
      expect(beside({}, { transactionId: 'T-0' })).toBe(1);
      expect(beside({}, { closed: 'unsent' })).toBe(1);
      expect(beside({}, { closed: 'not_executed' })).toBe(0);
    });
  });

  it('with the tag of another operation is of that one', () => {
    expect(lookedUp(doubt, [row({ extraData: tagOf('authorize-2') })])).toEqual([]);
  });

  it('of a doubt that has a TRANSACTIONID is judged as any other without a tag', () => {
    const [operation] = doubt.operations;
    const named = { ...doubt, operations: [{ ...operation!, transactionId: 'T-authorize' }] };
    expect(lookedUp(named, [row({ extraData: undefined })])).toEqual([]);
  });
});

it('an operator’s statement names its attempt', () => {
  expect(evidenceOf(operatorSays('authorize', 'refused', {}, 3))).toMatchObject({ commandId: 'authorize', attempt: 3 });
  expect(after(...authorized, operatorSays('authorize', 'succeeded')).operations).toHaveLength(1);
});

import {
  answered,
  asked,
  askedUntagged,
  authorized,
  captured,
  expired,
  folded,
  lost,
  notExecuted,
  notified,
  notifiedElsewhere,
  operatorSays,
  standing,
  under,
} from '../../test/order-story.js';
import { findOperation, REPORTS_KEPT, VERDICTS_KEPT, type EventBody } from './order-state.js';
import type { JournalRecord } from './records.js';

/** Bodies of the events of this type, the oldest first. */
const told = (type: string, records: readonly JournalRecord[]): EventBody[] => {
  const { events, bodies } = folded(records);
  return bodies.filter((_, at) => events[at] === type);
};
const CONFLICT = 'conflict.detected';
const flagsOf = (records: readonly JournalRecord[]) => told(CONFLICT, records).map(({ flags }) => flags);
const operation = (name: string, ...records: JournalRecord[]) => findOperation(folded(records).order, name);

describe('an answer to a call that was never granted', () => {
  it('is a conflict of its operation, which names what was and what was said', () => {
    const [conflict, ...others] = told(CONFLICT, [
      asked('pay'),
      answered('pay', '0000'),
      answered('pay', '4001', {}, 2),
    ]);
    expect(others).toEqual([]);
    expect(conflict).toMatchObject({
      commandId: 'pay',
      operation: 'pay',
      attempt: 1,
      flags: ['was_succeeded', 'said_refused', 'never_granted'],
    });
  });

  it('names its command and attempt where the order has no operation of them', () => {
    const [conflict] = told(CONFLICT, [...captured, answered('pay', '0000', {}, 2)]);
    expect(conflict).toMatchObject({ commandId: 'pay', attempt: 2, execCode: '0000', transactionId: 'T-pay' });
    expect(conflict?.flags).toEqual(['was_unknown', 'said_succeeded', 'never_granted']);
  });
});

describe('reports of one attempt that contradict', () => {
  const refused = notified('capture', '4001');
  it('are told once each, by result, attempt, TRANSACTIONID and EXECCODE', () => {
    const once = [...captured, refused];
    expect(flagsOf(once)).toEqual([['was_succeeded', 'said_refused']]);
    expect(flagsOf([...once, { ...refused, at: 'later' }])).toHaveLength(1);
    expect(flagsOf([...once, notified('capture', '4003')])).toHaveLength(2);
    expect(
      flagsOf([
        ...authorized,
        notified('authorize', '4001'),
        notified('authorize', '4001', { answer: { transactionId: 'T-b' } }),
      ]),
    ).toHaveLength(2);
    const { conflictingReports } = operation('capture', ...once)!;
    expect(conflictingReports).toEqual([
      { result: 'refused', attempt: 1, transactionId: 'T-capture', execCode: '4001' },
    ]);
  });

  it('are a share and the whole where both succeeded', () => {
    const whole = notified('capture', '0000', { answer: { amount: 30_000 } });
    const partly = [...authorized, asked('capture'), answered('capture', '0004', { amount: 9000 })];
    expect(flagsOf([...partly, whole])).toEqual([['was_succeeded', 'said_whole']]);
    expect(flagsOf([...captured, notified('capture', '0004', { answer: { amount: 9000 } })])).toEqual([
      ['was_succeeded', 'said_partial'],
    ]);
  });
});

describe('an amount or a currency that a report names', () => {
  it('is a conflict once for each', () => {
    const other = (amount: number) => notified('capture', '0000', { answer: { amount } });
    expect(flagsOf([...captured, other(12)])).toEqual([['other_amount']]);
    expect(flagsOf([...captured, other(12), other(12)])).toHaveLength(1);
    expect(flagsOf([...captured, other(12), other(13)])).toHaveLength(2);
    expect(flagsOf([...captured, other(30_000)])).toEqual([]);
    const inDollars = notified('capture', '0000', { currency: 'USD' });
    expect(flagsOf([...captured, inDollars, inDollars])).toEqual([['other_currency']]);
    expect(flagsOf([...captured, notified('capture', '0000', { currency: 'EUR' })])).toEqual([]);
  });

  it('is in the event of the success that told it, as its operation has it', () => {
    const [, succeeded] = told('capture.succeeded', [
      ...captured,
      notified('capture', '0000', { answer: { amount: 12 } }),
    ]);
    expect(succeeded).toMatchObject({ amount: 30_000, otherAmount: 12, flags: ['other_amount_added'] });
    const assumed = [...authorized, asked('capture'), answered('capture', '0000')];
    expect(told('capture.succeeded', assumed)).toMatchObject([{ amount: 30_000, amountAssumed: true }]);
  });
});

describe('a second payment', () => {
  const form = [asked('authorize', { method: 'A' }), answered('authorize', '0003'), expired('authorize')];
  const second = asked('authorize-2', { method: 'A', supersedes: 'authorize' });
  const both = [...form, second, answered('authorize-2', '0000'), notified('authorize', '0000')];

  it('is told by the payment that made it one, once', () => {
    expect(told(CONFLICT, both)).toMatchObject([
      {
        commandId: 'authorize',
        transactionId: 'T-authorize',
        flags: ['was_expired', 'said_succeeded', 'two_payments_succeeded'],
      },
    ]);
    expect(told(CONFLICT, [...both, asked('capture'), answered('capture', '0000')])).toHaveLength(1);
  });

  it('of the back office is told with its TRANSACTIONID, and a third one too', () => {
    const office = (id: string) => notifiedElsewhere('pay', '0000', { transactionId: id, amount: 30_000 });
    const conflicts = told(CONFLICT, [...authorized, office('T-1'), office('T-2')]);
    expect(conflicts.map(({ transactionId, commandId }) => [transactionId, commandId])).toEqual([
      ['T-1', undefined],
      ['T-2', undefined],
    ]);
  });

  it('is told of the TRANSACTIONID that is new where one payment succeeded twice', () => {
    const [conflict] = told(CONFLICT, [
      ...authorized,
      notified('authorize', '0000', { answer: { transactionId: 'T-second' } }),
    ]);
    expect(conflict).toMatchObject({ commandId: 'authorize', transactionId: 'T-second' });
  });
});

describe('a payment that succeeds after its form was voided', () => {
  const paid = (...more: JournalRecord[]) =>
    under(
      2,
      asked('authorize', { method: 'A' }),
      answered('authorize', '0002'),
      asked('void'),
      answered('void', '0000'),
      notified('authorize', '0000'),
      ...more,
    );
  it('is told once, whatever follows', () => {
    expect(flagsOf(paid())).toEqual([['paid_after_void']]);
    expect(flagsOf(paid(notified('authorize', '0000', { extraData: 'basket' }), asked('capture')))).toHaveLength(1);
  });
});

describe('an attempt that is not executed', () => {
  const because = (reason: 'auth_refused' | 'unreachable' | 'send_deadline' | 'execcode', attempt = 1) =>
    ({ ...notExecuted('capture', attempt), reason }) as JournalRecord;
  const ask = (attempt: number) => asked('capture', { attempt });

  it('counts the bearer tokens that the platform refused', () => {
    const after = (...records: JournalRecord[]) => operation('capture', ...authorized, ...records)?.authRefusals;
    expect(after(ask(1), because('unreachable'))).toBeUndefined();
    expect(after(ask(1), because('auth_refused'))).toBe(1);
    expect(after(ask(1), because('auth_refused'), ask(2), because('auth_refused', 2))).toBe(2);
    expect(after(ask(1), because('auth_refused'), ask(2), because('execcode', 2))).toBe(1);
  });

  it('is closed as unsent or as not executed, with why, and the next one may be asked for', () => {
    for (const [reason, closed] of [
      ['unreachable', 'unsent'],
      ['send_deadline', 'unsent'],
      ['execcode', 'not_executed'],
      ['auth_refused', 'not_executed'],
    ] as const) {
      const idle = operation('capture', ...authorized, ask(1), because(reason))!;
      expect(idle).toMatchObject({
        phase: 'idle',
        attempt: 2,
        attempts: [{ attempt: 1, closed }],
        lastNotExecuted: { reason, execCode: '5003' },
      });
      expect(idle.token).toBeUndefined();
    }
  });

  it('is in doubt again where a success is reported that may be its own', () => {
    const ask = (attempt: number) => askedUntagged('capture', { attempt, amount: 500 });
    const idle = [...authorized, ask(1), notExecuted('capture'), ask(2), notExecuted('capture', 2)];
    const success = notifiedElsewhere('capture', '0000', { transactionId: 'T-late', amount: 500 });
    const { order, bodies, events } = folded([...idle, success]);
    expect([standing(order, 'capture'), events.at(-1)]).toEqual(['in_doubt', 'capture.in_doubt']);
    expect(bodies.at(-1)).toMatchObject({
      origin: 'notification',
      flags: ['success_reported'],
      message: 'The platform said that it was not executed, and reported a success without our tag that may be it',
    });
    const doubtful = findOperation(order, 'capture')!;
    expect(doubtful.attempts.map(({ closed }) => closed)).toEqual(['not_executed', undefined]);
    expect(doubtful).toMatchObject({ attempt: 2, token: 'capture#2', wasInDoubt: true });
  });

  it('and was executed after all is settled by that report; a report that says less is none', () => {
    const idle = [...captured, asked('refund', { amount: 1000 }), notExecuted('refund')];
    expect(standing(folded([...idle, notified('refund', '0000')]).order, 'refund')).toBe('ended succeeded');
    for (const code of ['4001', '5003']) {
      const { order, events } = folded([...idle, notified('refund', code)]);
      expect([standing(order, 'refund'), events.includes(CONFLICT)]).toEqual(['idle', false]);
    }
  });
});

it('a doubt that a person closes as not executed is told so, with who said it', () => {
  const [resolved] = told('authorize.doubt_resolved', [
    asked('authorize'),
    lost('authorize'),
    operatorSays('authorize', 'not_executed'),
  ]);
  expect(resolved).toMatchObject({ outcome: 'not_executed', origin: 'operator' });
});

describe('lists of an order are bounded under rules version 2', () => {
  it('the newest verdicts are kept, and all of them under version 1', () => {
    const busy = (n: number) => asked('capture', { token: `busy#${n}`, attempt: 7 });
    const many = [...authorized, ...Array.from({ length: VERDICTS_KEPT + 5 }, (_, n) => busy(n))];
    expect(folded(under(2, ...many)).order.verdicts).toHaveLength(VERDICTS_KEPT);
    expect(folded(under(2, ...many)).order.verdicts.at(-1)?.[0]).toBe(`busy#${VERDICTS_KEPT + 4}`);
    expect(folded(many).order.verdicts).toHaveLength(VERDICTS_KEPT + 6);
  });

  it('a report that waits, and is one too many, is told as one that may be ours, and freezes its order', () => {
    const report = (n: number) => notifiedElsewhere('refund', '0000', { transactionId: `T-${n}`, amount: 10 });
    const one = folded(under(2, ...captured, askedUntagged('refund', { amount: 10 }), report(0))).order;
    const [kept] = one.unmatchedEvidence;
    const unmatchedEvidence = Array.from({ length: REPORTS_KEPT }, (_, n) => ({
      ...kept!,
      answer: { ...kept!.answer, transactionId: `T-${n}` },
    }));
    const before = { ...one, unmatchedEvidence };
    const last = { ...report(REPORTS_KEPT), currency: 'EUR', flags: ['seen'] } as JournalRecord;
    const { order, events, bodies } = folded(under(2, last), before);
    expect([order.isFrozen, events, order.unmatchedEvidence.length]).toEqual([
      true,
      ['operation.external'],
      REPORTS_KEPT,
    ]);
    expect(bodies[0]).toMatchObject({
      operation: 'refund',
      transactionId: `T-${REPORTS_KEPT}`,
      amount: 10,
      currency: 'EUR',
      flags: ['seen', 'may_be_ours'],
    });
    expect(folded(under(2, report(REPORTS_KEPT)), before).bodies[0]?.flags).toEqual(['may_be_ours']);
  });

  it('a report that waits is kept without its form', () => {
    const form = notifiedElsewhere('refund', '0000', { transactionId: 'T-1', redirectHtml: '<form>', amount: 10 });
    const { order } = folded(under(2, ...captured, askedUntagged('refund', { amount: 10 }), form));
    expect(order.unmatchedEvidence).toMatchObject([{ answer: { transactionId: 'T-1', amount: 10 } }]);
    expect(JSON.stringify(order)).not.toContain('<form>');
  });
});

it('a form is in its event, and in no state', () => {
  const { order, bodies } = folded([asked('authorize'), answered('authorize', '0002', { redirectHtml: '<form>' })]);
  expect(bodies[0]?.redirectHtml).toBe('<form>');
  const { latest } = findOperation(order, 'authorize')!;
  expect(latest?.body).toMatchObject({ commandId: 'authorize', execCode: '0002' });
  expect(JSON.stringify(order)).not.toContain('<form>');
});

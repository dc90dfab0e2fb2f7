import type { JournalRecord } from '@tranche/order-journal';
import { cleanTraces, expiredTraces, supersededTraces, tagOf, untaggedTraces } from '../test/referee-forged.js';
import { refereeOf } from './referee.js';
import type { ViolationKind } from './report.js';
import type { Traces } from './traces.js';

type Event = Traces['events'][number]['event'];
const operation = (traces: Traces, transactionId: string) =>
  traces.ledger.operations.find((one) => one.transactionId === transactionId)!;
const eventOf = (traces: Traces, type: string) => traces.events.find(({ event }) => event.type === type)!;
const recordOf = (traces: Traces, kind: JournalRecord['record']) =>
  traces.journal.findIndex(({ record }) => record.record === kind);
const withAmount = (event: Event, amount: number): Event => ({ ...event, data: { ...event.data, amount } });
const notificationOf = (traces: Traces, transactionId: string) =>
  traces.notificationTopic.findIndex(({ notification }) => notification.transactionId === transactionId);

it('finds nothing in clean traces', () => {
  expect(refereeOf(cleanTraces())).toEqual({
    violations: [],
    operations: 4,
    inDoubt: 1,
    resolved: 1,
    falseDoubt: 0,
    publishedTwice: 0,
  });
});

type Forgery = [change: (traces: Traces) => void, detail: RegExp];
/** By kind of the violation, what is changed in clean traces and what the referee must say of it. */
const FORGERIES: Partial<Record<ViolationKind, Record<string, Forgery>>> = {
  executedTwice: {
    'an operation that the ledger holds twice': [
      ({ ledger }) => ledger.operations.push({ ...ledger.operations[1]!, transactionId: 'C2' }),
      /c2 was executed 2 times/,
    ],
    'a second call with one grant': [
      ({ ledger }) => ledger.calls.push(ledger.calls[1]!),
      /2 calls of capture reached the platform, 1 were granted and sent/,
    ],
    'an execution that nobody granted': [
      (traces) => (operation(traces, 'C1').extraData = operation(traces, 'C1').extraData!.replace(/1$/, '2')),
      /attempt 2 was never granted/,
    ],
  },
  lost: {
    'an acknowledged command that Kafka has not': [
      ({ commandTopic }) => commandTopic.splice(3, 1),
      /c4 was acknowledged/,
    ],
    'a command that led to nothing': [
      (traces) => {
        traces.commands.push({ ...traces.commands[3]!, id: 'c9' });
        traces.commandTopic.push({ ...traces.commandTopic[3]!, id: 'c9', offset: 99n });
      },
      /c9 of run-2 came to nothing/,
    ],
    'an id with two contents of which none was rejected': [
      (traces) =>
        traces.commands.push({ ...traces.commands[3]!, data: { ...traces.commands[3]!.data, description: 'y' } }),
      /c4 of run-2 came with two contents/,
    ],
    'an intent that is never closed': [(traces) => traces.journal.pop(), /c4 of run-2 was sent and is never closed/],
    'a doubt that stays although its notification came': [
      (traces) => traces.journal.splice(recordOf(traces, 'IN_DOUBT') + 1, 1),
      /c2 of run-1 stays in doubt/,
    ],
    'dead letters': [(traces) => (traces.deadLetters = 2), /2 records are dead letters/],
  },
  wrongOutcome: {
    'a success that the platform refused': [
      (traces) => (operation(traces, 'R1').finalExecCode = '4001'),
      /c3 of run-1 is succeeded, but nothing succeeded/,
    ],
    'another amount': [(traces) => (operation(traces, 'R1').amount = 9_999), /it is of 9999, not 10000/],
    'a redirect after its notification said more': [
      ({ delivered }) => delivered.push({ ...delivered[0]!, orderId: 'run-2', transactionId: 'A2' }),
      /c4 of run-2 is redirect_required, but its notification says succeeded/,
    ],
    'an operation of ours that is taken for the back office’s': [
      (traces) => (operation(traces, 'R2').origin = 'request'),
      /R2 of run-1 is taken for somebody else's/,
    ],
    'a conflict where the platform always said the truth': [
      (traces) => {
        const { event } = eventOf(traces, 'payment.refund.succeeded');
        const flags = ['was_succeeded'];
        traces.events.push({
          ...traces.events[0]!,
          event: { ...event, id: 'x', type: 'payment.conflict.detected', data: { ...event.data, flags } },
        });
      },
      /a conflict of c3 \(was_succeeded\) was published/,
    ],
    'a notification that the platform never sent': [
      (traces) => traces.delivered.splice(2, 1),
      /refund 0000 of run-1 was stored, and the platform never sent it/,
    ],
  },
  outOfOrder: {
    'a command that overtook the one before it': [
      ({ commandTopic }) => ([commandTopic[1]!.id, commandTopic[2]!.id] = ['c3', 'c2']),
      /capture c2 of .* overtook refund c3/,
    ],
    'an event that came late for the first time': [
      ({ events }) => events.splice(1, 0, ...events.splice(2, 1)),
      /payment.authorize.succeeded of shop-fr\/run-1 came for the first time behind a later event/,
    ],
  },
  notificationsLost: {
    'an OK for what is not in the topic': [
      (traces) => traces.notificationTopic.splice(notificationOf(traces, 'R1'), 1),
      /refund 0000 of run-1 was answered with OK and is not in the topic/,
    ],
    'a notification that never got into the journal': [
      ({ journal }) =>
        journal.splice(
          journal.findIndex(({ record }) => record.record === 'EVIDENCE' && record.answer.transactionId === 'R2'),
          1,
        ),
      /refund 0000 of run-1 is in the topic and not in the journal/,
    ],
    'a notification that the fold never counted': [
      // The fold ignores an operator's report on an operation that is not in doubt.
      ({ journal }) =>
        Object.assign(journal.find(({ record }) => record.record === 'EVIDENCE')!.record, { source: 'operator' }),
      /is in the journal and was never counted/,
    ],
  },
  guardBroken: {
    'two captures of one authorization': [
      ({ ledger }) => ledger.operations.push({ ...ledger.operations[1]!, transactionId: 'C2' }),
      /2 captures of A1/,
    ],
    'refunds beyond the capture': [(traces) => (operation(traces, 'R2').amount = 25_000), /refunded 35000 of 30000/],
    'a capture beyond the authorization': [
      (traces) => (operation(traces, 'C1').amount = 40_000),
      /captured 40000 of 30000/,
    ],
    'captured and voided': [
      ({ ledger }) =>
        ledger.operations.push({
          ...ledger.operations[1]!,
          operationType: 'void',
          transactionId: 'V1',
          origin: 'back-office',
        }),
      /captured and voided: A1/,
    ],
  },
  eventsBroken: {
    'an event that was never published': [
      (traces) => traces.events.splice(traces.events.indexOf(eventOf(traces, 'payment.capture.in_doubt')), 1),
      /payment.capture.in_doubt of shop-fr\/run-1 was published 0 times, asked for 1/,
    ],
    'an event that is not of the journal': [
      ({ events }) => events.push({ ...events[0]!, event: { ...events[0]!.event, id: 'x' } }),
      /x of shop-fr\/run-1 is not of the journal/,
    ],
    'one id with two contents': [
      ({ events }) => events.push({ ...events[0]!, event: withAmount(events[0]!.event, 1) }),
      /has two contents/,
    ],
    'an event that says something else than the journal': [
      ({ events }) => (events[0]!.event = withAmount(events[0]!.event, 1)),
      /says something else than the journal/,
    ],
    'a record in a partition that is not the order’s': [
      ({ journal }) => journal.forEach((one) => (one.partition += 1)),
      /lies in partition/,
    ],
    'one notification under two ids': [
      ({ notificationTopic }) => notificationTopic.push({ ...notificationTopic[0]!, id: 'other' }),
      /has the ids n-A1 and other/,
    ],
  },
};

const detailsOf = (traces: Traces, kind: ViolationKind) =>
  refereeOf(traces).violations.flatMap((one) => (one.kind === kind ? [one.detail] : []));
const forgeries = Object.entries(FORGERIES).flatMap(([kind, ofKind]) =>
  Object.entries(ofKind).map(([what, [change, detail]]) => ({ kind: kind as ViolationKind, what, change, detail })),
);

it.each(forgeries)('$kind: $what', ({ kind, change, detail }) => {
  const traces = cleanTraces();
  change(traces);
  expect(detailsOf(traces, kind)).toContainEqual(expect.stringMatching(detail));
});

const lookedUp = (answer: object) => ({
  ...{ record: 'EVIDENCE' as const, source: 'look-up', operation: 'authorize', commandId: 'c1', attempt: 1 },
  ...{ result: 'succeeded', answer },
});

describe('two payments of one order', () => {
  const finished = () => supersededTraces().notified('run-3', 'authorize', 'A1', 'c1').traces;
  const bothPaid = 'run-3: c1 and c2 both succeeded, and nobody was told';

  it('may be live together only where one took the other’s place', () => {
    const { traces } = supersededTraces();
    operation(traces, 'A1').finalExecCode = '0002';
    expect(refereeOf(traces).violations).toEqual([]);
    Object.assign(traces.journal[2]!.record, { supersedes: 'c9' });
    expect(detailsOf(traces, 'guardBroken')).toEqual(['run-3: c1 and c2 are live together']);
  });

  it.each(['by notification', 'by the answer'] as const)(
    'are no fault where the second was told %s, and no word of the first got through: a forged notification came in its place',
    (secondIsReported) => {
      const { traces } = supersededTraces(secondIsReported).sent('run-3', 'authorize', 'A1', 'suppressed');
      expect(refereeOf(traces).violations).toEqual([]);
    },
  );

  it('are no fault where an event tells of both', () => {
    const traces = finished();
    expect(traces.events.at(-1)!.event.data).toMatchObject({ commandId: 'c1', flags: ['two_payments_succeeded'] });
    expect(refereeOf(traces).violations).toEqual([]);
  });

  it.each<[how: string, () => Traces]>([
    ['by notification', finished],
    [
      'by notification and by the answer',
      () => supersededTraces('by the answer').notified('run-3', 'authorize', 'A1', 'c1').traces,
    ],
    [
      'by a notification that was answered with OK and went no further',
      () => supersededTraces().sent('run-3', 'authorize', 'A1').traces,
    ],
    [
      'by a look-up',
      () => supersededTraces().journaled('run-3', lookedUp({ execCode: '0000', transactionId: 'A1' })).traces,
    ],
    ['by somebody who names no TRANSACTIONID', () => supersededTraces().journaled('run-3', lookedUp({})).traces],
  ])('are a broken guard where both successes were told %s, and no event says so', (_how, traces) => {
    const { events, ...others } = traces();
    const left = events.filter(({ event }) => event.type !== 'payment.conflict.detected');
    expect(detailsOf({ ...others, events: left }, 'guardBroken')).toEqual([bothPaid]);
  });

  it('are a broken guard where the event names another payment', () => {
    const traces = finished();
    traces.events.at(-1)!.event.data.commandId = 'c9';
    expect(detailsOf(traces, 'guardBroken')).toEqual([bothPaid]);
  });

  it.each([
    ['the named one did not succeed', 'A1', /c1 \(two_payments_succeeded\) was published, and it did not succeed/],
    [
      'the other one did not',
      'A2',
      /c1 \(two_payments_succeeded\) was published, and no other payment of its order succeeded/,
    ],
  ])('may not be told of where %s', (_what, transactionId, detail) => {
    const traces = finished();
    operation(traces, transactionId).finalExecCode = '4001';
    expect(detailsOf(traces, 'wrongOutcome')).toContainEqual(expect.stringMatching(detail));
  });
});

it('lets a success without a tag wait between a doubt of ours and the back office, and no other one', () => {
  const { traces } = untaggedTraces();
  expect(traces.events.at(-1)!.event.data.flags).toEqual(['may_be_ours']);
  expect(detailsOf(traces, 'wrongOutcome')).toEqual([]);
  operation(traces, 'C1').extraData = tagOf('c9');
  expect(detailsOf(traces, 'wrongOutcome')).toContain("capture C1 of run-5 is taken for somebody else's");
});

it('finds what is taken for expired although its success was told', () => {
  const expired = expiredTraces();
  expect(refereeOf(expired.traces).violations).toEqual([]);
  const { traces } = expired.sent('run-4', 'authorize', 'B1');
  expect(detailsOf(traces, 'wrongOutcome')).toEqual([
    'authorize c1 of run-4 is expired, but its notification says succeeded',
  ]);
});

it('counts doubts: resolved, still open, and false where the platform never executed', () => {
  const traces = cleanTraces();
  traces.journal.splice(recordOf(traces, 'IN_DOUBT') + 1);
  traces.ledger.operations = traces.ledger.operations.filter(({ transactionId }) => transactionId !== 'C1');
  expect(refereeOf(traces)).toMatchObject({ inDoubt: 1, resolved: 0, falseDoubt: 1 });
});

it('counts what was published more often than the journal asks for, also without its page', () => {
  const traces = cleanTraces();
  const { redirectHtml, ...data } = traces.events[0]!.event.data;
  expect(redirectHtml).toBeDefined();
  traces.events.push({ ...traces.events[0]!, event: { ...traces.events[0]!.event, data } });
  expect(refereeOf(traces)).toMatchObject({ violations: [], publishedTwice: 1 });
});

it('does not miss an untagged report that operators see beside the doubt: it may be of another publisher', () => {
  const traces = cleanTraces();
  const untag = (index: number) => {
    const one = traces.journal[index]!;
    traces.journal[index] = { ...one, record: { ...one.record, tag: undefined } as JournalRecord };
  };
  const doubt = recordOf(traces, 'IN_DOUBT');
  untag(doubt - 1);
  untag(doubt + 1);
  expect(detailsOf(traces, 'lost').filter((detail) => /stays in doubt/.test(detail))).toEqual([]);
  traces.journal.splice(doubt + 1, 1);
  expect(detailsOf(traces, 'lost')).toContainEqual(expect.stringMatching(/c2 of run-1 stays in doubt/));
});

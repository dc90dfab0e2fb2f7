import type { Fault } from '@tranche/contracts';
import { OrderUnreadableError } from '../journal/journal-faults.js';
import { operationTag } from '../state/extradata-tag.js';
import { fold } from '../state/fold.js';
import { emptyOrder, findOperation, type OrderState, verdictOf } from '../state/order-state.js';
import type { Intent, JournalRecord } from '../state/records.js';
import { CommandExecutor } from './command-executor.js';
import type { CommandCopy, ExecutorJournal, ExecutorPlatform, ExecutorTiming } from './executor-ports.js';
import { giveUpWith, LEAVE_ALONE, PUT_IN_DOUBT, type KnownCommandPolicy } from './known-command.js';

const AT = '2026-03-01T10:00:00.000Z';
const ORDER = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'order-1', at: AT };
const OPERATION = { ...ORDER, commandId: 'c1' };
const COMMAND: CommandCopy = { merchant: 'shop-fr', orderId: 'order-1', commandId: 'c1', contentHash: 'same' };
const fault: Fault = { path: 'merchant', code: 'unknown_merchant', message: 'is not configured' };

const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'same', amount: 100 } as const;
const intent: JournalRecord = { record: 'INTENT', ...OPERATION, attempt: 1, token: 't1', ...terms };
const refused: JournalRecord = {
  record: 'OUTCOME',
  ...OPERATION,
  attempt: 1,
  token: 't1',
  result: 'refused',
  answer: { execCode: '4001', transactionId: 'T1' },
};
const notExecuted: JournalRecord = {
  record: 'NOT_EXECUTED',
  ...OPERATION,
  attempt: 1,
  token: 't1',
  reason: 'unreachable',
  message: 'no',
};

/** The journal of one order. `later`: records that others append during a wait. `unread`: records that the tail has not read. */
function journalOf(records: JournalRecord[], later: JournalRecord[] = [], unread: JournalRecord[] = []) {
  const appended: JournalRecord[] = [];
  let readsToEnd = 0;
  let order: OrderState = emptyOrder('shop-fr', 'order-1');
  let offset = 0n;
  const take = (record: JournalRecord) => (order = fold(order, record, offset++).order);
  records.forEach(take);
  const append = (record: JournalRecord) => {
    appended.push(record);
    take(record);
    return Promise.resolve(offset);
  };
  return {
    appended,
    order: () => order,
    readsToEnd: () => readsToEnd,
    readToEnd: () => {
      readsToEnd++;
      unread.splice(0).forEach(take);
      return Promise.resolve(order);
    },
    read: () => Promise.resolve(order),
    append,
    appendAndRead: (record: JournalRecord) => append(record).then(() => order),
    appendIntent: (record: Intent) =>
      append(record).then(() => ({ after: order, verdict: verdictOf(order, record.token) ?? 'lost' })),
    waitForRecordAfter: () => Promise.resolve(take(later.shift()!)),
  };
}

const leaseWith = (lateSlot: () => unknown) => ({
  signal: new AbortController().signal,
  releaseSlotWhile: async <T>(wait: () => Promise<T>) => {
    const waited = await wait();
    lateSlot();
    return waited;
  },
});
const lease = leaseWith(() => undefined);
type Republish = ExecutorTiming['repeats']['republish'];
const executorOf = (
  journal: ReturnType<typeof journalOf>,
  republish: Republish = async (_copy, _lease, append) => void (await append()),
) =>
  new CommandExecutor(
    journal as unknown as ExecutorJournal,
    { newToken: () => 'new' } as ExecutorPlatform<never, never, never>,
    { clock: { nowMs: () => Date.parse(AT) }, repeats: { republish } } as unknown as ExecutorTiming,
  );
const answer = (
  journal: ReturnType<typeof journalOf>,
  command = COMMAND,
  policy: KnownCommandPolicy = giveUpWith(fault),
) => executorOf(journal).answerKnown(command, policy, lease);

it('does not know a command that its order never had', async () => {
  const journal = journalOf([]);
  expect(await answer(journal)).toBe('not_taken');
  expect([journal.appended, journal.readsToEnd()]).toEqual([[], 1]);
});

it.each([LEAVE_ALONE, PUT_IN_DOUBT])(
  'reads no log to its end where nobody is told that it is not known',
  async (policy) => {
    const journal = journalOf([]);
    expect([await answer(journal, COMMAND, policy), journal.readsToEnd()]).toEqual(['not_taken', 0]);
  },
);

describe('the log holds the command, and the tail has not read it', () => {
  it('the result is republished where it has ended: no rejection is published', async () => {
    const journal = journalOf([], [], [intent, refused]);
    expect(await answer(journal)).toBe('done');
    expect(journal.appended).toEqual([{ record: 'REPEATED', ...OPERATION }]);
  });

  it('the end of a call that is under way is waited for', async () => {
    const journal = journalOf([], [refused], [intent]);
    expect(await answer(journal)).toBe('done');
    expect(journal.appended).toEqual([]);
  });

  it('its id with other content is reused', async () => {
    const journal = journalOf([], [], [intent, refused]);
    expect(await answer(journal, { ...COMMAND, contentHash: 'other' })).toBe('reused');
  });
});

it.each([
  ['left_alone', LEAVE_ALONE],
  ['in_doubt', PUT_IN_DOUBT],
])('asks for no end of the log where nothing is published: %s', async (_which, policy) => {
  const journal = journalOf([]);
  expect(await answer(journal, COMMAND, policy)).toBe('not_taken');
  expect(journal.readsToEnd()).toBe(0);
});

it('repeats the result of a command that has ended', async () => {
  const journal = journalOf([intent, refused]);
  expect(await answer(journal)).toBe('done');
  expect(journal.appended).toEqual([{ record: 'REPEATED', ...OPERATION }]);
});

it('does not republish a result that was published a moment ago', async () => {
  const journal = journalOf([intent, refused]);
  const executor = executorOf(journal, () => Promise.resolve());
  expect(await executor.answerKnown(COMMAND, giveUpWith(fault), lease)).toBe('done');
  expect(journal.appended).toEqual([]);
});

it('returns `reused` where the id was used for other content, and appends nothing', async () => {
  const journal = journalOf([intent, refused]);
  expect(await answer(journal, { ...COMMAND, contentHash: 'other' })).toBe('reused');
  expect(journal.appended).toEqual([]);
});

it('waits for the call that is under way, whose own event is the answer', async () => {
  const journal = journalOf([intent], [refused]);
  expect(await answer(journal)).toBe('done');
  expect(journal.appended).toEqual([]);
});

it('gives up a command between two attempts, with the fault', async () => {
  const journal = journalOf([intent, notExecuted]);
  expect(await answer(journal)).toBe('done');
  expect(journal.appended).toMatchObject([{ record: 'GIVEN_UP', attempt: 2, code: 'unknown_merchant' }]);
  expect(findOperation(journal.order(), 'c1')).toMatchObject({ phase: 'ended', end: 'given_up' });
});

it('leaves a command between two attempts as it is where the sender of the copy is not proved', async () => {
  const journal = journalOf([intent, notExecuted]);
  expect(await answer(journal, COMMAND, LEAVE_ALONE)).toBe('not_taken');
  expect(journal.appended).toEqual([]);
  expect(findOperation(journal.order(), 'c1')?.phase).toBe('idle');
});

describe('records were lost, among which its next attempt may be', () => {
  it('a command between two attempts is in doubt, under terms that its attempts had', async () => {
    const journal = journalOf([intent, notExecuted]);
    expect(await answer(journal, COMMAND, PUT_IN_DOUBT)).toBe('done');
    const ofAttempt = { ...OPERATION, attempt: 2, token: 'new' };
    expect(journal.appended).toEqual([
      { record: 'INTENT', ...ofAttempt, ...terms },
      { record: 'IN_DOUBT', ...ofAttempt, reason: 'owner_lost', message: expect.any(String) as string },
    ]);
    expect(findOperation(journal.order(), 'c1')).toMatchObject({ phase: 'in_doubt', attempt: 2 });
  });

  it('its doubt is settled by evidence with its tag, where its attempts were tagged', async () => {
    const journal = journalOf([{ ...intent, tag: operationTag('c1') }, notExecuted]);
    await answer(journal, COMMAND, PUT_IN_DOUBT);
    const tag = { operation: operationTag('c1'), attempt: 2 };
    const reported = { source: 'notification', operation: 'authorize', result: 'succeeded' } as const;
    await journal.append({ record: 'EVIDENCE', ...ORDER, ...reported, tag, answer: { transactionId: 'T2' } });
    expect(findOperation(journal.order(), 'c1')).toMatchObject({ phase: 'ended', end: 'succeeded' });
  });

  it('one that waits for another operation of its order stays as it is until that one has ended', async () => {
    const other = { ...intent, commandId: 'c2', token: 't2', contentHash: 'of c2' } as const;
    const otherRefused = { ...refused, commandId: 'c2', token: 't2' } as const;
    const journal = journalOf([intent, notExecuted, other], [otherRefused]);
    expect(await answer(journal, COMMAND, PUT_IN_DOUBT)).toBe('done');
    expect(journal.appended.map(({ record }) => record)).toEqual(['INTENT', 'IN_DOUBT']);
  });

  it('one that the records which were kept would refuse stays as it is: a refusal would say that it was not executed', async () => {
    const other = { ...intent, commandId: 'c2', token: 't2', contentHash: 'of c2' } as const;
    const paid = {
      ...refused,
      commandId: 'c2',
      token: 't2',
      result: 'succeeded',
      answer: { execCode: '0000' },
    } as const;
    const journal = journalOf([intent, notExecuted, other, paid]);
    await answer(journal, COMMAND, PUT_IN_DOUBT);
    expect([journal.appended, findOperation(journal.order(), 'c1')?.phase]).toEqual([[], 'idle']);
  });

  it('one that another process has just begun is left to it', async () => {
    const begun = { ...intent, attempt: 2, token: 't2' } as const;
    const journal = journalOf([intent, notExecuted]);
    const before = journal.appendIntent;
    journal.appendIntent = async (record) => (await journal.append(begun), before(record));
    const waits = answer(journal, COMMAND, PUT_IN_DOUBT);
    await expect(waits).rejects.toThrow();
    expect(findOperation(journal.order(), 'c1')).toMatchObject({ phase: 'open', token: 't2' });
  });

  it('an ended one is repeated, and one that the order does not have is unknown', async () => {
    expect(await answer(journalOf([intent, refused]), COMMAND, PUT_IN_DOUBT)).toBe('done');
    expect(await answer(journalOf([]), COMMAND, PUT_IN_DOUBT)).toBe('not_taken');
  });
});

it('gives up nothing by the order that it had before its slot came back', async () => {
  const journal = journalOf([intent], [notExecuted, { ...intent, attempt: 2, token: 't2' }, { ...refused, attempt: 2, token: 't2' }]); // prettier-ignore
  const late = leaseWith(() => [1, 2].forEach(() => void journal.waitForRecordAfter()));
  expect(await executorOf(journal).answerKnown(COMMAND, giveUpWith(fault), late)).toBe('done');
  expect(journal.appended).toEqual([]);
});

it('waits while its order can not be read, and answers then', async () => {
  const journal = journalOf([intent, refused]);
  const { read } = journal;
  const waited: string[] = [];
  journal.read = () => (waited.length > 0 ? read() : Promise.reject(new OrderUnreadableError('the owner reads it')));
  const whenReadable = (_merchant: string, orderId: string) => Promise.resolve(void waited.push(orderId));
  const readable = { ...journal, whenReadable, stoppedFor: () => undefined };
  expect(await answer(readable)).toBe('done');
  expect([waited, journal.appended.length]).toEqual([['order-1'], 1]);
});

import type { CallResult } from '@tranche/contracts';
import {
  AgreedClock,
  CommandExecutor,
  emptyOrder,
  findOperation,
  fold,
  OrderUnreadableError,
  RULES_VERSION,
  verdictOf,
  type CommandLease,
  type Intent,
  type IntentVerdict,
  type JournalRecord,
  type OrderState,
} from '@tranche/order-journal';
import { aCapture, aPartnerAAuthorization } from '@tranche/testing';
import type { PlatformCaller, PlatformForm } from '../platform/platform-caller.service.js';
import type { RailBreakers } from '../platform/rail-breakers.service.js';
import type { AcceptedCommand } from './accepted-command.js';
import { PaymentPlatform, PaymentTiming } from './payment-platform.service.js';
import { RepublishThrottle } from './republish-throttle.js';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');
const merchant = {
  merchant: 'shop-fr',
  identifier: 'SHOP',
  accountKey: 'k',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
} as const;

/** The journal of one order, in memory. An appended record is folded at once. */
class JournalInMemory {
  readonly records: JournalRecord[] = [];
  order: OrderState = emptyOrder('shop-fr', 'order-1');
  /** Runs before the record of this kind is appended. */
  before: Partial<Record<JournalRecord['record'], () => void | Promise<void>>> = {};

  waits = 0;
  /** State by records that the log holds and the tail has not read. */
  unread?: OrderState;
  readToEnd = () => Promise.resolve((this.order = this.unread ?? this.order));
  stopped?: string;
  /** Set to stop a partition, not necessarily this order's. */
  stoppedBecause?: string;
  stoppedFor = () => this.stopped;
  read = () => Promise.resolve(this.order);
  whenReadable = () => Promise.resolve(void this.waits++);
  async append(record: JournalRecord): Promise<bigint> {
    await this.before[record.record]?.();
    this.records.push(record);
    this.order = fold(this.order, record, BigInt(this.records.length)).order;
    return BigInt(this.records.length);
  }
  async appendAndRead(record: JournalRecord): Promise<OrderState> {
    await this.append(record);
    return this.order;
  }
  async appendIntent(intent: Intent): Promise<{ after: OrderState; verdict: IntentVerdict }> {
    const after = await this.appendAndRead(intent);
    const verdict = verdictOf(after, intent.token);
    if (verdict === undefined) throw new OrderUnreadableError((this.stopped = 'the journal was replaced'));
    return { after, verdict };
  }
  appendWithRetry = (record: JournalRecord) => this.appendAndRead(record);
  waitForRecordAfter = () => Promise.resolve(this.order);
  get kinds(): string[] {
    return this.records.map(({ record }) => record);
  }
}

interface Story {
  journal: JournalInMemory;
  calls: PlatformForm[];
  /** Index of the platform's URL of each call. */
  urls: number[];
  /** Each `leave` of a permit: the call's result, and whether it was the last URL. */
  left: [record: string | undefined, isLastUrl: boolean][];
  payments: { handle(command: AcceptedCommand): Promise<string> };
  clock: { wallMs: number; monotonicMs: number };
  /** Number of journal records at each `warmUp`. */
  warm: number[];
  /** Runs while a bearer token is requested. */
  whileAsked: { act: () => Promise<void> };
  /** Runs after a wait has ended and before the slot is taken again. */
  lateSlot: { act: () => Promise<void> };
  /** The rail lets nobody in for so many waits, and was waited for so often. */
  rail: { closed: number; waits: number };
}

function story(answers: CallResult[], { bearer, urlCount = 1 }: { bearer?: 'refused'; urlCount?: number } = {}): Story {
  const journal = new JournalInMemory();
  const calls: PlatformForm[] = [];
  const urls: number[] = [];
  const warm: number[] = [];
  const whileAsked: Story['whileAsked'] = { act: () => Promise.resolve() };
  const left: Story['left'] = [];
  const clock = { wallMs: NOW, monotonicMs: 0 };
  const platform = {
    urlCount,
    answeringUrl: 0,
    bearerFor: async () => {
      await whileAsked.act();
      return bearer;
    },
    warmUp: () => Promise.resolve(void warm.push(journal.kinds.length)),
    send: (form: PlatformForm, { maySend, url }: { maySend: () => boolean; url: number }) => {
      calls.push(form);
      urls.push(url);
      return Promise.resolve(
        maySend()
          ? (answers.shift() ?? succeeded())
          : ({ record: 'NOT_EXECUTED', reason: 'send_deadline', message: '' } as const),
      );
    },
  };
  const injected = new AgreedClock({
    nowMs: () => clock.wallMs,
    monotonicMs: () => clock.monotonicMs,
    sleep: (ms) => {
      clock.wallMs += ms;
      clock.monotonicMs += ms;
      return Promise.resolve();
    },
  });
  const leave = (result: CallResult | undefined, isLastUrl: boolean) => void left.push([result?.record, isLastUrl]);
  const rail = { closed: 0, waits: 0 };
  const gate = {
    enter: () => (rail.closed > 0 ? undefined : { leave }),
    wait: () => {
      rail.closed--;
      return Promise.resolve(void rail.waits++);
    },
    blockedMs: () => 0,
  };
  const lateSlot: Story['lateSlot'] = { act: () => Promise.resolve() };
  const lease: CommandLease = {
    signal: new AbortController().signal,
    releaseSlotWhile: (wait) => wait().finally(() => lateSlot.act()),
  };
  const executor = new CommandExecutor(
    journal,
    new PaymentPlatform(platform as unknown as PlatformCaller, injected),
    new PaymentTiming(injected, gate as unknown as RailBreakers, new RepublishThrottle(injected)),
  );
  const payments = { handle: (command: AcceptedCommand) => executor.execute(command, lease) };
  return { journal, calls, urls, left, payments, clock, warm, whileAsked, lateSlot, rail };
}

const inOrder = {
  rulesVersion: RULES_VERSION,
  merchant: 'shop-fr',
  orderId: 'order-1',
  at: new Date(NOW).toISOString(),
};
const succeeded = (transactionId = 'T1'): CallResult => ({
  record: 'OUTCOME',
  result: 'succeeded',
  answer: { execCode: '0000', transactionId },
});
const notExecuted = (execCode: string): CallResult => ({
  record: 'NOT_EXECUTED',
  reason: 'execcode',
  message: '',
  execCode,
});
const authorization = (commandId = 'a', change: Partial<AcceptedCommand> = {}) =>
  ({
    ...{
      operation: 'authorize',
      data: aPartnerAAuthorization({ orderId: 'order-1' }),
      commandId,
      timeMs: NOW,
      rail: 'partner-a',
      merchant,
    },
    ...{ orderKey: 'shop-fr/order-1', orderId: 'order-1', contentHash: `hash-${commandId}` },
    ...change,
  }) as AcceptedCommand;
const capture = (commandId = 'c') =>
  authorization(commandId, {
    operation: 'capture',
    data: aCapture({ orderId: 'order-1', transactionId: undefined, amount: undefined }),
  } as never);

it('asks the journal, sends once, and journals the outcome', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, calls.length]).toEqual([['INTENT', 'OUTCOME'], 1]);
});

it('waits without an in-flight slot while the order can not be read, and then continues', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  let failures = 2;
  const { read } = journal;
  journal.read = () => (failures-- > 0 ? Promise.reject(new OrderUnreadableError('the index is lost')) : read());
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.waits, calls.length]).toEqual([2, 1]);
});

it('waits so also while another partition is stopped: it is woken when its own can be read', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  journal.stoppedBecause = 'another partition is stopped';
  let failures = 1;
  const { read } = journal;
  journal.read = () => (failures-- > 0 ? Promise.reject(new OrderUnreadableError('the index is lost')) : read());
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.waits, calls.length]).toEqual([1, 1]);
});

it('does not wait where its own partition is stopped', async () => {
  const { journal, calls, payments } = story([]);
  journal.stopped = 'a record can not be read';
  journal.read = () => Promise.reject(new OrderUnreadableError('a record can not be read'));
  await expect(payments.handle(authorization())).rejects.toThrow('a record can not be read');
  expect([journal.waits, calls.length]).toEqual([0, 0]);
});

it('sends nothing where the verdict can not be read, waits until the order can be, and then makes another attempt', async () => {
  const { journal, calls, left, payments } = story([succeeded()]);
  const appendAndRead = journal.appendAndRead.bind(journal);
  journal.appendAndRead = async (record) => {
    await journal.append(record);
    journal.appendAndRead = appendAndRead;
    throw new OrderUnreadableError('the index is lost');
  };
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, journal.waits, calls.length]).toEqual([['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME'], 1, 1]);
  expect(left).toEqual([
    [undefined, true],
    ['OUTCOME', true],
  ]);
});

it('writes one INTENT and stops its partition where the fold does not know it, as in a journal that was made anew: nothing is sent', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  journal.append = (record) => Promise.resolve(BigInt(journal.records.push(record) - 1));
  await expect(payments.handle(authorization())).rejects.toThrow('the journal was replaced');
  expect([journal.kinds, journal.waits, calls.length]).toEqual([['INTENT', 'NOT_EXECUTED'], 0, 0]);
});

it('takes no further operation of an order that has 200, and writes nothing of it', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  await payments.handle(authorization());
  const [first] = journal.order.operations;
  const others = Array.from({ length: 199 }, (_, number) => ({ ...first!, commandId: `b${number}` }));
  journal.order = { ...journal.order, operations: [first!, ...others] };
  expect(await payments.handle(capture())).toBe('not_taken');
  expect([journal.kinds, calls.length]).toEqual([['INTENT', 'OUTCOME'], 1]);
  // A known command still gets its result.
  expect(await payments.handle(authorization())).toBe('done');
});

it('republishes the result of a command that its full order has and the tail has not read', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  await payments.handle(authorization());
  const [first] = journal.order.operations;
  const others = Array.from({ length: 200 }, (_, number) => ({ ...first!, commandId: `b${number}` }));
  journal.unread = { ...journal.order, operations: [first!, ...others.slice(1)] };
  journal.order = { ...journal.order, operations: others };
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, calls.length]).toEqual([['INTENT', 'OUTCOME', 'REPEATED'], 1]);
});

it('tries the other URL after one that could not be reached, and tells the gate when none is left', async () => {
  const { urls, left, payments } = story(
    [{ record: 'NOT_EXECUTED', reason: 'unreachable', message: '' }, succeeded()],
    { urlCount: 2 },
  );
  expect(await payments.handle(authorization())).toBe('done');
  expect(urls).toEqual([0, 1]);
  expect(left).toEqual([
    ['NOT_EXECUTED', false],
    ['OUTCOME', true],
  ]);
});

it('republishes the result when the command is redelivered', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  await payments.handle(authorization());
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, calls.length]).toEqual([['INTENT', 'OUTCOME', 'REPEATED'], 1]);
});

it('sends nothing for an id that was used for another content', async () => {
  const { calls, payments } = story([succeeded()]);
  await payments.handle(authorization());
  expect(await payments.handle(authorization('a', { contentHash: 'other' }))).toBe('reused');
  expect(calls).toHaveLength(1);
});

it('sends nothing when the fold rejects the intent', async () => {
  const { journal, calls, payments } = story([succeeded()]);
  await payments.handle(authorization('a'));
  await payments.handle(authorization('b'));
  expect([journal.kinds, calls.length]).toEqual([['INTENT', 'OUTCOME', 'INTENT'], 1]);
  expect(findOperation(journal.order, 'b')?.end).toBe('rejected');
});

it.each([
  ['the same command', 'a', 'lost'],
  ['another command of its order', 'b', 'busy'],
])('sends nothing where another process was granted %s first', async (_, commandId, verdict) => {
  const { journal, calls, payments } = story([succeeded()]);
  const other = story([succeeded('T2')]);
  await other.payments.handle(authorization(commandId));
  const [intent, outcome] = other.journal.records;
  journal.before.INTENT = async () => {
    journal.before = {};
    await journal.append(intent!);
  };
  journal.waitForRecordAfter = async () => {
    await journal.append(outcome!);
    return journal.order;
  };
  await payments.handle(authorization('a'));
  expect(calls).toEqual([]);
  expect(journal.order.verdicts.slice(0, 2).map(([, said]) => said)).toEqual(['granted', verdict]);
});

it('makes a second attempt after one that was not executed', async () => {
  const { journal, calls, payments } = story([notExecuted('5003'), succeeded()]);
  await payments.handle(authorization());
  expect([journal.kinds, calls.length]).toEqual([['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME'], 2]);
});

it('gives up an authorization that the platform was too busy for', async () => {
  const { journal, payments } = story([notExecuted('2006')]);
  await payments.handle(authorization());
  expect(journal.kinds).toEqual(['INTENT', 'NOT_EXECUTED', 'GIVEN_UP']);
  expect(findOperation(journal.order, 'a')?.latest?.body).toMatchObject({ retryable: true, retryAfterSeconds: 60 });
});

it('leaves a doubt alone [Limits.card-token.once]', async () => {
  const { journal, calls, payments } = story([{ record: 'IN_DOUBT', reason: 'timeout', message: '' }]);
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, calls.length]).toEqual([['INTENT', 'IN_DOUBT'], 1]);
});

it('sends nothing when the verdict came after the send deadline', async () => {
  const { journal, payments, clock } = story([]);
  journal.before.INTENT = () => {
    clock.monotonicMs += 2_001;
    journal.before = {};
  };
  await payments.handle(authorization());
  expect(journal.kinds).toEqual(['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME']);
  expect(journal.records[1]).toMatchObject({ reason: 'send_deadline' });
});

it('withdraws an intent whose verdict it could not read', async () => {
  const { journal, calls, left, payments } = story([]);
  journal.appendAndRead = async (record) => {
    await journal.append(record);
    throw new Error('the journal is closing');
  };
  await expect(payments.handle(authorization())).rejects.toThrow('the journal is closing');
  expect([journal.kinds, calls]).toEqual([['INTENT', 'NOT_EXECUTED'], []]);
  expect(left).toEqual([[undefined, true]]);
  expect(findOperation(journal.order, 'a')?.phase).toBe('idle');
  expect(journal.records[1]).toMatchObject({
    reason: 'send_deadline',
    message: 'The verdict on the intent could not be read; nothing was sent',
  });
});

it('rejects a command before sending that is too old, or names no transaction', async () => {
  const { journal, calls, payments, clock } = story([]);
  await payments.handle(capture());
  expect(findOperation(journal.order, 'c')?.latest?.body.faults?.map(({ code }) => code)).toEqual([
    'transaction_unknown',
  ]);
  clock.wallMs += 8 * 86_400_000;
  await payments.handle(authorization());
  expect(findOperation(journal.order, 'a')?.latest?.body.faults?.map(({ code }) => code)).toEqual(['command_too_old']);
  expect([journal.kinds, calls]).toEqual([['REJECTED', 'REJECTED'], []]);
});

it('captures the authorization that the order shows, with its method', async () => {
  const { calls, payments, journal } = story([succeeded('T-auth'), succeeded('T-capture')]);
  await payments.handle(authorization());
  await payments.handle(capture());
  expect(new URLSearchParams(calls[1]?.body).get('params[TRANSACTIONID]')).toBe('T-auth');
  expect(findOperation(journal.order, 'c')).toMatchObject({ amount: 30000, reference: 'T-auth', method: 'A' });
});

it('rejects when the token service refuses the account', async () => {
  const { journal, calls, payments } = story([], { bearer: 'refused' });
  await payments.handle(authorization());
  expect([journal.kinds, calls]).toEqual([['REJECTED'], []]);
  const [rejected] = journal.records;
  expect(rejected).toMatchObject({
    operation: 'authorize',
    attempt: 1,
    faults: [{ path: '', code: 'auth_refused', message: 'The token service refused the account’s credentials' }],
  });
  expect(rejected).not.toHaveProperty('seen');
});

it('says what its INTENT rests on: the order where it names what came before, and the tag where its form has one', async () => {
  const { journal, payments } = story([succeeded('T-auth'), succeeded('T-capture')]);
  await payments.handle(authorization());
  await payments.handle(capture());
  const [first, , second] = journal.records;
  expect(first).toMatchObject({ record: 'INTENT', tag: expect.any(String) as string });
  expect(first).not.toHaveProperty('seen');
  expect(second).toMatchObject({ record: 'INTENT', seen: expect.any(String) as string });
  const { journal: empty, payments: others } = story([]);
  await others.handle(capture());
  expect(empty.records).toMatchObject([{ record: 'REJECTED', seen: '-1', faults: [{ code: 'transaction_unknown' }] }]);
});

it('waits where its rail lets nobody in, sends once it does, and pauses no second time', async () => {
  const { journal, calls, rail, payments, clock } = story([notExecuted('5003'), succeeded()]);
  rail.closed = 2;
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, calls.length, rail.waits]).toEqual([['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME'], 2, 2]);
  expect(clock.monotonicMs).toBeGreaterThan(0);
});

it.each([undefined, 'refused'] as const)(
  'decides anew where its order moved while it waited, bearer token %s: a log that lost what it read since would believe it',
  async (bearer) => {
    const { journal, calls, left, payments, whileAsked } = story([], { bearer });
    whileAsked.act = async () => {
      whileAsked.act = () => Promise.resolve();
      const other = story([succeeded()]);
      await other.payments.handle(authorization());
      for (const record of other.journal.records) await journal.append(record);
    };
    expect(await payments.handle(authorization())).toBe('done');
    expect([journal.kinds, calls]).toEqual([['INTENT', 'OUTCOME'], []]);
    expect(left).toEqual(bearer ? [] : [[undefined, true]]);
  },
);

it('gives up nothing by the order that it had before its slot came back', async () => {
  const { journal, calls, payments, lateSlot } = story([]);
  const other = story([notExecuted('2006')]);
  await other.payments.handle(authorization());
  const [intent, busy] = other.journal.records;
  await journal.append(intent!);
  journal.waitForRecordAfter = async () => {
    await journal.append(busy!);
    return journal.order;
  };
  lateSlot.act = async () => {
    const again = { ...(intent as Intent), attempt: 2, token: 'again' };
    await journal.append(again);
    await journal.append({ ...inOrder, commandId: 'a', attempt: 2, token: 'again', ...succeeded() });
  };
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, calls]).toEqual([['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME'], []]);
});

it('serves the pause between two attempts once, however often its order moves', async () => {
  const { journal, payments, clock, whileAsked } = story([notExecuted('5003'), succeeded()]);
  let moves = 4;
  whileAsked.act = async () => {
    if (journal.kinds.includes('NOT_EXECUTED') && moves-- > 0)
      await journal.append({ record: 'REPEATED', ...inOrder, commandId: 'a' });
  };
  await payments.handle(authorization());
  expect([journal.kinds.filter((kind) => kind !== 'REPEATED'), moves]).toEqual([
    ['INTENT', 'NOT_EXECUTED', 'INTENT', 'OUTCOME'],
    -1,
  ]);
  const { clock: undisturbed, payments: others } = story([notExecuted('5003'), succeeded()]);
  await others.handle(authorization());
  expect(clock.monotonicMs).toBe(undisturbed.monotonicMs);
});

it('returns its permit where the order can not be read before the INTENT, and is retried', async () => {
  const { journal, calls, left, payments, whileAsked } = story([succeeded()]);
  const { read } = journal;
  whileAsked.act = () => {
    whileAsked.act = () => Promise.resolve();
    journal.read = () => {
      journal.read = read;
      return Promise.reject(new OrderUnreadableError('the index is lost'));
    };
    return Promise.resolve();
  };
  expect(await payments.handle(authorization())).toBe('done');
  expect([journal.kinds, journal.waits, calls.length]).toEqual([['INTENT', 'OUTCOME'], 1, 1]);
  expect(left).toEqual([
    [undefined, true],
    ['OUTCOME', true],
  ]);
});

it('has a connection before the INTENT of each attempt', async () => {
  const { warm, payments } = story([notExecuted('5003'), succeeded()]);
  await payments.handle(authorization());
  expect(warm).toEqual([0, 2]);
});

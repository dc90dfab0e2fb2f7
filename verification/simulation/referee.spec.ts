import { toCloudEvent, type JournalRecord, type OrderState } from '@tranche/order-journal';
import type { SimulatedCommand } from './commands.js';
import type { LedgerEntry } from './platform.js';
import { brokenGuard } from './ledger-guards.js';
import { Referee } from './referee.js';
import { checkBackOffice } from './final-check.js';
import { checkSecondPayments, untrueConflict } from './ledger-guards.js';

const key = 'shop-fr/o1';
const head = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'o1', at: '2026-03-01T10:00:00.000Z' };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 20_000 } as const;

function refereeOfLedger(): { referee: Referee; ledger: LedgerEntry[]; kinds: () => string[] } {
  const ledger: LedgerEntry[] = [];
  const referee = new Referee({ nowMs: () => 0, platform: { ledger, byHand: [] }, hasPages: () => true });
  return { referee, ledger, kinds: () => referee.violations.map(({ kind }) => kind) };
}

function entry(
  commandId: string,
  more: Partial<Omit<LedgerEntry, 'request'>> & { request?: Partial<LedgerEntry['request']> } = {},
): LedgerEntry {
  const by = { commandId, attempt: 1, token: 't' };
  const request = { orderKey: key, operation: 'authorize' as const, method: 'A', by, ...more.request };
  const rest = { transactionId: `T-${commandId}`, standing: 'succeeded' as const, execCode: '0000', amount: 20_000 };
  return { ...rest, atMs: 0, wasRedirect: false, wasExpired: false, isReported: false, ...more, request };
}

function execute({ referee, ledger }: ReturnType<typeof refereeOfLedger>, ...entries: LedgerEntry[]): void {
  for (const one of entries) {
    ledger.push(one);
    referee.executed(one);
  }
}

const record = (commandId: string, offset: bigint, command: Partial<SimulatedCommand> = {}) => ({
  topic: 'commands',
  partition: 0,
  offset,
  key,
  atMs: 0,
  value: { commandId, orderKey: key, contentHash: commandId, ...command } as SimulatedCommand,
});

const intent = (commandId: string): JournalRecord => ({
  record: 'INTENT',
  ...head,
  ...terms,
  commandId,
  attempt: 1,
  token: commandId,
  contentHash: commandId,
});

const outcome = (commandId: string, result: 'redirect_required' | 'succeeded'): JournalRecord => ({
  ...{ record: 'OUTCOME', ...head, commandId, attempt: 1, token: commandId, result },
  answer: { execCode: result === 'redirect_required' ? '0002' : '0000', transactionId: `T-${commandId}` },
});

const evidence = (operation: 'authorize' | 'refund', transactionId: string, more: object = {}) =>
  ({
    ...{ record: 'EVIDENCE', ...head, source: 'notification', operation, result: 'succeeded' },
    answer: { execCode: '0000', transactionId },
    ...more,
  }) as JournalRecord;
const reported = (commandId: string) => evidence('authorize', `T-${commandId}`, { commandId, attempt: 1 });

function land(referee: Referee, ...records: JournalRecord[]): void {
  for (const [offset, one] of records.entries())
    referee.landed({ key, record: one, offset: BigInt(offset), partition: 0, value: Buffer.alloc(0), atMs: 0 });
}

/** An operation of another that names its transaction. */
const following = (commandId: string, operation: 'capture' | 'void', more: { atMs?: number } = {}) =>
  entry(commandId, { ...more, request: { operation, transactionId: 'T-A' } });
const known = (operation: object) => ({ operations: [{ commandId: 'A', ...operation }] }) as unknown as OrderState;

it('sees an operation that was executed twice', () => {
  const one = refereeOfLedger();
  execute(one, entry('A'), entry('A'));
  expect(one.kinds()).toContain('executedTwice');
});

it.each<[string, LedgerEntry[], boolean]>([
  ['two live payments', [entry('A'), entry('B')], true],
  ['a payment after a refused one', [entry('A', { standing: 'refused' }), entry('B')], false],
  [
    'a redirect and the one that takes its place',
    [
      entry('A', { standing: 'redirect_required', wasRedirect: true }),
      entry('B', { request: { by: { commandId: 'B', attempt: 1, token: 't', supersedes: 'A' } } }),
    ],
    false,
  ],
  ['two captures', [entry('A'), following('C1', 'capture'), following('C2', 'capture')], true],
])('looks at the guards: %s', (_what, entries, isBroken) => {
  const one = refereeOfLedger();
  execute(one, ...entries);
  expect(one.kinds().includes('guardBroken')).toBe(isBroken);
});

const voiding = following('V', 'void');

it.each<[LedgerEntry['standing'], object, boolean]>([
  ['redirect_required', { phase: 'redirect_required' }, false],
  ['pending', { phase: 'pending' }, false],
  ['refused', { phase: 'redirect_required' }, false],
  ['refused', { phase: 'ended', end: 'refused' }, true],
])('a void of an authorization that is %s, and %j in the journal, breaks a guard: %s', (standing, phase, isBroken) => {
  const ledger = [entry('A', { standing }), voiding];
  expect(brokenGuard(voiding, { ledger, byHand: [] }, known(phase)) !== undefined).toBe(isBroken);
});

it('a void that was granted before the journal had the refusal breaks no guard, however late it arrives', () => {
  const books = { ledger: [entry('A', { standing: 'refused' }), voiding], byHand: [] };
  const refused = known({ phase: 'ended', end: 'refused' });
  expect(brokenGuard(voiding, books, refused, known({ phase: 'redirect_required' }))).toBeUndefined();
  expect(brokenGuard(voiding, books, refused, refused)).toMatch(/refused/);
});

it('sees a command that overtakes an earlier one of its key', () => {
  const { referee, kinds } = refereeOfLedger();
  referee.commands.push(record('A', 0n), record('B', 1n));
  land(referee, intent('B'));
  expect(kinds()).toEqual(['outOfOrder']);
});

it('sees a commit that passes what is not finished, by offset and by metadata', () => {
  const { referee, kinds } = refereeOfLedger();
  const open = { offset: 4n, isFinished: () => false, name: 'A' };
  referee.committed([open], 4n, new Set());
  expect(kinds()).toEqual([]);
  referee.committed([open], 5n, new Set());
  referee.committed([open], 2n, new Set([4n]));
  expect(kinds()).toEqual(['frontierPassed', 'frontierPassed']);
});

it('sees an event that changes, and one that comes behind a later one', () => {
  const { referee, kinds } = refereeOfLedger();
  const events = (['in_doubt', 'doubt_resolved'] as const).map((name, at) =>
    toCloudEvent(referee.order(key), {
      type: `payment.authorize.${name}`,
      offset: String(at),
      time: head.at,
      body: { commandId: 'A' },
    }),
  );
  referee.publishedEvents([events[1]!]);
  referee.publishedEvents([events[1]!]);
  expect(kinds()).toEqual([]);
  referee.publishedEvents([{ ...events[1]!, data: { ...events[1]!.data, amount: 1 } }]);
  referee.publishedEvents([events[0]!]);
  expect(kinds()).toEqual(['eventsBroken', 'eventsBroken']);
});

it.each([
  ['whose success came after its void, and was known', 2, 'succeeded', true],
  ['whose success came after its void, and was not known', 2, undefined, false],
  ['whose success was voided', 1, 'succeeded', false],
])('a payment beside one %s breaks a guard: %#', (_what, settledMs, end, isBroken) => {
  const payment = entry('B', { atMs: 3 });
  const ledger = [entry('A', { settledMs }), following('V', 'void', { atMs: 1 }), payment];
  expect(brokenGuard(payment, { ledger, byHand: [] }, known({ end }), known({ end })) !== undefined).toBe(isBroken);
});

describe('two payments that both succeeded', () => {
  /** A is a redirect, B supersedes it and succeeds; in the ledger both have succeeded. */
  const superseded = (...more: JournalRecord[]) => {
    const one = refereeOfLedger();
    land(
      one.referee,
      intent('A'),
      outcome('A', 'redirect_required'),
      { ...intent('B'), supersedes: 'A' } as JournalRecord,
      outcome('B', 'succeeded'),
      ...more,
    );
    return one;
  };
  const look = ({ referee, kinds }: ReturnType<typeof refereeOfLedger>, ...ledger: LedgerEntry[]) => {
    checkSecondPayments(referee, { ledger, byHand: [] });
    return kinds();
  };

  it('are no fault where nobody was told of the first', () => {
    expect(look(superseded(), entry('A'), entry('B'))).toEqual([]);
  });

  it('are no fault where the event says so', () => {
    expect(look(superseded(reported('A')), entry('A', { isReported: true }), entry('B'))).toEqual([]);
  });

  it('are one where the first was told, and no event says so; unless one of them was voided', () => {
    expect(look(superseded(), entry('A', { isReported: true }), entry('B'))).toEqual(['guardBroken']);
    expect(look(superseded(), entry('A', { isReported: true }), entry('B'), voiding)).toEqual([]);
  });

  it('are one where the first was paid after its void; a void of a form cancels no later success', () => {
    const voided = following('V', 'void', { atMs: 1 });
    const paid = (settledMs: number) => entry('A', { isReported: true, settledMs });
    expect(look(superseded(), paid(2), entry('B'), voided)).toEqual(['guardBroken']);
    expect(look(superseded(), paid(1), entry('B'), voided)).toEqual([]);
  });

  it.each<['redirect_required' | 'succeeded', string[]]>([
    ['redirect_required', []],
    ['succeeded', [`${key} T-A`]],
  ])('are none from a void on that was granted when the journal had the success: %s', (result, cancelled) => {
    const { referee } = refereeOfLedger();
    const ofVoid = { ...intent('V'), operation: 'void', transactionId: 'T-A' } as JournalRecord;
    land(referee, intent('A'), outcome('A', result), ofVoid, reported('A'), outcome('V', 'succeeded'));
    expect([...referee.cancelled.keys()]).toEqual(cancelled);
  });

  it('are none while one is in doubt whose notification fits several attempts: operators see both', () => {
    const ofB = (attempt: number) => ({ ...head, commandId: 'B', attempt, token: `B${attempt}` });
    const looked = (...heard: JournalRecord[]) => {
      const one = refereeOfLedger();
      land(
        one.referee,
        intent('A'),
        outcome('A', 'redirect_required'),
        { ...intent('B'), ...ofB(1), supersedes: 'A' } as JournalRecord,
        { record: 'NOT_EXECUTED', ...ofB(1), reason: 'auth_refused', message: '401' },
        { ...intent('B'), ...ofB(2), supersedes: 'A' } as JournalRecord,
        { record: 'IN_DOUBT', ...ofB(2), reason: 'http_status', message: '502' },
        ...heard,
        reported('A'),
      );
      return look(one, entry('A', { isReported: true }), entry('B', { isReported: true }));
    };
    expect(looked(evidence('authorize', 'T-B'))).toEqual([]);
    expect(looked()).toEqual(['guardBroken']);
  });

  it('are no conflict where the ledger shows only one of them, or neither', () => {
    const flags = ['two_payments_succeeded'];
    expect(untrueConflict(flags, 'A', ['B', 'A'])).toBeUndefined();
    expect(untrueConflict(flags, 'A', ['A'])).toBe('no other payment of its order succeeded');
    expect(untrueConflict(flags, 'A', ['B'])).toBe('it did not succeed');
    expect(untrueConflict(['was_expired'], 'A', ['A'])).toBeUndefined();
    expect(untrueConflict(['was_refused'], 'A', ['A', 'B'])).toBe('the platform always said the truth');
  });
});

describe('what the back office made while an untagged refund of ours is in doubt', () => {
  const refund = { operation: 'refund', method: 'A', currency: 'EUR', amount: 5000 } as const;
  const ofRefund = { ...head, commandId: 'R', attempt: 1, token: 'R1' };
  const doubtful: JournalRecord[] = [
    { record: 'INTENT', ...ofRefund, ...refund, contentHash: 'R' },
    { record: 'IN_DOUBT', ...ofRefund, reason: 'timeout', message: '' },
  ];
  const byHand = evidence('refund', 'H1', { answer: { execCode: '0000', transactionId: 'H1', amount: 5000 } });
  const ofOperator = { source: 'operator', at: '2026-03-01T10:15:00.000Z', commandId: 'R', attempt: 1 };
  const asOurs = evidence('refund', 'H1', ofOperator);
  const notOurs = { ...asOurs, result: 'not_executed', answer: {} } as JournalRecord;
  const look = (...records: JournalRecord[]): string[] => lookAt('0000', ...records);
  const lookAt = (execCode: string, ...records: JournalRecord[]): string[] => {
    const { referee, kinds } = refereeOfLedger();
    land(referee, ...doubtful, ...records);
    const made = { orderKey: key, operation: 'refund', transactionId: 'H1' } as const;
    checkBackOffice(referee, { byHand: [{ ...made, execCode }] });
    return kinds();
  };

  it('is right as a candidate, and as an operation made elsewhere', () => {
    expect(look(byHand)).toEqual([]);
    expect(look(byHand, notOurs)).toEqual([]);
  });

  it('may put a refund that its answer denied in doubt again', () => {
    const denied = { record: 'NOT_EXECUTED', ...ofRefund, reason: 'execcode', execCode: '5003' } as JournalRecord;
    const { referee, kinds } = refereeOfLedger();
    land(referee, doubtful[0]!, denied, byHand);
    expect(referee.order(key).operations[0]).toMatchObject({ phase: 'in_doubt', attempt: 1, token: 'R1' });
    expect(kinds()).toEqual([]);
  });

  it('is told to nobody where it failed with the EXECCODE of ours, whose TRANSACTIONID is not known', () => {
    const answered = (execCode: string, transactionId?: string): JournalRecord =>
      ({
        ...{ record: 'OUTCOME', ...ofRefund, result: 'refused' },
        answer: { execCode, ...(transactionId && { transactionId }) },
      }) as JournalRecord;
    expect(lookAt('4001', answered('4001'))).toEqual([]);
    expect(lookAt('4001', answered('4002'))).toEqual(['lost']);
    expect(lookAt('4001', answered('4001', 'T-R'))).toEqual(['lost']);
    expect(lookAt('0000', answered('4001'))).toEqual(['lost']);
  });

  it('is wrong as ours, and lost where nobody is told', () => {
    expect(look(byHand, asOurs)).toEqual(['wrongOutcome']);
    expect(look()).toEqual(['lost']);
  });
});

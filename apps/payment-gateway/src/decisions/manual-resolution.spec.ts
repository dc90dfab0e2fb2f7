import {
  emptyOrder,
  fold,
  RULES_VERSION,
  standingOf,
  type JournalRecord,
  type OperationTerms,
  type OrderState,
} from '@tranche/order-journal';
import { Problem } from '@tranche/service-kit';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { doubtView, orderView } from '../operations/order-view.js';
import { resolutionEvidence, notExecutedAfterMs, ManualResolution, resolved } from './manual-resolution.js';

const MINUTE = 60_000;
const INTENT_MS = Date.parse('2026-03-01T10:00:00.000Z');
const at = (ms: number) => new Date(INTENT_MS + ms).toISOString();
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'order-1', at: at(0) };
const ofAttempt = (commandId: string) => ({ ...inOrder, commandId, attempt: 1, token: `${commandId}#1` });
function intent(commandId: string, change: Partial<OperationTerms> = {}): JournalRecord {
  const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 20000, contentHash: 'hash' } as const;
  return { record: 'INTENT', ...ofAttempt(commandId), ...terms, ...change };
}
const outcome = (commandId: string, result: 'succeeded' | 'pending'): JournalRecord => ({
  ...{
    record: 'OUTCOME',
    ...ofAttempt(commandId),
    result,
    answer: { transactionId: `T-${commandId}`, execCode: '0000' },
  },
});
const inDoubt = (commandId: string): JournalRecord => ({
  ...{ record: 'IN_DOUBT', ...ofAttempt(commandId), at: at(5_000), reason: 'connection_lost', message: 'reset' },
});
function folded(order: OrderState, ...records: JournalRecord[]): OrderState {
  return records.reduce((state, record) => fold(state, record, BigInt(state.lastOffset) + 1n).order, order);
}
const orderOf = (...records: JournalRecord[]) => folded(emptyOrder('shop-fr', 'order-1'), ...records);

const doubtful = orderOf(intent('a'), inDoubt('a'));
const doubtfulCapture = orderOf(
  intent('a'),
  outcome('a', 'succeeded'),
  intent('c', { operation: 'capture', transactionId: 'T-a' }),
  inDoubt('c'),
);
const reason = 'seen in the back office';

interface Saying extends Partial<ManualResolution> {
  after?: number;
  commandId?: string;
  notExecutedAfterMs?: number;
}
function say(
  order: OrderState,
  { after = 15 * MINUTE, commandId = 'a', notExecutedAfterMs: ms = 15 * MINUTE, ...resolution }: Saying,
) {
  const said: ManualResolution = { outcome: 'succeeded', reason, ...resolution };
  return resolutionEvidence(order, {
    commandId,
    resolution: said,
    operator: 'alice',
    nowMs: INTENT_MS + after,
    notExecutedAfterMs: ms,
  });
}
function problemOf(refused: () => unknown): Problem {
  try {
    refused();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe("an operator's resolution", () => {
  it('becomes evidence of the attempt in doubt', () => {
    expect(say(doubtful, { transactionId: 'T-1', execCode: '0000', after: 1 })).toEqual({
      ...{
        record: 'EVIDENCE',
        ...inOrder,
        at: at(1),
        source: 'operator',
        operation: 'authorize',
        commandId: 'a',
        attempt: 1,
      },
      ...{ actor: 'alice', reason, result: 'succeeded', answer: { transactionId: 'T-1', execCode: '0000' } },
      seen: standingOf(doubtful),
    });
  });

  it.each([
    ['all of it', { amount: 20000 }, undefined],
    ['a part', { amount: 19999 }, true],
    ['a part by its code', { amount: 20000, execCode: '0004' }, true],
  ])('tells of %s', (_, resolution, partial) => {
    const record = say(doubtful, resolution);
    expect([record.partial, record.answer.amount]).toEqual([partial, resolution.amount]);
  });

  it.each([
    [15 * MINUTE, 15 * MINUTE, undefined],
    [20 * MINUTE, 20 * MINUTE, at(20 * MINUTE)],
  ])('"not executed" may be said %d ms after the INTENT where %d are asked for', (after, asked, notBefore) => {
    const record = say(doubtful, { outcome: 'not_executed', after, notExecutedAfterMs: asked });
    expect([record.result, record.notBefore]).toEqual(['not_executed', notBefore]);
    expect(resolved(folded(doubtful, record), 'a', { outcome: 'not_executed', reason })).toMatchObject({
      end: 'not_executed',
    });
    const refused = problemOf(() =>
      say(doubtful, { outcome: 'not_executed', after: after - 1, notExecutedAfterMs: asked }),
    );
    expect(refused).toMatchObject({ status: 409, code: 'not_executed_too_early', headers: { 'retry-after': '1' } });
  });

  it.each([
    [100, 15 * MINUTE],
    [88_000, 15 * MINUTE],
    [88_001, 15 * MINUTE + 10],
    [600_000, 6_020_000],
  ])('waits with a platform time-out of %d ms for %d ms', (platformTimeoutMs, expected) => {
    expect(notExecutedAfterMs({ platformTimeoutMs })).toBe(expected);
  });

  it.each([
    ['an operation that nobody knows', doubtful, { commandId: 'b' }, 404, 'operation_unknown'],
    ['a call under way', orderOf(intent('a')), {}, 409, 'not_in_doubt'],
    ['a pending approval', orderOf(intent('a'), outcome('a', 'pending')), {}, 409, 'still_waiting'],
    ['what has ended', orderOf(intent('a'), outcome('a', 'succeeded')), { outcome: 'refused' }, 409, 'not_in_doubt'],
    ['what has ended alike', orderOf(intent('a'), outcome('a', 'succeeded')), {}, 409, 'not_in_doubt'],
    [
      'the TRANSACTIONID of another',
      doubtfulCapture,
      { commandId: 'c', transactionId: 'T-a' },
      409,
      'transaction_of_another',
    ],
    ['a code of another outcome', doubtful, { execCode: '4001' }, 422, 'resolution_contradictory'],
    ['a code that says nothing', doubtful, { execCode: '5004' }, 422, 'resolution_contradictory'],
    ['an amount of a refusal', doubtful, { outcome: 'refused', amount: 1 }, 422, 'resolution_contradictory'],
    ['more than was asked for', doubtful, { amount: 20001 }, 422, 'resolution_contradictory'],
    ['a part without its amount', doubtful, { execCode: '0004' }, 422, 'resolution_contradictory'],
    [
      'a TRANSACTIONID of nothing',
      doubtful,
      { outcome: 'not_executed', transactionId: 'T-1' },
      422,
      'resolution_contradictory',
    ],
  ] as [string, OrderState, Saying, number, string][])('refuses %s', (_, order, resolution, status, code) => {
    expect(problemOf(() => say(order, resolution))).toMatchObject({ status, code });
  });

  it('a success of an untagged capture must name its TRANSACTIONID: a candidate may be the back office’s', () => {
    const { status, code, faults } = problemOf(() => say(doubtfulCapture, { commandId: 'c' }));
    expect([status, code, faults?.map(({ path, code: fault }) => `${path} ${fault}`)]).toEqual([
      422,
      'resolution_contradictory',
      ['transactionId required'],
    ]);
    const office: JournalRecord = {
      ...{ record: 'EVIDENCE', ...inOrder, source: 'notification', operation: 'capture', result: 'succeeded' },
      answer: { execCode: '0000', transactionId: 'T-office', amount: 20_000 },
    };
    const listed = folded(doubtfulCapture, office);
    expect(orderView(listed).candidates).toMatchObject([{ operation: 'capture', transactionId: 'T-office' }]);
    const isOurs = say(listed, { commandId: 'c', transactionId: 'T-office' });
    const named = folded(listed, isOurs);
    expect(resolved(named, 'c', { outcome: 'succeeded', reason })).toMatchObject({ transactionId: 'T-office' });
    expect([named.unmatchedEvidence, named.external]).toEqual([[], []]);
    const other = folded(listed, say(listed, { commandId: 'c', outcome: 'not_executed' }));
    expect(other.external).toMatchObject([{ transactionId: 'T-office', amount: 20_000 }]);
  });

  it('a success of a tagged capture, or of a refusal, needs none', () => {
    const capture = { operation: 'capture', transactionId: 'T-a' } as const;
    const tagged = { ...intent('c', capture), tag: 'tag' } as JournalRecord;
    const order = orderOf(intent('a'), outcome('a', 'succeeded'), tagged, inDoubt('c'));
    expect(say(order, { commandId: 'c' }).result).toBe('succeeded');
    expect(say(doubtfulCapture, { commandId: 'c', outcome: 'refused' }).result).toBe('refused');
  });

  it('counts only the first resolution', () => {
    const first = folded(doubtful, say(doubtful, { outcome: 'refused' }));
    expect(resolved(first, 'a', { outcome: 'refused', reason })).toMatchObject({ end: 'refused' });
    const second = folded(first, say(doubtful, { outcome: 'not_executed' }));
    expect(problemOf(() => resolved(second, 'a', { outcome: 'not_executed', reason }))).toMatchObject({
      status: 409,
      code: 'not_in_doubt',
    });
  });

  it('throws where the fold did not count it', () => {
    const early = folded(doubtful, { ...say(doubtful, { outcome: 'not_executed' }), at: at(1) });
    expect(problemOf(() => resolved(early, 'a', { outcome: 'not_executed', reason }))).toMatchObject({
      code: 'resolution_not_counted',
    });
  });

  it.each([
    [{ outcome: 'succeeded', reason: '1234567890' }, []],
    [
      {
        outcome: 'succeeded',
        reason: 'x'.repeat(500),
        actor: 'alice',
        transactionId: 'T-1',
        execCode: '0000',
        amount: 1,
      },
      [],
    ],
    [{ outcome: 'pending', reason }, ['outcome']],
    [{ reason }, ['outcome']],
    [{ outcome: 'refused', reason: '123456789' }, ['reason']],
    [{ outcome: 'refused', reason: 'x'.repeat(501) }, ['reason']],
    [{ outcome: 'refused', reason: 'with a bell \u0007 in it' }, ['reason']],
    [{ outcome: 'refused', reason: 'the card was 4111 1111 1111 1111' }, ['reason']],
    [{ outcome: 'refused' }, ['reason']],
    [{ outcome: 'succeeded', reason, actor: null }, ['actor']],
    [{ outcome: 'succeeded', reason, transactionId: 'x'.repeat(33) }, ['transactionId']],
    [{ outcome: 'succeeded', reason, execCode: '000' }, ['execCode']],
    [{ outcome: 'succeeded', reason, amount: 1.5 }, ['amount']],
    [{ outcome: 'succeeded', reason, amount: 0 }, ['amount']],
    [{ outcome: 'succeeded', reason, token: 'x' }, ['token']],
  ])('is read: %j', (body, properties) => {
    const errors = validateSync(plainToInstance(ManualResolution, body), {
      whitelist: true,
      forbidNonWhitelisted: true,
    });
    expect(errors.map(({ property }) => property)).toEqual(properties);
  });
});

describe("an operator's resolution of a payment that waits", () => {
  const DAY = 24 * 60 * MINUTE;
  const pending = orderOf(intent('a'), outcome('a', 'pending'));
  const expired = (): OrderState => {
    const { merchant, orderId } = inOrder;
    const at7 = { rulesVersion: 1, merchant, orderId, at: at(6 * DAY) };
    return folded(pending, { record: 'EXPIRED', ...at7, commandId: 'a', attempt: 1 });
  };

  it.each([
    ['succeeded', 'succeeded'],
    ['refused', 'refused'],
    ['not_executed', 'not_executed'],
  ] as const)('%s counts from a day on', (outcome, end) => {
    const early = problemOf(() => say(pending, { outcome, after: DAY - 1 }));
    expect(early).toMatchObject({ status: 409, code: 'still_waiting', headers: { 'retry-after': '1' } });
    const record = say(pending, { outcome, after: DAY });
    expect(resolved(folded(pending, record), 'a', { outcome, reason })).toMatchObject({ end });
  });

  it('counts at once where "not executed" was said of it', () => {
    const said: JournalRecord = {
      ...{ record: 'EVIDENCE', ...inOrder, rulesVersion: 1, source: 'notification', operation: 'authorize' },
      ...{ result: 'not_executed', answer: { transactionId: 'T-a', execCode: '5003' } },
    };
    const order = folded(pending, said);
    const record = say(order, { outcome: 'refused', after: 1 });
    expect(resolved(folded(order, record), 'a', { outcome: 'refused', reason })).toMatchObject({ end: 'refused' });
  });

  it('unblocks the order of a payment that our timer ended', () => {
    const record = say(expired(), { outcome: 'refused', after: 7 * DAY });
    const operation = resolved(folded(expired(), record), 'a', { outcome: 'refused', reason });
    expect([operation.end, operation.mayYetSucceed]).toEqual(['expired', undefined]);
  });
});

describe('"redirect_required", by an operator', () => {
  const outcome = 'redirect_required' as const;
  const pendingOutcome: JournalRecord = {
    ...{ record: 'OUTCOME', ...ofAttempt('a'), result: 'pending' },
    answer: { transactionId: 'T-a', execCode: '0003' },
  };

  it('makes a doubtful payment a redirect', () => {
    const after = folded(doubtful, say(doubtful, { outcome, execCode: '0002' }));
    expect(resolved(after, 'a', { outcome, reason })).toMatchObject({ phase: 'redirect_required' });
  });

  it.each([
    ['a doubtful capture', doubtfulCapture, { commandId: 'c' }],
    ['what waits already', orderOf(intent('a'), pendingOutcome), {}],
    ['with a code of success', doubtful, { execCode: '0000' }],
  ] as [string, OrderState, Saying][])('can not be true of %s', (_what, order, resolution) => {
    expect(problemOf(() => say(order, { ...resolution, outcome }))).toMatchObject({
      status: 422,
      code: 'resolution_contradictory',
    });
  });
});

describe('an operation in doubt', () => {
  it('is listed with everything that a decision needs', () => {
    const [, capture] = doubtfulCapture.operations;
    if (!capture) throw new Error('no capture');
    expect(doubtView(doubtfulCapture, capture, { nowMs: INTENT_MS + 65_900, notExecutedAfterMs: 15 * MINUTE })).toEqual(
      {
        id: expect.stringMatching(/^[\w-]+$/),
        ...{ merchant: 'shop-fr', orderId: 'order-1', commandId: 'c', operation: 'capture', method: 'A', attempt: 1 },
        ...{
          amount: 20000,
          currency: 'EUR',
          reference: 'T-a',
          since: at(5_000),
          ageSeconds: 60,
          reason: 'connection_lost',
          message: 'reset',
        },
        ...{ transactionIds: [], candidates: [], notExecuted: { maySay: false, from: at(15 * MINUTE) } },
      },
    );
  });

  it.each([
    [15 * MINUTE - 1, false],
    [15 * MINUTE, true],
  ])('may be called not executed %d ms after its INTENT: %s', (after, maySay) => {
    const [operation] = doubtful.operations;
    if (!operation) throw new Error('no operation');
    const view = doubtView(doubtful, operation, { nowMs: INTENT_MS + after, notExecutedAfterMs: 15 * MINUTE });
    expect(view.notExecuted.maySay).toBe(maySay);
  });
});

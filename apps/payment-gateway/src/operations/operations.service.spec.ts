import { orderKey, type Merchants } from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  journalPartition,
  OrderIndexKeys,
  RULES_VERSION,
  type JournalRecord,
  type OrderState,
  operationIdOf,
} from '@tranche/order-journal';
import { createLogger } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { Journal } from '../journal/journal.service.js';
import type { MissingPartition, OrderIndexStore } from '../journal/order-index.store.js';
import { OperationsService } from './operations.service.js';
import { statusOfDecision } from './operations.controller.js';

const NOW_MS = Date.parse('2026-03-01T10:20:00.000Z');
const AT = '2026-03-01T10:00:00.000Z';
const reason = 'seen in the back office';
const alice = { person: 'alice', role: 'operator' } as const;
const ofShopFr = { ...alice, merchants: ['shop-fr'] };

function doubtful(merchant: string, orderId: string): OrderState {
  const identity = { rulesVersion: RULES_VERSION, merchant, orderId, at: AT, commandId: 'a', attempt: 1, token: 't' };
  const terms = { operation: 'authorize', method: 'A', currency: 'EUR', amount: 100, contentHash: 'hash' } as const;
  const intent: JournalRecord = { record: 'INTENT', ...identity, ...terms };
  const inDoubt: JournalRecord = { record: 'IN_DOUBT', ...identity, reason: 'timeout', message: 'no answer' };
  return fold(fold(emptyOrder(merchant, orderId), intent, 1n).order, inDoubt, 2n).order;
}

/** An authorization that was refused, and succeeded by a later report. */
function contradicted(orderId: string): OrderState {
  const order = doubtful('shop-fr', orderId);
  const identity = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId, at: AT, commandId: 'a', attempt: 1 };
  const refused: JournalRecord = {
    ...identity,
    record: 'OUTCOME',
    token: 't',
    result: 'refused',
    answer: { execCode: '4001' },
  };
  const succeeded: JournalRecord = {
    ...{ record: 'EVIDENCE', ...identity, source: 'notification', operation: 'authorize', result: 'succeeded' },
    answer: { execCode: '0000', transactionId: 'T-1' },
  };
  return fold(fold(order, refused, 3n).order, succeeded, 4n).order;
}

const missingOf = (partition: number): MissingPartition => ({
  ...{ partition, code: 'being_built', detail: `The index of journal partition ${partition} is being built` },
});

/**
 * A journal in memory. With `stuck`, an append never resolves; with `isNotFolded`, no owner folds it; `first` is appended before the next record.
 * `missing`: partitions whose index can't be read; `unread`: the order that can't be.
 */
function setUp(
  orders: OrderState[],
  {
    stuck = false,
    isNotFolded = false,
    away = false,
    apartMs = 0,
    first,
    missing: partitions = [],
    unread,
    orderIds = [],
  }: {
    stuck?: boolean;
    isNotFolded?: boolean;
    away?: boolean;
    apartMs?: number;
    first?: JournalRecord;
    missing?: readonly number[];
    unread?: string;
    orderIds?: string[];
  } = {},
) {
  const states = new Map(orders.map((order) => [orderKey(order.merchant, order.orderId), order]));
  const read = (merchant: string, orderId: string) =>
    states.get(orderKey(merchant, orderId)) ?? emptyOrder(merchant, orderId);
  const take = (record: JournalRecord) => {
    const order = read(record.merchant, record.orderId);
    const folded = fold(order, record, BigInt(order.lastOffset) + 1n).order;
    states.set(orderKey(record.merchant, record.orderId), folded);
    return folded;
  };
  const appended: JournalRecord[] = [];
  const missing = partitions.map(missingOf);
  const listed = () => {
    const orderKeys = [...states.keys()].reverse().filter((key) => !partitions.includes(journalPartition(key)));
    return Promise.resolve({ orderKeys, missing });
  };
  const journal = {
    ...{ epoch: 2, skips: [] },
    read: (merchant: string, orderId: string) =>
      away || orderId === unread
        ? Promise.reject(new Error('Redis is away'))
        : Promise.resolve(read(merchant, orderId)),
    readAsOf: (merchant: string, orderId: string) =>
      journal.read(merchant, orderId).then((order) => ({ order, partition: 5, offset: BigInt(order.lastOffset) })),
    append: (record: JournalRecord) => {
      appended.push(record);
      if (first) take(first);
      if (stuck) return new Promise<bigint>(() => undefined);
      return Promise.resolve(isNotFolded ? 77n : BigInt(take(record).lastOffset));
    },
    ordersOfTransaction: () => Promise.resolve({ orderIds, missing }),
    stateAfter: (merchant: string, orderId: string) =>
      Promise.resolve(isNotFolded ? undefined : read(merchant, orderId)),
  } as unknown as Journal;
  const index = {
    ...{ ordersInDoubt: listed, ordersInConflict: listed, frozenOrders: listed },
    timeMs: () => Promise.resolve(NOW_MS - apartMs),
  } as unknown as OrderIndexStore;
  const lines: string[] = [];
  const log = createLogger({ name: 'spec', destination: { write: (line) => void lines.push(line) } });
  const sleep: Clock['sleep'] = (_ms, signal) =>
    stuck
      ? Promise.resolve()
      : new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
  const clock: Clock = { nowMs: () => NOW_MS, monotonicMs: () => 0, sleep };
  const merchants = {
    byName: (name: string) => ({ merchant: name, lookup: name === 'shop-es' }),
  } as unknown as Merchants;
  const config = {
    platformTimeoutMs: 30_000,
    merchants,
    lookUpAfterMs: [600_000, 3_600_000],
  } as unknown as GatewayConfig;
  const service = new OperationsService(config, journal, index, clock, log);
  return { service, appended, lines };
}
const idOf = (orderId: string) => operationIdOf({ merchant: 'shop-fr', orderId, commandId: 'a' });

describe('operators', () => {
  const orders = ['1', '2', '3'].map((orderId) => doubtful('shop-fr', orderId));

  it('see operations in doubt, page by page', async () => {
    const { service } = setUp([...orders, doubtful('shop-es', '1')]);
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const { operations, next } = await service.inDoubt({ limit: 2, after }, alice);
      pages.push(operations.map(({ merchant, orderId }) => orderKey(merchant, orderId)));
      after = next;
    } while (after !== undefined);
    expect(pages).toEqual([
      ['shop-es/1', 'shop-fr/1'],
      ['shop-fr/2', 'shop-fr/3'],
    ]);
  });

  it('see conflicts page by page, with amount, reason and the events that published them, and those of their merchants alone', async () => {
    const { service } = setUp([...['1', '2', '3'].map(contradicted), doubtful('shop-fr', '4')]);
    const first = await service.inConflict({ limit: 2 }, alice);
    expect(first.conflicts).toMatchObject([
      { orderId: '1', reason: 'other_result', commandId: 'a', operation: 'authorize', amount: 100, currency: 'EUR' },
      { orderId: '2', contradictions: ['succeeded 1 T-1 0000'] },
    ]);
    expect(first.conflicts[0]?.events).toMatchObject([
      { type: 'payment.conflict.detected', sequence: expect.stringMatching(/^002/) as string },
    ]);
    const second = await service.inConflict({ limit: 2, after: first.next! }, alice);
    expect([second.conflicts.map(({ orderId }) => orderId), second.next]).toEqual([['3'], undefined]);
    expect((await service.inConflict({ limit: 9 }, { ...alice, merchants: ['shop-es'] })).conflicts).toEqual([]);
    await expect(service.inConflict({ merchant: 'shop-es', limit: 9 }, ofShopFr)).rejects.toMatchObject({
      status: 403,
    });
  });

  it('see what can be read while a partition can not be, and which one is missing and why', async () => {
    const [lost = 0, ...rest] = OrderIndexKeys.partitions.map((_, at) => (at + journalPartition('shop-fr/2')) % 12);
    const doubts = [...orders, { ...contradicted('9'), isFrozen: true }];
    const { service } = setUp(doubts, { missing: [lost] });
    const missing = [{ partition: lost, code: 'being_built', detail: expect.stringContaining(`partition ${lost} `) as string }]; // prettier-ignore
    const query = { limit: 100 };
    const { operations, ...page } = await service.inDoubt(query, alice);
    expect(operations.map(({ orderId }) => orderId)).toEqual(['1', '3']);
    expect(page.missing).toEqual(missing);
    expect(await service.inConflict(query, alice)).toMatchObject({ conflicts: [{ orderId: '9' }], missing });
    expect(await service.frozen(query, alice)).toMatchObject({ orders: [{ orderId: '9' }], missing });
    expect(await setUp(doubts).service.inDoubt(query, alice)).not.toHaveProperty('missing');
    for (const list of ['inDoubt', 'inConflict', 'frozen'] as const) {
      const none = await setUp(doubts, { missing: [lost, ...rest] }).service[list](query, alice);
      expect(none.missing).toHaveLength(1 + rest.length);
    }
  });

  it('see the other orders while the state of one can not be read, and the partition of that one is missing', async () => {
    const { service } = setUp(orders, { unread: '2' });
    const { operations, missing } = await service.inDoubt({ limit: 100 }, alice);
    expect(operations.map(({ orderId }) => orderId)).toEqual(['1', '3']);
    expect(missing).toMatchObject([{ partition: journalPartition('shop-fr/2'), code: 'unreachable' }]);
  });

  it('learn which partition must be readable before they can state a TRANSACTIONID, and take that of a known order in no case', async () => {
    const said = { outcome: 'succeeded', transactionId: 'T-1', reason } as const;
    const { service, appended } = setUp(orders, { missing: [7] });
    const named = expect.stringMatching(/Nothing was recorded.*journal partition 7 is being built/) as string;
    await expect(service.say({ operation: idOf('2'), resolution: said }, alice)).rejects.toMatchObject({
      status: 503,
      detail: named,
    });
    expect(appended).toEqual([]);
    const held = setUp(orders, { missing: [7], orderIds: ['2', '3'] }).service.say(
      { operation: idOf('2'), resolution: said },
      alice,
    );
    await expect(held).rejects.toMatchObject({ status: 409, code: 'transaction_of_another' });
  });

  it.each([
    [60_000, 1],
    [60_001, 0],
  ])('say "not executed" only where two clocks agree: %i ms apart', async (apartMs, journaled) => {
    const { service, appended } = setUp(orders, { apartMs });
    await service
      .say({ operation: idOf('2'), resolution: { outcome: 'not_executed', reason } }, alice)
      .catch(() => undefined);
    expect(appended).toHaveLength(journaled);
  });

  it('see the doubts of one merchant, and none that has ended meanwhile', async () => {
    const { service } = setUp([...orders, doubtful('shop-fr-2', '1'), emptyOrder('shop-fr', '0')]);
    const { operations, next } = await service.inDoubt({ merchant: 'shop-fr', limit: 100 }, alice);
    expect([operations.map(({ orderId }) => orderId), next]).toEqual([['1', '2', '3'], undefined]);
  });

  it('of one merchant see its doubts and orders alone, and resolve no other’s', async () => {
    const { service, appended } = setUp([doubtful('shop-es', '1'), ...orders]);
    const { operations } = await service.inDoubt({ limit: 100 }, ofShopFr);
    expect(operations.map(({ merchant }) => merchant)).toEqual(['shop-fr', 'shop-fr', 'shop-fr']);
    const id = operationIdOf({ merchant: 'shop-es', orderId: '1', commandId: 'a' });
    const refused = { status: 403, code: 'merchant_not_allowed' };
    await expect(service.inDoubt({ merchant: 'shop-es', limit: 100 }, ofShopFr)).rejects.toMatchObject(refused);
    await expect(service.order('shop-es', '1', ofShopFr)).rejects.toMatchObject(refused);
    await expect(
      service.say({ operation: id, resolution: { outcome: 'refused', reason } }, ofShopFr),
    ).rejects.toMatchObject(refused);
    expect(appended).toEqual([]);
  });

  it('end a doubt: the resolution is journaled with its author', async () => {
    const { service, appended, lines } = setUp(orders);
    const operation = await service.say(
      { operation: idOf('2'), resolution: { outcome: 'not_executed', reason, actor: 'alice' } },
      alice,
    );
    expect(operation).toMatchObject({ state: 'not_executed', resolvedBy: { actor: 'alice', reason } });
    expect(appended).toEqual([
      expect.objectContaining({ record: 'EVIDENCE', source: 'operator', actor: 'alice', orderId: '2' }),
    ]);
    expect(lines.join('')).toContain('"operator":"alice"');
    expect((await service.order('shop-fr', '2', alice)).status).toBe('not_executed');
  });

  it('are answered that their resolution is recorded, and where to look, while no owner of its partition folds it', async () => {
    const { service, appended } = setUp(orders, { isNotFolded: true });
    const answer = await service.say({ operation: idOf('2'), resolution: { outcome: 'not_executed', reason } }, alice);
    expect(answer).toEqual({
      ...{ id: idOf('2'), merchant: 'shop-fr', orderId: '2', commandId: 'a' },
      recorded: { partition: journalPartition('shop-fr/2'), offset: '77' },
      detail: expect.stringContaining('recorded and not judged yet') as string,
      lookAt: '/v1/orders/shop-fr/2',
    });
    expect(statusOfDecision(answer)).toBe(202);
    expect(appended).toHaveLength(1);
  });

  it('are answered 200 once their resolution is judged', async () => {
    const { service } = setUp(orders);
    expect(
      statusOfDecision(await service.say({ operation: idOf('2'), resolution: { outcome: 'refused', reason } }, alice)),
    ).toBe(200);
  });

  it('see up to which journal record an order was read, and when each answer was', async () => {
    const { service } = setUp(orders);
    const readAt = new Date(NOW_MS).toISOString();
    expect((await service.order('shop-fr', '2', alice)).asOf).toEqual({ partition: 5, offset: '2', readAt });
    expect((await service.inDoubt({ limit: 1 }, alice)).readAt).toBe(readAt);
    expect((await service.inConflict({ limit: 1 }, alice)).readAt).toBe(readAt);
  });

  it('get a problem when another record was first', async () => {
    const identity = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: '2', at: AT };
    const first: JournalRecord = {
      ...{
        record: 'EVIDENCE',
        ...identity,
        source: 'operator',
        operation: 'authorize',
        result: 'succeeded',
        commandId: 'a',
        attempt: 1,
      },
      ...{ actor: 'bob', reason, answer: {} },
    };
    const { service } = setUp(orders, { first });
    const resolving = service.say({ operation: idOf('2'), resolution: { outcome: 'not_executed', reason } }, alice);
    await expect(resolving).rejects.toMatchObject({ status: 409, code: 'not_in_doubt' });
    expect((await service.order('shop-fr', '2', alice)).operations[0]).toMatchObject({
      state: 'succeeded',
      resolvedBy: { actor: 'bob' },
    });
  });

  it.each([
    ['speak for another', idOf('2'), { outcome: 'refused', reason, actor: 'bob' }, 403, 'actor_mismatch'],
    ['name nothing', 'x', { outcome: 'refused', reason }, 404, 'operation_unknown'],
    ['name an order that nobody knows', idOf('9'), { outcome: 'refused', reason }, 404, 'operation_unknown'],
  ] as const)('may not %s', async (_, id, resolution, status, code) => {
    const { service, appended } = setUp(orders);
    await expect(service.say({ operation: id, resolution: resolution }, alice)).rejects.toMatchObject({ status, code });
    expect(appended).toEqual([]);
  });

  it('get a problem when it is not known if the resolution was journaled', async () => {
    const { service } = setUp(orders, { stuck: true });
    const resolving = service.say({ operation: idOf('2'), resolution: { outcome: 'refused', reason } }, alice);
    await expect(resolving).rejects.toMatchObject({ status: 503, code: 'resolution_not_confirmed' });
  });

  it('are sent away while nothing can be read', async () => {
    const { service } = setUp(orders, { away: true });
    await expect(service.order('shop-fr', '1', alice)).rejects.toMatchObject({ status: 503, code: 'unavailable' });
  });

  it.each([
    ['shop-fr', 'nothing'],
    ['Shop', '1'],
  ])('find no order %s/%s', async (merchant, orderId) => {
    await expect(setUp(orders).service.order(merchant, orderId, alice)).rejects.toMatchObject({
      status: 404,
      code: 'order_unknown',
    });
  });

  it('can not page behind a text that is no id', async () => {
    await expect(setUp(orders).service.inDoubt({ limit: 1, after: 'x' }, alice)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });
});

it('an order in doubt says when it is looked up next, where the merchant allows that', async () => {
  const { service } = setUp([doubtful('shop-es', '1'), doubtful('shop-fr', '1')]);
  const { nextLookUpAt = '' } = (await service.order('shop-es', '1', alice)).deadlines;
  expect(Date.parse(nextLookUpAt) - Date.parse(AT)).toBeGreaterThanOrEqual(3_600_000);
  expect((await service.order('shop-fr', '1', alice)).deadlines).toEqual({});
});

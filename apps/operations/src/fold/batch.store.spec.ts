import { encodeCloudEvent, orderKey, REVERIFIED_TYPE, TOPICS } from '@tranche/contracts';
import { encodeRecord, type JournalRecord, type OrderState } from '@tranche/order-journal';
import { waitFor } from '@tranche/testing';
import { databaseOf, ownSchema, postgresOfTests } from '../../test/postgres.js';
import { aDoubtfulOrder, journalEntry } from '../../test/journal.js';
import { AttentionStore } from '../api/attention.store.js';
import { OrdersStore } from '../api/orders.store.js';
import { AttentionQuery, AuditQuery, OrdersQuery, QuarantineQuery } from '../api/queries.js';
import { caseOf, isOfJournal, storyOf, untilTime } from '../api/timeline.js';
import type { Database } from '../database/database.service.js';
import { MIGRATIONS } from '../database/migrations.js';
import { BatchStore, MovedOnError } from './batch.store.js';
import { foldBatch, journalRow, type Entry } from './journal-fold.js';
import { SkippedRecords } from './skipped-records.js';
import { LISTED } from './stored-rows.js';

const JOURNAL = { topic: 'payments.journal.v1', partition: 3 };
const TOPIC = JOURNAL.topic;
let server: Awaited<ReturnType<typeof postgresOfTests>>;
let database: Database;
let store: BatchStore;
let orders: OrdersStore;
let attention: AttentionStore;

beforeAll(async () => {
  server = await postgresOfTests();
}, 60_000);
afterAll(() => server.close());

const opened: Database[] = [];
async function open(schema = ownSchema()): Promise<Database> {
  const one = databaseOf(server.url, schema);
  opened.push(one);
  await one.migrate();
  return one;
}

beforeEach(async () => {
  database = await open();
  store = new BatchStore(database);
  orders = new OrdersStore(database);
  attention = new AttentionStore(database);
});
afterEach(() => Promise.all(opened.splice(0).map((one) => one.onApplicationShutdown())));

const same = (entry: Entry): Entry => entry;

function write(entries: readonly Entry[], from: bigint, to = store, place = JOURNAL) {
  return to.write(place, from, async (stateOf) => {
    const known = await stateOf(entries.map(({ key }) => key ?? ''));
    const { stored } = foldBatch(entries, known, same);
    return { rows: stored.map(journalRow), orders: known, next: entries.at(-1)!.offset + 1n };
  });
}

/** Writes records of a topic that is only listed, from its beginning. */
function list(topic: { name: string }, partition: number, messages: { type: string; data: object }[]) {
  const { rowOf } = LISTED.find((one) => one.topic.name === topic.name)!;
  const time = new Date().toISOString();
  const rows = messages.map(({ type, data }, at) => {
    const { headers, value } = encodeCloudEvent({ id: `${at}`, source: 'spec', type, time, data });
    const about = { topic: topic.name, partition, offset: BigInt(at), key: 'content', rawKey: null, timestampMs: Date.now() };
    return rowOf({ ...about, value, headers });
  });
  return store.write({ topic: topic.name, partition }, 0n, () => Promise.resolve({ rows, next: BigInt(rows.length) }));
} // prettier-ignore

it('a dead letter is in the queue until the audit says that it was published again', async () => {
  const letter = { type: 'payment.capture', data: {} };
  await list(TOPICS.commandsDeadLetter, 2, [letter, letter, letter]);
  const replayed = (offset: number, result: string) => {
    const deadLetter = `tests.${TOPICS.commandsDeadLetter.name}/2/${offset}`;
    return { type: 'operations.audit', data: { action: 'command.replay', result, deadLetter } };
  };
  const numbers = async () => (await attention.groups(undefined)).map(({ kind, number }) => [kind, number]);
  await list(TOPICS.operationsAudit, 0, [replayed(0, 'asked'), replayed(1, 'refused'), { type: 'operations.audit', data: { action: 'command.replay', result: 'done' } }]);
  expect(await numbers()).toEqual([['dead_letters', 3]]);
  await list(TOPICS.operationsAudit, 1, [replayed(1, 'done')]);
  expect(await numbers()).toEqual([['dead_letters', 2]]);
}); // prettier-ignore

it('an entry of the quarantine is open until a record names it, and is listed as closed then', async () => {
  const quarantined = { type: 'payment.notification.quarantined', data: { reason: 'hash_mismatch', merchant: 'shop-fr' } };
  const closed = { verdict: 'published', event: 'content', closedAt: '2027-03-01T10:00:00.000Z' };
  await list(TOPICS.notificationsQuarantine, 2, [
    ...[quarantined, quarantined, quarantined],
    { type: REVERIFIED_TYPE, data: { ...closed, partition: 2, offset: '1' } },
  ]);
  await list(TOPICS.notificationsQuarantine, 3, [quarantined, quarantined]);
  await list(TOPICS.commandsDeadLetter, 2, [quarantined, quarantined]);
  const listed = async (of: Partial<QuarantineQuery> = {}) => {
    const query = Object.assign(new QuarantineQuery(), of);
    return (await orders.listed(TOPICS.notificationsQuarantine.name, query, ['shop-fr'])).entries;
  };
  expect((await listed()).map(({ id }) => id).toSorted()).toEqual(['2-0', '2-2', '3-0', '3-1']);
  expect(await listed({ closed: 'true' })).toEqual([expect.objectContaining({ id: '2-1', closed, merchant: 'shop-fr' })]);
  const groups = await attention.groups(undefined);
  expect(groups.map(({ kind, number }) => [kind, number]).toSorted()).toEqual([['dead_letters', 2], ['quarantine', 4]]);
}); // prettier-ignore

it('deeds of the audit are what changed something or may have', async () => {
  const noted = (action: string, result: string, code?: string) => ({ type: 'operations.audit', data: { action, result, code } });
  const deeds = [noted('resolution.submit', 'proposed'), noted('resolution.approve', 'asked', 'recorded'), noted('control.set', 'done'), noted('command.replay', 'failed', 'replay_not_confirmed')];
  const others = [noted('order.read', 'done'), noted('what_if.read', 'done'), noted('control.set', 'asked'), noted('command.replay', 'refused', 'not_replayed')];
  await list(TOPICS.operationsAudit, 0, [...deeds, ...others]);
  const listed = async (of: Partial<AuditQuery>) =>
    (await orders.listed(TOPICS.operationsAudit.name, Object.assign(new AuditQuery(), of), undefined)).entries.map(({ id }) => id).toSorted();
  expect(await listed({ deeds: 'true' })).toEqual(['0-0', '0-1', '0-2', '0-3']);
  expect(await listed({})).toHaveLength(8);
}); // prettier-ignore

const page = (of: Partial<AttentionQuery> = {}) => Object.assign(new AttentionQuery(), of);
it('the audit says what one person did, in a time', async () => {
  const did = (operator: string) => ({ type: 'operations.audit', data: { action: 'control.set', result: 'done', operator } });
  await list(TOPICS.operationsAudit, 0, [did('anna'), did('bert')]);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const who = async (of: Partial<AuditQuery>) => {
    const { entries } = await orders.listed(TOPICS.operationsAudit.name, Object.assign(new AuditQuery(), of), undefined);
    return entries.map(({ body }) => (body as { operator: string }).operator).sort();
  };
  expect(await who({ from: yesterday })).toEqual(['anna', 'bert']);
  expect(await who({ person: 'anna', from: yesterday })).toEqual(['anna']);
  expect(await who({ to: yesterday })).toEqual([]);
}); // prettier-ignore

const found = (of: Partial<OrdersQuery> = {}) => Object.assign(new OrdersQuery(), of);

it('makes its tables once, also where several instances start at once', async () => {
  const schema = ownSchema();
  const all = await Promise.all([open(schema), open(schema), open(schema)]);
  const [made] = await all[0].sql`select count(*)::int as number from migrations`;
  expect(made).toEqual({ number: MIGRATIONS.length });
});

it('does not touch tables of a newer release', async () => {
  await database.sql`insert into migrations (number) values (99)`;
  await expect(database.migrate()).rejects.toThrow('migration 99');
});

it('a batch that another process wrote is not written twice', async () => {
  const entries = aDoubtfulOrder('shop-fr', 'order-1');
  const other = new BatchStore(await open(database.schema));
  const results = await Promise.allSettled([write(entries, 0n), write(entries, 0n, other)]);
  const lost = results.find((one) => one.status === 'rejected');
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(lost?.reason).toEqual(new MovedOnError(BigInt(entries.length)));
  const [rows] = await database.sql`select count(*)::int as number from records`;
  expect(rows).toEqual({ number: entries.length });
  expect(await store.positions()).toEqual(new Map([[`${TOPIC}/3`, BigInt(entries.length)]]));
});

it('folds an order alike in one batch and in many', async () => {
  const entries = aDoubtfulOrder('shop-fr', 'order-1');
  for (const entry of entries) await write([entry], entry.offset);
  const { state, next } = await orders.order('shop-fr', 'order-1');
  const known = new Map<string, OrderState>();
  foldBatch(entries, known, same);
  expect(state).toEqual(JSON.parse(JSON.stringify(known.get(orderKey('shop-fr', 'order-1')))));
  expect(next).toBe(String(entries.length));
});

it('lists a doubt until it has ended, with the order, the amount and what it blocks', async () => {
  const entries = aDoubtfulOrder('shop-fr', 'order-1');
  await write(entries, 0n);
  const { items } = await attention.page(page(), undefined);
  expect(items).toEqual([
    expect.objectContaining({
      kind: 'doubt',
      merchant: 'shop-fr',
      orderId: 'order-1',
      amount: 25_000,
      currency: 'EUR',
    }),
  ]);
  expect(items[0]!.about).toMatchObject({ operation: 'authorize', reason: 'timeout', blocks: expect.any(String) });
  expect(await attention.counts(undefined)).toEqual([
    expect.objectContaining({ kind: 'doubt', number: 1, amounts: { EUR: 25_000 } }),
  ]);
  await write([journalEntry(succeeded('order-1'), entries.length)], BigInt(entries.length));
  expect((await attention.page(page(), undefined)).items).toEqual([]);
  expect(await orders.order('shop-fr', 'order-1')).toMatchObject({ status: 'authorized' });
});

const succeeded = (orderId: string): JournalRecord => ({
  record: 'EVIDENCE',
  rulesVersion: 1,
  merchant: 'shop-fr',
  orderId,
  at: '2026-03-01T10:05:00.000Z',
  source: 'notification',
  operation: 'authorize',
  result: 'succeeded',
  answer: { transactionId: 'T-1', execCode: '0000', amount: 25_000 },
  extraData: 'canary-of-a-buyer',
  commandId: 'command-of-order-1',
  attempt: 1,
});

describe('with several orders', () => {
  const names = ['order-1', 'order-2', 'order_3', 'other-1'];
  beforeEach(async () => {
    const entries = [
      ...names.map((name) => aDoubtfulOrder('shop-fr', name)),
      aDoubtfulOrder('shop-es', 'order-1'),
    ].flat();
    await write(
      entries.map((entry, index) => ({ ...entry, offset: BigInt(index) })),
      0n,
    );
  });

  it.each<[string, Partial<OrdersQuery>, string[]]>([
    ['an orderId', { q: 'order-2' }, ['shop-fr/order-2']],
    ['a beginning', { q: 'order' }, ['shop-es/order-1', 'shop-fr/order-1', 'shop-fr/order-2', 'shop-fr/order_3']],
    ['a beginning with a sign of patterns', { q: 'order_' }, ['shop-fr/order_3']],
    ['merchant and orderId', { q: 'shop-es/order-1' }, ['shop-es/order-1']],
    ['the id of a command', { q: 'command-of-other-1' }, ['shop-fr/other-1']],
    ['a status', { status: 'captured' }, []],
    ['an amount', { amount: 25_000, q: 'other' }, ['shop-fr/other-1']],
    ['an amount and its currency', { amount: 25_000, currency: 'EUR', q: 'other' }, ['shop-fr/other-1']],
    ['an amount of another currency', { amount: 25_000, currency: 'CHF', q: 'other' }, []],
    ['a time', { to: '2020-01-01T00:00:00Z' }, []],
  ])('finds orders by %s', async (_, query, expected) => {
    const { orders: listed } = await orders.search(found(query), undefined);
    expect(listed.map(({ merchant, orderId }) => `${merchant}/${orderId}`).sort()).toEqual(expected);
  });

  it('shows nothing of another merchant', async () => {
    const visible = ['shop-es'];
    const { orders: listed } = await orders.search(found({ q: 'order' }), visible);
    expect(listed.map(({ merchant }) => merchant)).toEqual(['shop-es']);
    expect((await orders.search(found({ q: 'command-of-other-1' }), visible)).orders).toEqual([]);
    expect((await attention.page(page(), visible)).items.map(({ merchant }) => merchant)).toEqual(['shop-es']);
    expect(await attention.counts(visible)).toEqual([expect.objectContaining({ number: 1 })]);
    const listedRecords = await orders.listed(TOPIC, Object.assign(page(), {}), visible);
    expect(new Set(listedRecords.entries.map(({ merchant }) => merchant))).toEqual(new Set(visible));
  });

  it.each(['urgency', 'age', 'amount'] as const)(
    'gives each entry of the queue once, page by page, by %s',
    async (sort) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { items, next } = await attention.page(page({ limit: 2, sort, ...(cursor && { cursor }) }), undefined);
        seen.push(...items.map(({ merchant, orderId }) => `${merchant}/${orderId}`));
        cursor = next;
      } while (cursor !== undefined);
      expect(seen.sort()).toEqual(['shop-es/order-1', ...names.map((name) => `shop-fr/${name}`)].sort());
    },
  );

  it('gives each order once, page by page', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { orders: listed, next } = await orders.search(found({ limit: 2, ...(cursor && { cursor }) }), undefined);
      seen.push(...listed.map(({ orderId }) => orderId));
      cursor = next;
    } while (cursor !== undefined);
    expect(seen.sort()).toEqual(['order-1', ...names].sort());
  });

  it('builds a partition anew where records were deleted unread, and only that one', async () => {
    await write(aDoubtfulOrder('shop-fr', 'elsewhere'), 0n, store, { ...JOURNAL, partition: 4 });
    await store.rebuild(JOURNAL, 100n);
    const { orders: left } = await orders.search(found(), undefined);
    expect(left.map(({ orderId }) => orderId)).toEqual(['elsewhere']);
    expect((await store.positions()).get(`${TOPIC}/3`)).toBe(100n);
    expect((await attention.page(page(), undefined)).items).toHaveLength(1);
  });

  it('forgets what is older than is kept, and nothing that needs a person', async () => {
    const offset = names.length * 2 + 2;
    await write([journalEntry(succeeded('order-1'), offset)], BigInt(offset));
    while ((await store.forget(1)) > 0);
    const { orders: left } = await orders.search(found({ merchant: 'shop-fr' }), ['shop-fr']);
    expect(left.map(({ orderId }) => orderId).sort()).toEqual(['order-2', 'order_3', 'other-1']);
    await expect(orders.recordsOf('shop-fr', 'order-1')).resolves.toEqual([]);
  });
});

describe('changes', () => {
  const told = async (place: string[]) => {
    const changed = await orders.changedBehind(place);
    return { place: changed.place, ids: changed.orders.map(({ orderId }) => orderId) };
  };
  /** A change is told only when older transactions have ended, also those of other tests. So this reads until the order was told, and returns the place behind it. */
  const placeBehind = async (orderId: string): Promise<string[]> => {
    let place = ['0', ''];
    const isTold = async () => {
      const read = await told(place);
      ({ place } = read);
      return read.ids.includes(orderId);
    };
    await waitFor(isTold, { what: `${orderId} to be told` });
    return place;
  };

  it('are told once, in their order, and none late', async () => {
    await write(aDoubtfulOrder('shop-fr', 'slow'), 0n);
    const before = await placeBehind('slow');
    const other = await open(database.schema);
    await other.sql.begin(async (sql) => {
      await sql`update orders set changed = pg_current_xact_id() where order_id = 'slow'`;
      await write(aDoubtfulOrder('shop-fr', 'quick'), 0n, store, { ...JOURNAL, partition: 4 });
      const meanwhile = await told(before);
      expect(meanwhile.ids).toEqual([]);
    });
    const after = await waitFor(
      async () => {
        const read = await told(before);
        return read.ids.length > 0 && read;
      },
      { what: 'both changes to be told' },
    );
    expect(after.ids).toEqual(['slow', 'quick']);
    expect((await told(after.place)).ids).toEqual([]);
  });

  it('are all told, however many there are at once', async () => {
    await write(aDoubtfulOrder('shop-fr', 'order-1'), 0n);
    let place = await placeBehind('order-1');
    await database.sql`
      insert into orders (key, merchant, order_id, partition, status, moved_at, last_offset, names, state)
      select key || '-' || n, merchant, order_id || '-' || n, partition, status, moved_at, last_offset, names, state
      from orders, generate_series(1, 12000) as n`;
    const seen: string[] = [];
    const areAllTold = async () => {
      const read = await told(place);
      ({ place } = read);
      seen.push(...read.ids);
      return seen.length >= 12_000;
    };
    await waitFor(areAllTold, { what: 'all changes to be told' });
    expect([seen.length, new Set(seen).size]).toEqual([12_000, 12_000]);
    expect((await told(place)).ids).toEqual([]);
  });
});

describe('the story of an order', () => {
  beforeEach(async () => {
    const entries = aDoubtfulOrder('shop-fr', 'order-1');
    await write([...entries, journalEntry(succeeded('order-1'), entries.length)], 0n);
  });
  const records = () => orders.recordsOf('shop-fr', 'order-1');

  it('says which record made each field', async () => {
    const { state, why } = storyOf('shop-fr', 'order-1', await records());
    expect(state).toEqual((await orders.order('shop-fr', 'order-1')).state);
    expect(why['operations.command-of-order-1.end']).toMatchObject({ kind: 'EVIDENCE', offset: '2' });
    expect(why['operations.command-of-order-1.amount']).toMatchObject({ kind: 'INTENT', offset: '0' });
    expect(why.status).toMatchObject({ kind: 'EVIDENCE' });
  });

  it('shows the order as it was at a time', async () => {
    const earlier = untilTime(await records(), Date.parse('2026-03-01T10:02:00.000Z'));
    const { state } = storyOf('shop-fr', 'order-1', earlier.filter(isOfJournal));
    expect(state.operations[0]).toMatchObject({ phase: 'in_doubt' });
  });

  it('makes a file from which the order is folded again', async () => {
    const kept = await records();
    const { state } = storyOf('shop-fr', 'order-1', kept);
    const file = JSON.parse(JSON.stringify(caseOf('shop-fr', 'order-1', kept, state))) as ReturnType<typeof caseOf>;
    const again = file.journal.map(({ record, ...row }) => ({ topic: TOPIC, at: '', kind: '', ...row, body: record }));
    expect(storyOf('shop-fr', 'order-1', again).state).toEqual(file.state);
  });

  it('has nothing of the buyer', async () => {
    const all = JSON.stringify([await records(), await orders.order('shop-fr', 'order-1')]);
    expect(all).not.toContain('canary');
  });
});

it('keeps a record of texts that PostgreSQL can not hold', async () => {
  const record = { ...succeeded('order-1'), flags: ['\0', '\ud800'] } as unknown as JournalRecord;
  await write([{ key: 'shop-fr/order-1', offset: 0n, value: encodeRecord(record) }], 0n);
  await expect(orders.recordsOf('shop-fr', 'order-1')).resolves.toHaveLength(1);
});

it('stops before a record that it can not read, and goes on behind it once it is skipped', () => {
  const entries = aDoubtfulOrder('shop-fr', 'order-1');
  const bad: Entry = { key: 'shop-fr/order-1', offset: 2n, value: Buffer.from('{}') };
  const known = new Map<string, OrderState>();
  const { stored, unreadable } = foldBatch([...entries, bad], known, same);
  expect([stored.length, unreadable?.entry.offset]).toEqual([2, 2n]);
  const skipped = new SkippedRecords();
  const { hash } = unreadable!.entry;
  const decision = { record: 'skipped', id: '1', at: '2026-03-01T12:00:00.000Z', hash };
  expect(skipped.take({ value: Buffer.from(JSON.stringify(decision)) })).toBe(true);
  const again = foldBatch([bad], known, (entry) => skipped.substitute(entry));
  expect(again.unreadable).toBeUndefined();
  expect(known.get('shop-fr/order-1')).toMatchObject({ isFrozen: true });
});

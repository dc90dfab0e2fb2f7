import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { emptyOrder, fold, RULES_VERSION, type JournalRecord } from '../index.js';
import { JournalChangedError } from './journal-faults.js';
import { OrderCache } from './order-cache.js';

const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' } as const;
const intent = (token: string): JournalRecord => ({
  record: 'INTENT',
  ...inOrder,
  commandId: 'a',
  attempt: 1,
  token,
  ...terms,
});
const inDoubt: JournalRecord = {
  record: 'IN_DOUBT',
  ...inOrder,
  commandId: 'a',
  attempt: 1,
  token: 't',
  reason: 'timeout',
  message: '',
};
const KEY = 'shop-fr/o';

/** Heap bytes in use after a garbage collection. */
function usedAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('the order book', () => {
  it('folds records that the tail read before the order was loaded onto the index’s state', () => {
    const indexed = fold(emptyOrder('shop-fr', 'o'), intent('t'), 5n).order;
    const book = new OrderCache();
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    book.apply({ key: KEY, offset: 9n, record: inDoubt, hash: 'hash' });
    expect(book.load('shop-fr', 'o', indexed)).toEqual(fold(indexed, inDoubt, 9n, () => 'hash').order);
  });

  it('takes nothing off the tail that the index has already, though it forgot the order', () => {
    const book = new OrderCache();
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    book.apply({ key: KEY, offset: 9n, record: inDoubt, hash: 'hash' });
    expect(book.load('shop-fr', 'o', undefined, 9n)).toEqual(emptyOrder('shop-fr', 'o'));
  });

  it('refuses a state of the index that lacks a record which its marker covers: the index is of another log', () => {
    const indexed = fold(emptyOrder('shop-fr', 'o'), intent('t'), 5n).order;
    const book = new OrderCache();
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    book.apply({ key: KEY, offset: 9n, record: inDoubt, hash: 'hash' });
    expect(() => book.load('shop-fr', 'o', indexed, 9n)).toThrow(JournalChangedError);
    expect(book.load('shop-fr', 'o', indexed, 8n).lastOffset).toBe('9');
  });

  it('has passed a record that the index forgot together with its order', async () => {
    const book = new OrderCache();
    book.load('shop-fr', 'o', undefined, 9n);
    expect(await book.waitForRecordAfter(KEY, 8n, new AbortController().signal)).toEqual(emptyOrder('shop-fr', 'o'));
  });

  it('keeps its newer state when the index answers late', () => {
    const book = new OrderCache();
    book.load('shop-fr', 'o', undefined);
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    expect(book.load('shop-fr', 'o', undefined).lastOffset).toBe('5');
  });

  const PAGE_BYTES = 500_000;
  const redirect = (): JournalRecord => ({
    ...({
      record: 'OUTCOME',
      ...inOrder,
      commandId: 'a',
      attempt: 1,
      token: 't',
      result: 'redirect_required',
    } as const),
    answer: { execCode: '0002', transactionId: 'A1', redirectHtml: Buffer.alloc(PAGE_BYTES, 'P').toString() },
  });

  it('keeps no REDIRECTHTML of orders that were not loaded', () => {
    const book = new OrderCache();
    const before = usedAfterCollection();
    for (let at = 0; at < 100; at++)
      book.apply({ key: `shop-fr/${at}`, offset: BigInt(at), record: redirect(), hash: 'hash' });
    expect(usedAfterCollection() - before).toBeLessThan(10 * PAGE_BYTES);
    expect(book.size).toBe(100);
  });

  it('folds the same without REDIRECTHTML', () => {
    const asked = fold(emptyOrder('shop-fr', 'o'), intent('t'), 5n, () => 'hash').order;
    const whole = fold(asked, redirect(), 9n, () => 'hash');
    const book = new OrderCache();
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    book.apply({ key: KEY, offset: 9n, record: redirect(), hash: 'hash' });
    expect(book.load('shop-fr', 'o', undefined)).toEqual(whole.order);
  });

  it('resolves a wait for a record', async () => {
    const book = new OrderCache();
    book.load('shop-fr', 'o', undefined);
    const past = book.waitForRecordAfter(KEY, 4n, new AbortController().signal);
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    expect((await past).lastOffset).toBe('5');
  });

  it('does not wait for a record that was read already', async () => {
    const book = new OrderCache();
    book.load('shop-fr', 'o', undefined);
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    expect((await book.waitForRecordAfter(KEY, 4n, new AbortController().signal)).lastOffset).toBe('5');
  });

  it('rejects a wait when its signal aborts', async () => {
    const stopping = new AbortController();
    const book = new OrderCache();
    book.load('shop-fr', 'o', undefined);
    const past = book.waitForRecordAfter(KEY, 4n, stopping.signal);
    stopping.abort(new Error('stopping'));
    await expect(past).rejects.toThrow('stopping');
  });

  it('forgets orders that the index holds, but none that is waited for', () => {
    const stopping = new AbortController();
    const book = new OrderCache();
    book.apply({ key: KEY, offset: 5n, record: intent('t'), hash: 'hash' });
    book.load('shop-fr', 'waited', undefined);
    book.waitForRecordAfter('shop-fr/waited', 9n, stopping.signal).catch(() => undefined);
    book.forget((_key, lastOffset) => lastOffset <= 5n);
    expect([book.size, book.find(KEY)]).toEqual([1, undefined]);
    stopping.abort();
  });
});

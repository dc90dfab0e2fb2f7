import { asked, captured, folded, notified } from '../../test/order-story.js';
import { fold } from './fold.js';
import { historyOf, matchOf } from './history.js';
import { emptyOrder, type OrderState, verdictOf } from './order-state.js';
import { encodeRecord, type JournalRecord, recordHash } from './records.js';

const stateOf = (records: readonly JournalRecord[]): OrderState => folded(records).order;
const verdict = (before: OrderState, seen: string): string | undefined => {
  const intent = { ...asked('refund', { seen }), rulesVersion: 1 };
  return verdictOf(fold(before, intent, BigInt(before.lastOffset) + 1n).order, 'refund#1');
};
const late = notified('capture', '0000');

describe('what a record has seen', () => {
  const order = stateOf(captured);
  const moved = stateOf([...captured, late]);

  it('is the history of the order as it was', () => {
    expect(verdict(order, historyOf(order))).toBe('granted');
  });

  it('is another one once the order moved on', () => {
    expect(verdict(moved, historyOf(order))).toBe('lost');
  });

  it('is told from a history that ends with the same record', () => {
    const [first, ...rest] = captured as [JournalRecord, ...JournalRecord[]];
    const again = stateOf([first, ...rest, first]);
    const before = stateOf([first]);
    expect(again.history!.split('.')[2]).toBe(before.history!.split('.')[2]);
    expect(matchOf(again, historyOf(before))).toBe('other');
  });

  it('is judged by the record before where the kept history begins with a late copy of its first record', () => {
    const [first, ...rest] = captured as [JournalRecord, ...JournalRecord[]];
    const whole = stateOf([first, ...rest, first]);
    const cut = stateOf([first]);
    expect(matchOf(cut, historyOf(whole))).toBe('last');
    expect(matchOf(stateOf([first, late]), historyOf(stateOf([first, ...rest, first, late])))).toBe('last');
    expect(matchOf(whole, historyOf(cut))).toBe('other');
  });

  it('is judged by the record before where the beginning is not known: deleted, or read by a process that knew less', () => {
    const cut = stateOf(captured.slice(2));
    expect(matchOf(cut, historyOf(order))).toBe('last');
    expect(verdict(cut, historyOf(order))).toBe('granted');
    expect(matchOf(order, historyOf(cut))).toBe('last');
    expect(verdict(cut, historyOf(moved))).toBe('lost');
  });

  it('is accepted where nothing before it is kept, and the order is partial', () => {
    const intent = { ...asked('refund', { seen: historyOf(order) }), rulesVersion: 1 };
    const after = fold(emptyOrder('shop-fr', 'order-1'), intent, 0n).order;
    expect([verdictOf(after, 'refund#1'), after.isPartial]).toEqual(['granted', true]);
  });

  it('is nothing where the order was not known, and the order moved on since', () => {
    expect(verdict(order, '-1')).toBe('lost');
  });

  it('refuses a REJECTED record of another history', () => {
    const rejected = {
      ...asked('refund'),
      record: 'REJECTED',
      faults: [],
    } as unknown as JournalRecord;
    const at = (seen: string, before = moved) =>
      fold(before, { ...rejected, seen } as JournalRecord, BigInt(before.lastOffset) + 1n).order.operations.length;
    expect([at(historyOf(order)), at(historyOf(moved))]).toEqual([2, 3]);
  });
});

it('a record that lands twice moves neither the chain nor the last record', () => {
  const order = stateOf(captured);
  const twice = stateOf([...captured, captured.at(-1)!]);
  expect([twice.history, BigInt(twice.lastOffset)]).toEqual([order.history, BigInt(order.lastOffset) + 1n]);
  expect(verdict(twice, historyOf(order))).toBe('granted');
});

it('is made of the stored bytes', () => {
  const [intent] = captured as [JournalRecord];
  const { history } = fold(emptyOrder('shop-fr', 'order-1'), intent, 0n).order;
  const hash = recordHash(encodeRecord(intent));
  expect(history).toBe(`${hash}.${hash}.${hash}.1`);
  const other = fold(emptyOrder('shop-fr', 'order-1'), intent, 0n, () => 'otherbytes').order.history;
  expect(other).toBe('otherbytes.otherbytes.otherbytes.1');
});

import { answered, asked, captured, folded, notified } from '../../test/order-story.js';
import { fold } from './fold.js';
import { continuedBy, historyOf, matchOf } from './history.js';
import { emptyOrder, verdictOf, type OrderState } from './order-state.js';
import { encodeRecord, recordHash, type JournalRecord } from './records.js';

const under = (rulesVersion: number, records: readonly JournalRecord[]): JournalRecord[] =>
  records.map((record) => ({ ...record, rulesVersion }));
const stateOf = (records: readonly JournalRecord[], rulesVersion = 3): OrderState =>
  folded(under(rulesVersion, records)).order;
const verdict = (before: OrderState, seen: string): string | undefined => {
  const intent = { ...asked('refund', { seen }), rulesVersion: 3 };
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
    const intent = { ...asked('refund', { seen: historyOf(order) }), rulesVersion: 3 };
    const after = fold(emptyOrder('shop-fr', 'order-1'), intent, 0n).order;
    expect([verdictOf(after, 'refund#1'), after.isPartial]).toEqual(['granted', true]);
    // Under older rules it was lost.
    expect(
      verdictOf(fold(emptyOrder('shop-fr', 'order-1'), { ...intent, rulesVersion: 2 }, 0n).order, 'refund#1'),
    ).toBe('lost');
  });

  it('is nothing where the order was not known, and the order moved on since', () => {
    expect(verdict(order, '-1')).toBe('lost');
  });

  it('refuses a REJECTED record of another history', () => {
    const rejected = {
      ...asked('refund'),
      record: 'REJECTED',
      faults: [],
      rulesVersion: 3,
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
  const [intent] = under(3, captured) as [JournalRecord];
  const { history } = fold(emptyOrder('shop-fr', 'order-1'), intent, 0n).order;
  const hash = recordHash(encodeRecord(intent));
  expect(history).toBe(`${hash}.${hash}.${hash}.1`);
  const other = fold(emptyOrder('shop-fr', 'order-1'), intent, 0n, () => 'otherbytes').order.history;
  expect(other).toBe('otherbytes.otherbytes.otherbytes.1');
});

describe('an order that comes to version 3 in the middle of its history', () => {
  const older = stateOf(captured, 2);

  it('has no history before, and its first record of version 3 names the offset', () => {
    expect([older.history, historyOf(older)]).toEqual([undefined, '3']);
    expect([verdict(older, '3'), verdict(older, '2')]).toEqual(['granted', 'lost']);
  });

  it('has one from then on, which no offset fits', () => {
    const first = fold(older, { ...late, rulesVersion: 3 }, 4n).order;
    expect(first.history).toBeDefined();
    expect([verdict(first, historyOf(first)), verdict(first, first.lastOffset)]).toEqual(['granted', 'lost']);
  });

  it('is not taken for one that begins there', () => {
    const record = { ...answered('authorize', '0000'), rulesVersion: 3 };
    const hash = recordHash(encodeRecord(record));
    const [whole, cut] = [older, emptyOrder('shop-fr', 'order-1')].map((order) => continuedBy(order, hash).split('.'));
    expect(whole![0]).not.toBe(cut![0]);
    expect(whole![2]).toBe(cut![2]);
  });

  it('keeps it under a writer that goes back to version 2', () => {
    const first = fold(older, { ...late, rulesVersion: 3 }, 4n).order;
    const refund = { ...asked('refund', { seen: historyOf(first) }), rulesVersion: 2 };
    expect(verdictOf(fold(first, refund, 5n).order, 'refund#1')).toBe('granted');
  });
});

it('leaves no trace in states and events of versions 1 and 2', () => {
  for (const rulesVersion of [1, 2]) {
    const { order } = folded(under(rulesVersion, [...captured, late]));
    expect(JSON.stringify(order)).not.toMatch(/"history"|"record"/);
  }
});

import {
  answered,
  asked,
  captured,
  folded,
  later,
  notified,
  notifiedElsewhere,
  operatorSays,
  START,
} from '../../test/order-story.js';
import { fold } from './fold.js';
import { begunWith, enter, historyOf, isRepetition, matchOf, standingOf } from './history.js';
import { emptyOrder, type OrderState, verdictOf } from './order-state.js';
import { encodeRecord, type JournalRecord, recordHash } from './records.js';

const stateOf = (records: readonly JournalRecord[]): OrderState => folded(records).order;
const verdict = (before: OrderState, seen: string): string | undefined => {
  const intent = { ...asked('refund', { seen }), rulesVersion: 1 };
  return verdictOf(fold(before, intent, BigInt(before.lastOffset) + 1n).order, 'refund#1');
};
const inOrder = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'order-1', at: START };
const matchAt = (before: OrderState, seen: string) =>
  enter(before, said(seen), { lastOffset: '9', hash: 'h', rulesVersion: 2 }).match;
const said = (seen: string) => ({ ...operatorSays('capture', 'refused'), seen, rulesVersion: 2 }) as JournalRecord;
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

describe('an order that begins with a record', () => {
  const isPartial = (record: JournalRecord) => Boolean(folded([record]).order.isPartial);
  const { attempt: _attempt, token: _token, ...terms } = asked('refund');
  const rejected = (attempt: number) =>
    ({ ...terms, record: 'REJECTED', attempt, faults: [] }) as unknown as JournalRecord;

  it.each<[string, JournalRecord, boolean]>([
    ['a first INTENT', asked('refund'), false],
    ['a second INTENT', asked('refund', { attempt: 2 }), true],
    ['a first refusal', rejected(1), false],
    ['a second refusal', rejected(2), true],
    ['a report of nobody’s', notifiedElsewhere('refund', '0000', { transactionId: 'T-1' }), false],
    ['a report with a tag', notified('refund', '0000'), true],
    ['a statement that names a command', operatorSays('refund', 'succeeded'), true],
    ['an answer', answered('refund', '0000'), true],
    ['an INTENT that rests on nothing', asked('refund', { seen: '-1' }), false],
    ['an INTENT that rests on records', asked('refund', { seen: 'b.c.l.3' }), true],
    ['an INTENT that names nothing that it rests on', asked('refund', { seen: undefined }), false],
  ])('%s may lack earlier ones', (_what, record, is) => {
    expect(isPartial(record)).toBe(is);
  });
});

describe('the time of an order', () => {
  const moved = (...times: string[]) => {
    const records = times.map((at, index) => ({ ...asked(`capture-${index}`), at }));
    return folded(records).order.movedAt;
  };

  it('is the latest of its records, in whatever form they write it', () => {
    const [one, two] = [later(1_000), later(2_000)];
    expect([moved(one, two), moved(two, one)]).toEqual([two, two]);
    const shifted = '2026-03-01T11:00:02+01:00';
    expect([moved(one, shifted), moved(shifted, one)]).toEqual([shifted, shifted]);
    expect([moved('2026-03-01T11:00:00+01:00', one), moved(one, '2026-03-01T11:00:00+01:00')]).toEqual([one, one]);
    expect(moved(shifted, two)).toBe(shifted);
    expect(moved(two, shifted)).toBe(two);
  });

  it('is not that of a reminder', () => {
    const order = stateOf(captured);
    const reminded = { ...inOrder, at: later(9_000), record: 'REMINDED', commandId: 'capture', attempt: 1 };
    const record = { ...reminded, reminder: 'capture_window' } as JournalRecord;
    expect(folded([record], order).order.movedAt).toBe(order.movedAt);
  });
});

describe('what people saw', () => {
  const order = stateOf(captured);
  const repeated = { ...inOrder, record: 'REPEATED', commandId: 'capture' } as JournalRecord;
  const stated = (from: OrderState, seen: string) =>
    folded([said(seen)], from).order.operations[1]?.statements?.map(({ verdict }) => verdict);

  it('stands behind a repetition, until something moves the order', () => {
    const again = folded([repeated], order).order;
    expect([standingOf(again), again.history === order.history]).toEqual([standingOf(order), false]);
    const movedOn = folded([late], again).order;
    expect(movedOn).not.toHaveProperty('standing');
    expect(standingOf(movedOn)).toBe(movedOn.history);
    expect(folded([late], order).order).not.toHaveProperty('standing');
  });

  it('counts for a statement, and for an INTENT what the records are', () => {
    const again = folded([repeated], order).order;
    expect(stated(again, standingOf(order))).toEqual(stated(order, standingOf(order)));
    expect([verdict(again, standingOf(order)), verdict(again, historyOf(again))]).toEqual(['lost', 'granted']);
  });

  it('is nothing of an order that had no record', () => {
    const again = folded([repeated]).order;
    expect(standingOf(again)).toBe('-1');
    expect(matchAt(again, '-1')).toBe('unknown');
  });
});

it('an offset names no history: the order has records, and it says that there were none', () => {
  for (const seen of ['-1', '0', '12']) expect(matchOf({ history: 'b.c.l.3' }, seen)).toBe('other');
  expect(matchOf({ history: 'b.c.12.3' }, 'x12.y.12.3')).toBe('last');
});

it('a longer chain of the same beginning was cut here; one as long is another', () => {
  const here = { history: 'b.c.l.3' };
  expect(matchOf(here, 'b.x.l.4')).toBe('last');
  expect(matchOf(here, 'b.x.l.3')).toBe('other');
  expect(matchOf(here, 'b.c.l.3')).toBe('whole');
  expect(matchOf(here, 'a.c.l.3')).toBe('last');
  expect(matchOf(here, 'a.c.k.3')).toBe('other');
});

it('a snapshot counts on from the history that it rests on', () => {
  expect([begunWith('h', 'b.c.l.3'), begunWith('h', '-1')]).toEqual(['h.h.h.4', 'h.h.h.1']);
});

it('a record is a repetition of the last one alone', () => {
  const repeats = (hash: string) => isRepetition({ history: 'b.c.l.3' } as OrderState, hash);
  expect([repeats('l'), repeats('c'), repeats('3')]).toEqual([true, false, false]);
  expect(isRepetition(emptyOrder('shop-fr', 'order-1'), 'l')).toBe(false);
});

it('a history of fewer records is told from the one that is known, where both end alike', () => {
  const before = { ...stateOf(captured), history: 'b.c.l.3' };
  const at = (seen: string) => matchAt(before, seen);
  expect([at('a.c.l.2'), at('a.c.l.3'), at('a.c.l.4'), at('b.c.l.3')]).toEqual(['fewer', 'last', 'last', 'whole']);
  const settled = { ...said('b.c.l.3'), record: 'SETTLED' } as never;
  const behindReminder = { ...before, history: 'b.d.m.4', standing: 'b.c.l.3' };
  const entry = { lastOffset: '9', hash: 'h', rulesVersion: 2 };
  expect(enter(behindReminder, settled, entry).match).toBe('whole');
  expect(enter(behindReminder, asked('refund', { seen: 'b.c.l.3' }), entry).match).toBe('other');
  expect(enter(behindReminder, asked('refund'), entry).match).toBe('unknown');
});

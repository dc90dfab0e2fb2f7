import { journalPartition } from '../journal/ports.js';
import { commandHash, ResumeList } from './recovery-record.js';

const at = '2026-03-01T10:05:00.000Z';
const resumedMs = Date.parse(at);

/** Key of the `at`-th order in the partition. */
const orderIn = (partition: number, at = 0): string =>
  Array.from({ length: 200 }, (_, n) => `shop-fr/o${n}`).filter((key) => journalPartition(key) === partition)[at]!;

/** A version 7 UUID of this time. */
const idOf = (timeMs: number): string =>
  timeMs.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-') + '-7cc3-98c4-dc0c0c07398f';

function listOf(...commands: string[]): ResumeList {
  const list = new ResumeList();
  list.add({ id: '1', at, partitions: [3], commands });
  return list;
}

describe('after a resume a command of its partition was made before', () => {
  const order = orderIn(3);

  it('by the time of its id where that has one, else by its own', () => {
    const list = listOf();
    expect(list.isBefore(order, { commandId: 'c1', timeMs: resumedMs - 1 })).toBe(true);
    expect(list.isBefore(order, { commandId: 'c1', timeMs: resumedMs })).toBe(false);
    expect(list.isBefore(order, { commandId: idOf(resumedMs - 1), timeMs: resumedMs + 60_000 })).toBe(true);
    expect(list.isBefore(order, { commandId: idOf(resumedMs), timeMs: resumedMs - 1 })).toBe(false);
    expect(list.isBefore(order, {})).toBe(false);
  });

  it('by its id where the command topics held it at the resume, whatever time a repeat has', () => {
    const list = listOf(commandHash(order, 'c1'));
    const repeat = { commandId: 'c1', timeMs: resumedMs + 60_000 };
    expect(list.isBefore(order, repeat)).toBe(true);
    expect(list.isBefore(order, { ...repeat, commandId: 'c2' })).toBe(false);
    expect(list.isBefore(orderIn(3, 1), repeat)).toBe(false);
  });

  it('and no command of another partition was', () => {
    const [list, of4] = [listOf(), orderIn(4)];
    expect([list.hasResumed(order), list.hasResumed(of4), new ResumeList().hasResumed(order)]).toEqual([true, false, false]); // prettier-ignore
    expect(list.isBefore(of4, { commandId: 'c1', timeMs: resumedMs - 1 })).toBe(false);
  });

  it('where the latest of several resumes counts', () => {
    const list = listOf();
    list.add({ id: '2', at: '2026-03-02T10:05:00.000Z', partitions: [3], commands: [] });
    list.add({ id: '0', at: '2026-02-01T10:05:00.000Z', partitions: [3], commands: [] });
    expect(list.isBefore(order, { timeMs: resumedMs + 60_000 })).toBe(true);
    expect(list.count).toBe(3);
  });
});

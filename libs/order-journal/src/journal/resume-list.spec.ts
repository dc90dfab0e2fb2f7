import { journalPartition } from './journal-partition.js';
import { ResumeList, type ResumeDecision } from './resume-list.js';

const approval: ResumeDecision = {
  ...{ id: '1', partition: 3, log: { low: '40', last: { offset: '49', hash: 'abc' } }, epoch: 0 },
  ...{ reason: 'the disk was lost, ticket 77', proposedBy: 'alice', approvedBy: 'bob' },
  ...{ approvedAt: '2026-03-01T10:05:00.000Z', isApplied: false },
  commandEnds: { 'payments.commands.card.v1': ['7', '0', '12'] },
};
const application = { ...approval, isApplied: true };

/** Key of the `at`-th order in the partition. */
const orderIn = (partition: number, at = 0): string =>
  Array.from({ length: 200 }, (_, n) => `shop-fr/o${n}`).filter((key) => journalPartition(key) === partition)[at]!;

/** A version 7 UUID of this time. */
const idOf = (timeMs: number): string =>
  timeMs.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-') + '-7cc3-98c4-dc0c0c07398f';

function listOf(...decisions: ResumeDecision[]): ResumeList {
  const list = new ResumeList();
  for (const decision of decisions) list.add(decision);
  return list;
}

describe('a stopped partition goes on', () => {
  it('by an approval that was not applied yet, once', () => {
    expect(listOf().isEmpty).toBe(true);
    expect(listOf(approval).pending).toEqual([approval]);
    expect(listOf(approval, application).pending).toEqual([]);
    expect(listOf(application).isEmpty).toBe(false);
  });

  const order = orderIn(3);
  const topic = 'payments.commands.card.v1';
  const later = { topic, partition: 0, offset: 99n };
  const approvedMs = Date.parse(approval.approvedAt);

  it('and commands that were published before the approval are known by their place', () => {
    const list = listOf(approval, application);
    expect(list.isBefore(order, { ...later, offset: 6n })).toBe(true);
    expect(list.isBefore(order, { ...later, offset: 7n })).toBe(false);
    expect(list.isBefore(order, { topic, partition: 1, offset: 0n })).toBe(false);
    expect(list.isBefore(order, { topic: 'another', partition: 0, offset: 0n })).toBe(false);
    expect(list.isBefore(orderIn(4), { ...later, offset: 6n })).toBe(false);
    expect(listOf().isBefore(order, { ...later, offset: 6n })).toBe(false);
    expect(list.endOf(later)).toBe(7n);
    expect(list.endOf({ topic: 'another', partition: 0 })).toBe(0n);
    expect([list.hasDecided(order), list.hasDecided(orderIn(4)), listOf().hasDecided(order)]).toEqual([true, false, false]); // prettier-ignore
  });

  it('and a repeat is known by the time that it kept, or that its id carries, whichever is earlier', () => {
    const list = listOf(approval, application);
    expect(list.isBefore(order, { ...later, timeMs: approvedMs - 1 })).toBe(true);
    expect(list.isBefore(order, { ...later, timeMs: approvedMs })).toBe(false);
    const newTime = { ...later, timeMs: approvedMs + 60_000 };
    expect(list.isBefore(order, { ...newTime, commandId: idOf(approvedMs - 1) })).toBe(true);
    expect(list.isBefore(order, { ...newTime, commandId: idOf(approvedMs) })).toBe(false);
    expect(list.isBefore(order, { ...later, timeMs: approvedMs - 1, commandId: idOf(approvedMs) })).toBe(true);
    expect(list.isBefore(orderIn(4), { ...newTime, commandId: idOf(approvedMs - 1) })).toBe(false);
  });

  it('and a repeat with a new time is known by its id where the command topics hold it of before', () => {
    const list = listOf(approval, application);
    const repeat = { ...later, timeMs: approvedMs + 60_000, commandId: 'c1' };
    expect(list.isBefore(order, repeat)).toBe(false);
    list.addCopy(order, 'c1', { ...later, offset: 6n });
    expect(list.isBefore(order, repeat)).toBe(true);
    expect(list.isBefore(order, { ...repeat, topic: 'payments.commands.partner-a.v1' })).toBe(true);
    expect(list.isBefore(order, { ...repeat, commandId: 'c2' })).toBe(false);
    expect(list.isBefore(orderIn(3, 1), repeat)).toBe(false);
    list.addCopy(order, 'c2', { ...later, offset: 7n });
    expect(list.isBefore(order, { ...repeat, commandId: 'c2' })).toBe(false);
  });
});

import { ResumeList, resumeDecisionOf, type ResumeDecision } from './resume-list.js';
import { SkipList } from './skip-list.js';

const proposal: ResumeDecision = {
  ...{ kind: 'resume', id: '1', partition: 3, log: { low: '40', last: { offset: '49', hash: 'abc' } }, epoch: 0 },
  ...{ reason: 'the disk was lost, ticket 77', proposedBy: 'alice', proposedAt: '2026-03-01T10:00:00.000Z' },
};
const commandEnds = { 'payments.commands.card.v1': ['7', '0', '12'] };
const approval = { ...proposal, approvedBy: 'bob', approvedAt: '2026-03-01T10:05:00.000Z', commandEnds };
const application = { ...approval, appliedAt: '2026-03-01T10:10:00.000Z' };

function listOf(...decisions: ResumeDecision[]): ResumeList {
  const list = new ResumeList();
  for (const decision of decisions) list.take(decision);
  return list;
}

describe('a stopped partition goes on', () => {
  it('where one person proposed it and another approved it, once', () => {
    expect(listOf(proposal).pending).toEqual([]);
    expect(listOf(proposal, approval).pending).toEqual([approval]);
    expect(listOf(proposal, approval, application).pending).toEqual([]);
  });

  it.each<[string, ResumeDecision[], ResumeDecision, string]>([
    ['who proposed it', [proposal], { ...approval, approvedBy: 'alice' }, 'was approved by who proposed it'],
    ['nobody proposed', [], approval, 'was never proposed'],
    ['another partition', [proposal], { ...approval, partition: 4 }, 'is about another log'],
    ['another log', [proposal], { ...approval, log: { low: '40' } }, 'is about another log'],
    ['no ends', [proposal], { ...approval, commandEnds: undefined }, 'does not say where the commands ended'],
    ['twice', [proposal, approval], { ...approval, commandEnds: {} }, 'was approved before'],
    ['applied twice', [proposal, approval, application], application, 'was approved before'],
    ['proposed twice', [proposal], { ...proposal, reason: 'another one' }, 'was proposed before'],
    ['applied, not approved', [proposal], { ...application, commandEnds: undefined }, 'does not say where'],
  ])('not by an approval that does not count: %s', (_what, before, decision, fault) => {
    const list = listOf(...before);
    const known = [...list.decisions];
    expect(list.take(decision)).toContain(fault);
    expect(list.decisions).toEqual(known);
  });

  it('and commands that were published before the approval are known by their place', () => {
    const list = listOf(proposal, approval, application);
    const topic = 'payments.commands.card.v1';
    expect(list.isBefore(3, { topic, partition: 0, offset: 6n })).toBe(true);
    expect(list.isBefore(3, { topic, partition: 0, offset: 7n })).toBe(false);
    expect(list.isBefore(3, { topic, partition: 1, offset: 0n })).toBe(false);
    expect(list.isBefore(3, { topic: 'another', partition: 0, offset: 0n })).toBe(false);
    expect(list.isBefore(4, { topic, partition: 0, offset: 6n })).toBe(false);
    const approvedMs = Date.parse(approval.approvedAt);
    expect(list.isBefore(3, { topic, partition: 0, offset: 99n, timeMs: approvedMs - 1 })).toBe(true);
    expect(list.isBefore(3, { topic, partition: 0, offset: 99n, timeMs: approvedMs })).toBe(false);
    expect(listOf(proposal).isBefore(3, { topic, partition: 0, offset: 6n })).toBe(false);
  });

  it('is not taken for a decision about a record, nor the other way round', () => {
    const value = Buffer.from(JSON.stringify(approval));
    expect(resumeDecisionOf(value)).toEqual(approval);
    expect(new SkipList().take(value)).toBe('is no decision');
    const skip = { id: '1', partition: 3, offset: '7', hash: 'abc', reason: 'r', proposedBy: 'alice', proposedAt: '' };
    expect(resumeDecisionOf(Buffer.from(JSON.stringify(skip)))).toBeUndefined();
    expect(resumeDecisionOf(Buffer.from('{'))).toBeUndefined();
    expect(resumeDecisionOf(null)).toBeUndefined();
  });
});

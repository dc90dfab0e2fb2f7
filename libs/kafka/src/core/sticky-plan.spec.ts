import fc from 'fast-check';
import { numberPlan, stickyPlan, type Member, type Partitions } from './sticky-plan.js';

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const sizes = (plan: Map<string, Partitions>, topic: string) =>
  [...plan.values()].map((partitions) => partitions[topic]!.length);

describe('the sticky plan', () => {
  it('gives each partition to one member, evenly for every topic and over all of them', () => {
    const topics = { a: upTo(12), b: upTo(5), c: upTo(1), d: upTo(7) };
    const members = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 9 });
    const wishes = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'gone'), fc.array(fc.integer({ min: 0, max: 14 })));
    fc.assert(
      fc.property(members, fc.array(wishes, { minLength: 9, maxLength: 9 }), (ids, owned) => {
        const plan = stickyPlan(
          ids.map((memberId, i) => ({ memberId, owned: owned[i]! })),
          topics,
        );
        for (const [topic, partitions] of Object.entries(topics)) {
          expect([...plan.values()].flatMap((own) => own[topic]!).sort((a, b) => a - b)).toEqual(partitions);
          expect(Math.max(...sizes(plan, topic)) - Math.min(...sizes(plan, topic))).toBeLessThanOrEqual(1);
        }
        const totals = [...plan.values()].map((own) => Object.values(own).flat().length);
        expect(Math.max(...totals) - Math.min(...totals)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves everybody what it had when a member comes or goes, as far as that is even', () => {
    const topics = { a: upTo(12), b: upTo(12) };
    let members: Member[] = [{ memberId: 'one', owned: {} }];
    const replan = (...ids: string[]) => {
      const before = new Map(members.map(({ memberId, owned }) => [memberId, owned]));
      const plan = stickyPlan(
        ids.map((memberId) => ({ memberId, owned: before.get(memberId) ?? {} })),
        topics,
      );
      members = [...plan].map(([memberId, owned]) => ({ memberId, owned }));
      return ids.reduce((kept, id) => {
        const had = before.get(id) ?? {};
        return (
          kept +
          Object.entries(plan.get(id)!).flatMap(([topic, own]) => own.filter((p) => had[topic]?.includes(p))).length
        );
      }, 0);
    };
    expect(replan('one')).toBe(0);
    expect(replan('one', 'two')).toBe(12);
    expect(replan('one', 'two', 'three')).toBe(16);
    expect(replan('three', 'one')).toBe(16);
    expect(replan('one', 'three')).toBe(24);
  });

  it('does not depend on the order of the members', () => {
    const members = ['a', 'b', 'c'].map((memberId) => ({ memberId, owned: { t: [0, 1, 2] } }));
    expect(stickyPlan([...members].reverse(), { t: upTo(7) })).toEqual(stickyPlan(members, { t: upTo(7) }));
  });
});

describe('the plan of numbers', () => {
  it('gives a member the same partitions of every topic, and keeps them at a join', () => {
    const topics = { commands: upTo(12), journal: upTo(12), small: upTo(3) };
    const alone = numberPlan([{ memberId: 'one', owned: {} }], topics).get('one')!;
    expect(alone).toEqual(topics);
    const both = numberPlan(
      [
        { memberId: 'one', owned: alone },
        { memberId: 'two', owned: {} },
      ],
      topics,
    );
    for (const { commands, journal, small } of both.values()) {
      expect(commands).toHaveLength(6);
      expect(journal).toEqual(commands);
      expect(small).toEqual(commands!.filter((number) => number < 3));
    }
    const again = [...both].map(([memberId, owned]) => ({ memberId, owned }));
    expect(numberPlan(again, topics)).toEqual(both);
  });

  it('gives nothing to a member that cannot work while another one can, and moves nothing where none can', () => {
    const topics = { commands: upTo(12), journal: upTo(12) };
    const plan = (...members: Member[]) => numberPlan(members, topics);
    const half = { commands: upTo(6), journal: upTo(6) };
    const otherHalf = { commands: upTo(12).slice(6), journal: upTo(12).slice(6) };
    const one = { memberId: 'one', owned: half };
    const two = { memberId: 'two', owned: otherHalf };
    const [unable, alsoUnable] = [one, two].map((member) => ({ ...member, canWork: false }));
    expect(plan(unable!, two)).toEqual(new Map([['one', {commands: [], journal: []}], ['two', topics]])); // prettier-ignore
    expect(plan(unable!, alsoUnable!)).toEqual(new Map([['one', half], ['two', otherHalf]])); // prettier-ignore
    expect(plan(unable!)).toEqual(new Map([['one', topics]]));
  });

  it('gives a partition beyond the count to the owner of its number modulo the count, who keeps it when they are added', () => {
    const members = (plan: Map<string, Partitions>) => [...plan].map(([memberId, owned]) => ({ memberId, owned }));
    const nobody = ['one', 'two', 'three'].map((memberId) => ({ memberId, owned: {} }));
    const before = numberPlan(nobody, { commands: upTo(12), journal: upTo(12) }, 12);
    const after = numberPlan(members(before), { commands: upTo(25), journal: upTo(12) }, 12);
    for (const [memberId, { commands, journal }] of after) {
      expect(journal).toEqual(before.get(memberId)!.journal);
      expect(commands).toEqual(upTo(25).filter((partition) => journal!.includes(partition % 12)));
    }
    expect(numberPlan(members(after), { commands: upTo(25), journal: upTo(12) }, 12)).toEqual(after);
  });
});

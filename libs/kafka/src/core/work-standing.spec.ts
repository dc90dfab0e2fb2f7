import { WorkStanding } from './work-standing.js';

const SECOND_MS = 1_000;

/** The answers of one look each second; `obstacles` has one letter for each, x where there is an obstacle. */
function answers(obstacles: string): string {
  const standing = new WorkStanding();
  return [...obstacles]
    .map((letter, at) => (standing.look(letter === 'x', at * SECOND_MS), standing.canWork ? '.' : 'x'))
    .join('');
}

it('counts an obstacle that has lasted 30 s, and its end that has lasted as long', () => {
  expect(answers('x'.repeat(40) + '.'.repeat(40))).toBe('.'.repeat(30) + 'x'.repeat(40) + '.'.repeat(10));
});

it('changes nothing for an obstacle that comes and goes, however often', () => {
  expect(answers(`${'x'.repeat(29)}.`.repeat(20))).toBe('.'.repeat(600));
  expect(answers(`${'x'.repeat(40)}${`${'.'.repeat(29)}x`.repeat(20)}`)).toBe('.'.repeat(30) + 'x'.repeat(610));
});

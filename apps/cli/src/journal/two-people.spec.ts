import { RefusedError } from '../exit.js';
import { confirm, twoPeople } from './two-people.js';

const people = { requestedBy: 'alice', approvedBy: 'bob', reason: 'the disk was lost, ticket 77' };

it('takes two different names and a reason', () => {
  expect(twoPeople({ ...people, approvedBy: ' bob ' })).toEqual(people);
});

it.each([
  ['the same name', { approvedBy: ' ALICE' }, 'another person'],
  ['the same name in other characters', { requestedBy: 'Zoé', approvedBy: 'Zoe\u0301' }, 'another person'],
  ['no name', { requestedBy: ' ' }, '--requested-by must be'],
  ['a name with a line break', { approvedBy: 'bob\nroot' }, '--approved-by must be'],
  ['a short reason', { reason: 'because' }, '--reason must have 10'],
])('refuses %s', (_what, wrong, says) => {
  expect(() => twoPeople({ ...people, ...wrong })).toThrow(says);
});

it('names every fault at once', () => {
  expect(() => twoPeople({ requestedBy: '', approvedBy: '', reason: '' })).toThrow(
    /--requested-by[^]*--approved-by[^]*--reason/,
  );
});

it('changes nothing where nobody can confirm, but for --yes', async () => {
  const { isTTY } = process.stdin;
  process.stdin.isTTY = false;
  try {
    await expect(confirm('resume', {})).rejects.toThrow(RefusedError);
    await expect(confirm('resume', { yes: true })).resolves.toBeUndefined();
  } finally {
    process.stdin.isTTY = isTTY;
  }
});

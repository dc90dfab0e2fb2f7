import { Random } from '../simulation/random.js';
import { NeedleIndex } from './needle-index.js';

const matches = (needles: string[], text: string) =>
  [...new NeedleIndex(needles.map((needle) => ({ text: needle }))).matchesIn(text)].map(
    ({ at, needle }) => `${at} ${needle.text}`,
  );

it('finds at the beginning, at the end, overlapping, twice, and one within another', () => {
  expect(matches(['abcd', 'bcdabcd', 'cdab'], 'abcdabcd')).toEqual(['0 abcd', '1 bcdabcd', '2 cdab', '4 abcd']);
  expect(matches(['abcd'], 'abc')).toEqual([]);
  expect(matches(['\u00ff\u0000\u00fe\u0001x'], '..\u00ff\u0000\u00fe\u0001x')).toEqual([
    '2 \u00ff\u0000\u00fe\u0001x',
  ]);
});

it('takes no needle that would be found everywhere', () => {
  expect(() => new NeedleIndex([{ text: '737' }])).toThrow('3 characters');
});

it('finds what indexOf finds, in random texts of few letters', () => {
  const random = new Random(1);
  const word = (length: number) => Array.from({ length }, () => 'abc'[random.below(3)]).join('');
  for (let round = 0; round < 200; round++) {
    const needles = [...new Set(Array.from({ length: 5 }, () => word(4 + random.below(3))))];
    const text = word(random.below(60));
    const expected = [...Array(text.length).keys()].flatMap((at) =>
      needles.filter((needle) => text.startsWith(needle, at)).map((needle) => `${at} ${needle}`),
    );
    expect(matches(needles, text).sort()).toEqual(expected.sort());
  }
});

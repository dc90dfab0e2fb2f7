import { simulate } from './simulate.js';

const seeds = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

it.each([
  ['plain', 1, 20],
  ['rough', 1, 20],
] as const)(
  'lets projectors take records from the tail of their process, and fetch others, in most %s worlds',
  async (profile, from, count) => {
    let both = 0;
    for (const seed of seeds(from, count)) {
      const { buffered, fetched } = await simulate({ seed, profile });
      if (buffered > 0 && fetched > 0) both++;
    }
    expect(both).toBeGreaterThan(count / 2);
  },
);

it('lets projectors fetch hardly anything in a world without faults', async () => {
  const taken = { buffered: 0, fetched: 0 };
  for (const seed of seeds(1, 20)) {
    const { buffered, fetched } = await simulate({ seed, isCalm: true });
    taken.buffered += buffered;
    taken.fetched += fetched;
  }
  expect(taken.fetched).toBeLessThan(taken.buffered / 20);
});

import { SeenEvents } from './event-delivery.js';

it('knows the ids of each partition that were handled last', () => {
  const seen = new SeenEvents(2);
  for (const id of ['a', 'b', 'a', 'c']) seen.add(1, id);
  expect(['a', 'b', 'c'].map((id) => seen.has(1, id))).toEqual([true, false, true]);
  expect(seen.has(2, 'a')).toBe(false);
});

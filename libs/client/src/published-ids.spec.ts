import { PublishedIds } from './published-ids.js';

it('sees an id that is used for something else, as long as it remembers it', () => {
  const ids = new PublishedIds(2);
  expect([ids.note('a', '1'), ids.note('a', '1'), ids.note('a', '2')]).toEqual([true, true, false]);
  expect([ids.note('b', '1'), ids.note('c', '1'), ids.note('a', '2')]).toEqual([true, true, true]);
});

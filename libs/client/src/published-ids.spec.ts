import { PublishedIds } from './published-ids.js';

const use = (id: string, contentHash: string, key = 'shop-fr/order-1') => ({ id, key, contentHash });

it('sees an id that is used for something else, as long as it remembers it', () => {
  const ids = new PublishedIds(2);
  expect([ids.note(use('a', '1')), ids.note(use('a', '1')), ids.note(use('a', '2'))]).toEqual([true, true, false]);
  expect([ids.note(use('b', '1')), ids.note(use('c', '1')), ids.note(use('a', '2'))]).toEqual([true, true, true]);
});

it('takes the same id at another order for another operation', () => {
  const ids = new PublishedIds();
  expect([
    ids.note(use('1', 'x', 'shop-fr/a')),
    ids.note(use('1', 'y', 'shop-fr/b')),
    ids.note(use('1', 'y', 'shop-es/a')),
  ]).toEqual([true, true, true]);
});

it('forgets what was taken back, unless the same went out another time', () => {
  const ids = new PublishedIds();
  ids.note(use('a', '1'));
  ids.takeBack(use('a', '1'));
  expect(ids.isOther(use('a', '2'))).toBe(false);
  ids.note(use('b', '1'));
  ids.note(use('b', '1'));
  ids.takeBack(use('b', '1'));
  expect([ids.isOther(use('b', '1')), ids.isOther(use('b', '2'))]).toEqual([false, true]);
});

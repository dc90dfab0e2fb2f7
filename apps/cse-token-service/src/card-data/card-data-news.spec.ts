import { CardDataNews } from './card-data-news.js';

it('card data is news once a minute for each origin', () => {
  const news = new CardDataNews();
  expect([news.isNews('a', 0), news.isNews('a', 59_999), news.isNews('b', 59_999), news.isNews('a', 60_000)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

import { journalPartition } from './ports.js';

it('spreads orders over all twelve partitions', () => {
  const seen = new Set(Array.from({ length: 500 }, (_, index) => journalPartition(`shop-fr/order-${index}`)));
  expect([...seen].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

import { journalPartition, murmur2 } from './partition.js';

describe('murmur2', () => {
  // Vectors of Kafka's own UtilsTest.testMurmur2 (Apache Kafka, clients).
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('%s', (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
  });

  it('spreads orders over all twelve partitions', () => {
    const seen = new Set(Array.from({ length: 500 }, (_, index) => journalPartition(`shop-fr/order-${index}`)));
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});

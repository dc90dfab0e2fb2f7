import { murmur2, partitionForKey } from './values.js';

/** Vectors of Kafka's own UtilsTest.testMurmur2 (Apache Kafka, clients). */
const VECTORS = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
] as const;

it.each(VECTORS)('murmur2 of %s is what Java computes', (text, hash) => {
  expect(murmur2(Buffer.from(text))).toBe(hash);
});

it.each(VECTORS)('the partition of %s is what Java computes', (key, hash) => {
  expect(partitionForKey(key, 12)).toBe((hash & 0x7fffffff) % 12);
});

it('takes the UTF-8 bytes of a key', () => {
  expect(partitionForKey('shop/commande-é', 12)).toBe(partitionForKey(Buffer.from('shop/commande-é'), 12));
});

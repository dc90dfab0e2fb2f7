import fc from 'fast-check';
import kafkajs, { type PartitionMetadata } from 'kafkajs';
import { partitionForKey } from '@tranche/runtime';

/** murmur2 of Kafka's Java client, from its own test of the hash. */
describe('partitionForKey', () => {
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('of %s is what Java computes', (key, hash) => {
    expect(partitionForKey(key, 12)).toBe((hash & 0x7fffffff) % 12);
  });

  it('takes the UTF-8 bytes of a key', () => {
    expect(partitionForKey('shop/commande-é', 12)).toBe(partitionForKey(Buffer.from('shop/commande-é'), 12));
  });

  it('is what kafkajs computes', () => {
    const choose = kafkajs.Partitioners.DefaultPartitioner();
    const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId, leader: 0 }) as PartitionMetadata);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const key = Buffer.from(bytes);
        expect(partitionForKey(key, 12)).toBe(choose({ topic: '', partitionMetadata, message: { key, value: null } }));
      }),
      { numRuns: 1000 },
    );
  });
});

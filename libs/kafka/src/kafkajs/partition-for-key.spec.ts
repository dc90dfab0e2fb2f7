import fc from 'fast-check';
import kafkajs, { type PartitionMetadata } from 'kafkajs';
import { partitionForKey } from '@tranche/runtime';

it('partitionForKey is what kafkajs computes', () => {
  const choose = kafkajs.Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from(
    { length: 12 },
    (_, partitionId) => ({ partitionId, leader: 0 }) as PartitionMetadata,
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      const key = Buffer.from(bytes);
      expect(partitionForKey(key, 12)).toBe(choose({ topic: '', partitionMetadata, message: { key, value: null } }));
    }),
    { numRuns: 1000 },
  );
});

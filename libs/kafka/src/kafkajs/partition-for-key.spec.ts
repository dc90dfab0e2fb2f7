import fc from 'fast-check';
import kafkajs, { type PartitionMetadata } from 'kafkajs';
import { partitionForKey } from '@tranche/runtime';
import { numberPlan } from '../core/sticky-plan.js';

const choose = kafkajs.Partitioners.DefaultPartitioner();
const numbers = (count: number) => Array.from({ length: count }, (_, partition) => partition);
/** A publisher that leaves the partition to a murmur2 partitioner chooses this one of `count`. */
const chosenAmong = (count: number, key: Buffer) => {
  const partitionMetadata = numbers(count).map((partitionId) => ({ partitionId, leader: 0 }) as PartitionMetadata);
  return choose({ topic: '', partitionMetadata, message: { key, value: null } });
};
const ofKeys = (holds: (key: Buffer) => void) =>
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => holds(Buffer.from(bytes))),
    { numRuns: 1000 },
  );

it('partitionForKey is what kafkajs computes', () =>
  ofKeys((key) => expect(partitionForKey(key, 12)).toBe(chosenAmong(12, key))));

describe('a publisher and a gateway that know different numbers of partitions', () => {
  const owners = numberPlan(
    ['a', 'b', 'c', 'd', 'e'].map((memberId) => ({ memberId, owned: {} })),
    { commands: numbers(24), journal: numbers(12) },
    12,
  );
  const ownerOf = (topic: 'commands' | 'journal', partition: number) =>
    [...owners].find(([, plan]) => plan[topic]!.includes(partition))![0];

  it('agree on the owner where the publisher knows 12 and the topic has 24', () =>
    ofKeys((key) => {
      const chosen = chosenAmong(12, key);
      expect(chosen).toBe(partitionForKey(key, 12));
      expect(ownerOf('commands', chosen)).toBe(ownerOf('journal', partitionForKey(key, 12)));
    }));

  it('agree on the owner where the publisher knows 24: it chooses the own partition, or the one twelve above', () =>
    ofKeys((key) => {
      const own = partitionForKey(key, 12);
      const chosen = chosenAmong(24, key);
      expect([own, own + 12]).toContain(chosen);
      expect(ownerOf('commands', chosen)).toBe(ownerOf('journal', own));
    }));

  it('need the forwarding where the number is no multiple of 12', () => {
    const keys = numbers(500).map((order) => Buffer.from(`shop-fr/order-${order}`));
    const elsewhere = keys.filter((key) => chosenAmong(13, key) % 12 !== partitionForKey(key, 12));
    expect(elsewhere.length).toBeGreaterThan(250);
  });
});

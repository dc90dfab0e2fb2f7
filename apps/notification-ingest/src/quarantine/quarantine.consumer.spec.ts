import { inOrderOfArrival } from './quarantine.consumer.js';
import type { Quarantined } from '../quarantine-record.js';

const ended: string[] = [];

// eslint-disable-next-line @typescript-eslint/require-await -- a topic is read so
async function* partition(...ids: string[]): AsyncGenerator<Quarantined> {
  try {
    for (const id of ids)
      yield {
        id,
        reason: 'hash_mismatch',
        entry: { key: id, partition: 0, offset: 0n },
        from: '::1',
        receivedAt: `2027-01-01T00:00:0${id}Z`,
        isAltered: false,
        parameters: [],
      };
  } finally {
    ended.push(ids.join());
  }
}

it('partitions are read in the order in which their records came', async () => {
  const read: string[] = [];
  for await (const { id } of inOrderOfArrival([
    partition('2', '3', '7'),
    partition(),
    partition('1', '5', '6', '8'),
    partition('4'),
  ]))
    read.push(id);
  expect(read).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
});

it('closes partitions that were not read to the end', async () => {
  ended.length = 0;
  for await (const { id } of inOrderOfArrival([partition('1', '3'), partition('2')])) if (id === '1') break;
  expect(ended.sort()).toEqual(['1,3', '2']);
});

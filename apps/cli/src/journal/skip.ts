import { randomUUID } from 'node:crypto';
import { TOPICS } from '@tranche/contracts';
import type { SkippedRecord, TwoPeople } from '@tranche/order-journal';
import { RefusedError } from '../exit.js';
import { audited } from './audited.js';
import type { JournalAccess } from './journal-access.js';
import type { JournalStatus } from './journal-status.js';
import { assertNoMembers } from './resume.js';

interface RecordName {
  partition: number;
  offset: string;
  hash: string;
}

/** @throws RefusedError unless this release can't read the record, no newer one may have written it, and it has this hash */
export function assertSkippable(status: JournalStatus, { partition, offset, hash }: RecordName): void {
  assertNoMembers(status.members);
  const damage = status.partitions[partition]?.damages.find((one) => one.offset === offset);
  if (damage === undefined)
    throw new RefusedError(`partition ${partition} has no unreadable record at ${offset}: see \`tranche journal status\``);
  if (damage.kind !== 'unreadable_record') throw new RefusedError(`${damage.says}: ${damage.next}`);
  if (damage.hash !== hash) throw new RefusedError(`the record at ${offset} has the hash ${damage.hash}, not ${hash}: look at it again`);
} // prettier-ignore

export const skipPlan = ({ partition, offset }: RecordName, says: string): string =>
  [
    `the record at ${offset} of partition ${partition} is skipped (${says})`,
    'What it said is lost. Its order is frozen: nothing is sent for it any more.',
    'This can not be taken back.',
  ].join('\n');

export async function skip(access: JournalAccess, name: RecordName, people: TwoPeople): Promise<void> {
  const id = randomUUID();
  const { partition, offset } = name;
  const about = { action: 'partition.skip', proposal: id, partition, offset } as const;
  await audited(access, [about], people, async () => {
    const orderKey = await keyOf(access, name);
    const record: SkippedRecord = {
      record: 'skipped',
      id,
      at: new Date().toISOString(),
      ...name,
      ...people,
      ...(orderKey === null ? {} : { orderKey }),
    };
    await access.producer.send({
      topic: access.topic(TOPICS.decisions),
      partition: 0,
      headers: { 'content-type': 'application/json' },
      key: `${id}/${randomUUID()}`,
      value: Buffer.from(JSON.stringify(record)),
    });
  });
}

async function keyOf(access: JournalAccess, { partition, offset }: RecordName): Promise<string | null> {
  for await (const [record] of access.read(partition, BigInt(offset), BigInt(offset) + 1n))
    if (record) return record.key;
  return null;
}

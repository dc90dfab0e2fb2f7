import type { GroupMember } from '@tranche/kafka';
import type { SkippedRecord } from '@tranche/order-journal';
import type { JournalStatus, PartitionStatus } from './journal-status.js';

/** For people: one line per partition, then what is damaged and what to do. */
export function statusText({ topic, exists, members, partitions, skipped }: JournalStatus): string {
  const rows = [
    ['partition', 'first', 'next', 'index', 'published', 'state'],
    ...partitions.map((one) => [
      ...[one.partition, one.ends?.low ?? '-', one.ends?.high ?? '-', indexOf(one), one.committed ?? '-', one.state],
    ]),
  ].map((row) => row.map(String));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const found = partitions.flatMap(({ partition, damages, unknown }) => [
    ...damages.map(({ says, next }) => `partition ${partition}: ${says}\n  next: ${next}`),
    ...(unknown === undefined ? [] : [`partition ${partition}: ${unknown}`]),
  ]);
  const running = members.length === 0 ? ['no gateway is running'] : [runningText(members)];
  return [
    `${topic}${exists ? '' : ' does not exist'}`,
    ...table,
    '',
    ...running,
    ...found,
    ...skipped.map(skipText),
  ].join('\n');
}

/** For programs: offsets are texts, because they may exceed what a JSON number holds exactly. */
export const statusJson = (status: JournalStatus): string =>
  JSON.stringify(status, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

export const runningText = (members: readonly GroupMember[]): string =>
  [
    'gateways are running (a killed one stays a member until its session times out):',
    ...members.map(({ groupId, clientId, clientHost, memberId }) => `  ${groupId}: ${clientId} at ${clientHost} (${memberId})`), // prettier-ignore
  ].join('\n');

const skipText = ({ partition, offset, orderKey, at, requestedBy, approvedBy, reason }: SkippedRecord): string =>
  `partition ${partition}: the record at ${offset} was skipped at ${at} by ${requestedBy} and ${approvedBy} (${reason}): ` +
  (orderKey === undefined ? 'its order is frozen' : `order ${orderKey} is frozen`);

const indexOf = ({ mark, isIndexUnverified }: PartitionStatus): string =>
  mark === undefined ? (isIndexUnverified === true ? 'unverified' : 'none') : String(mark.marker);

import { JournalRecovery, recoveryRecordOf, type RecoveryRecord } from './recovery-record.js';

const people = { requestedBy: 'alice', approvedBy: 'bob', reason: 'the disk was lost, ticket 77' };
const at = '2026-03-01T10:05:00.000Z';
const resumed: RecoveryRecord = { record: 'resumed', id: '1', at, partitions: [3], commands: ['abc'], ...people };
const skipped: RecoveryRecord = { record: 'skipped', id: '2', at, partition: 3, offset: '7', hash: 'h', ...people };
const read = (record: unknown) => recoveryRecordOf(Buffer.from(JSON.stringify(record)));

it('reads resumes and skips, and nothing else of the topic', () => {
  expect([read(resumed), read(skipped)]).toEqual([resumed, skipped]);
  const others = [{ record: 'proposed', id: '1' }, null, 7, { ...resumed, partitions: ['3'] }, { ...resumed, at: 'x' }];
  expect(others.map(read)).toEqual(others.map(() => undefined));
  expect([recoveryRecordOf(null), recoveryRecordOf(Buffer.from('{'))]).toEqual([undefined, undefined]);
});

it('counts a resume that is written as several records once', () => {
  const recovery = new JournalRecovery();
  for (const record of [resumed, { ...resumed, commands: ['def'] }, skipped]) recovery.take(record);
  expect(recovery.resumes.count).toBe(1);
});

import { healthOf, type PartitionFacts } from '@tranche/order-journal';
import { exitCodeOf, type JournalStatus } from './journal-status.js';
import { resumable, resumePlan } from './resume.js';
import { assertSkippable } from './skip.js';
import { statusJson, statusText } from './status-text.js';

const sound: PartitionFacts = {
  ...{ partition: 0, ends: { low: 0n, high: 10n }, mark: { marker: 9n, hash: 'h9' }, hashAtMarker: 'h9' },
  ...{ committed: 10n, unreadable: [] },
};
const lost: Partial<PartitionFacts> = { ends: { low: 0n, high: 4n } };
const poison = { offset: 10n, hash: 'p10', why: 'A journal record is not JSON', maySkip: true };

function statusOf(...more: Partial<PartitionFacts>[]): JournalStatus {
  const partitions = more.map((facts, partition) => {
    const all = { ...sound, ...facts, partition };
    return { ...all, ...healthOf(all) };
  });
  return { topic: 'payments.journal.v1', exists: true, members: [], skipped: [], partitions };
}

const member = { groupId: 'payment-gateway', clientId: 'gateway', clientHost: '/10.0.0.7', memberId: 'm-1' };
const namesOf = (status: JournalStatus, ...asked: number[]) =>
  resumable(status, asked).map(({ partition }) => partition);

describe('a resume', () => {
  it('is of the partitions that lost records, or of those asked for', () => {
    expect(namesOf(statusOf({}, lost, lost))).toEqual([1, 2]);
    expect(namesOf(statusOf({}, lost, lost), 2)).toEqual([2]);
    const plan = resumePlan(resumable(statusOf({}, lost, lost), []), new Map([[1, { low: 5n, high: 905n }]]));
    expect(plan).toContain('partition 1 goes on with the records 0 to 3');
    expect(plan).toContain('notifications are read again, 900 + 0 records');
  });

  it('is refused while a gateway is a member of a group, which is named', () => {
    expect(() => resumable({ ...statusOf(lost), members: [member] }, [])).toThrow(
      /stop every gateway first[^]*payment-gateway: gateway at \/10\.0\.0\.7 \(m-1\)/,
    );
  });

  it.each([
    ['that lost nothing', statusOf({}, lost), [0], 'nothing to resume'],
    ['of a journal that lost nothing', statusOf({}), [], 'nothing to resume'],
    ['of a topic that is gone', { ...statusOf(lost), exists: false }, [], 'does not exist'],
    ['with an unreadable record', statusOf({ ...lost, unreadable: [poison] }), [], 'first: tranche journal skip --partition 0'],
    ['whose index is of other keys', statusOf({ ...lost, mark: undefined, committed: 11n, isIndexUnverified: true }), [], 'INDEX_HMAC_KEYS'],
  ] satisfies [string, JournalStatus, number[], string][])('is refused for a partition %s', (_what, status, asked, says) => {
    expect(() => resumable(status, asked)).toThrow(says);
  });
}); // prettier-ignore

describe('a skip', () => {
  const status = statusOf({ unreadable: [poison, { ...poison, offset: 11n, maySkip: false }] });
  const name = { partition: 0, offset: '10', hash: 'p10' };

  it('is of the record that status shows, by its hash', () => {
    expect(() => assertSkippable(status, name)).not.toThrow();
    expect(() => assertSkippable(status, { ...name, hash: 'p11' })).toThrow('has the hash p10');
    expect(() => assertSkippable(status, { ...name, offset: '3' })).toThrow('has no unreadable record at 3');
  });

  it('is refused for a record of a newer release, and while a gateway runs', () => {
    expect(() => assertSkippable(status, { ...name, offset: '11' })).toThrow('start a release that reads it');
    expect(() => assertSkippable({ ...status, members: [member] }, name)).toThrow('stop every gateway first');
  });
});

describe('the status', () => {
  it('is healthy, damaged, or not to be told', () => {
    const unknown = { mark: undefined, isIndexUnverified: true };
    expect([statusOf({}), statusOf({}, lost), statusOf({}, unknown), statusOf(lost, unknown)].map(exitCodeOf)).toEqual([0, 6, 1, 6]); // prettier-ignore
  });

  it('names each damage and what to do, for people and for programs', () => {
    const skipped = { record: 'skipped', id: '2', at: '2026-03-01T10:05:00.000Z', partition: 3, offset: '7', hash: 'h', orderKey: 'shop-fr/o', requestedBy: 'alice', approvedBy: 'bob', reason: 'ticket 77' } as const; // prettier-ignore
    const status = { ...statusOf({}, lost), members: [member], skipped: [skipped] };
    const text = statusText(status);
    expect(text).toContain(
      'partition 3: the record at 7 was skipped at 2026-03-01T10:05:00.000Z by alice and bob (ticket 77): order shop-fr/o is frozen',
    );
    expect(text).toMatch(/^1 +0 +4 +9 +10 +damaged$/m);
    expect(text).toContain('next: restore the log of this partition, or: tranche journal resume --partition 1');
    expect(text).toContain('gateway at /10.0.0.7');
    expect(JSON.parse(statusJson(status))).toMatchObject({
      members: [member],
      partitions: [{ state: 'healthy' }, { ends: { low: '0', high: '4' }, damages: [{ kind: 'ends_before_index' }] }],
    });
  });
});

import { healthOf, isLogLost, type PartitionFacts } from './partition-health.js';
import { RecordJudge } from './partition-health.js';

/** A partition that fits: ten records, all of them in the index. */
const sound: PartitionFacts = {
  ...{ partition: 3, ends: { low: 0n, high: 10n }, mark: { marker: 9n, hash: 'h9' }, hashAtMarker: 'h9' },
  ...{ committed: 10n, unreadable: [] },
};
const kindsOf = (facts: Partial<PartitionFacts>) => healthOf({ ...sound, ...facts }).damages.map(({ kind }) => kind);

it('is healthy where index and commit fit the log, where they lag, and where both are lost', () => {
  const lags = { mark: { marker: 4n, hash: 'h4' }, hashAtMarker: 'h4', committed: 5n };
  const isRetained = { ends: { low: 6n, high: 10n }, mark: { marker: 4n, hash: 'h4' }, hashAtMarker: undefined };
  for (const facts of [{}, lags, isRetained, { mark: undefined }, { mark: undefined, committed: undefined }])
    expect([facts, healthOf({ ...sound, ...facts }).state]).toEqual([facts, 'healthy']);
});

it.each([
  ['cut', { ends: { low: 0n, high: 9n } }, 'ends_before_index'],
  ['empty', { ends: { low: 0n, high: 0n } }, 'ends_before_index'],
  ['shorter than the events that were published, without an index', { mark: undefined, committed: 11n }, 'ends_before_commit'], // prettier-ignore
  ['another one at the marker', { hashAtMarker: 'x' }, 'other_record_at_marker'],
  ['without a record at the marker', { hashAtMarker: undefined }, 'other_record_at_marker'],
  ['cut at its beginning before it was read', { ends: { low: 12n, high: 20n } }, 'deleted_unread'],
] satisfies [string, Partial<PartitionFacts>, string][])('a log that is %s is lost', (_what, facts, kind) => {
  const health = healthOf({ ...sound, ...facts });
  expect(health.damages).toMatchObject([{ kind, next: expect.stringContaining('resume --partition 3') as string }]);
  expect([health.state, isLogLost(health)]).toEqual(['damaged', true]);
});

it('names every unreadable record, and never offers to skip one of a newer release', () => {
  const unreadableOf = (text: string, offset: bigint) => ({ offset, hash: `h${offset}`, ...new RecordJudge().whyUnreadable({ key: 'shop-fr/o', offset, value: Buffer.from(text) })! }); // prettier-ignore
  const unreadable = [
    unreadableOf('{"record":', 4n),
    unreadableOf('{"record":"INTENT","rulesVersion":99}', 5n),
    unreadableOf('{"record":"LATER","rulesVersion":99}', 6n),
    unreadableOf('{"record":"SNAPSHOT","rulesVersion":1}', 7n),
  ];
  const { damages } = healthOf({ ...sound, unreadable });
  expect(damages.map(({ kind, offset }) => [kind, offset])).toEqual([
    ['unreadable_record', '4'],
    ['record_of_newer_release', '5'],
    ['record_of_newer_release', '6'],
    ['unreadable_record', '7'],
  ]);
  expect(damages[0]!.next).toBe('tranche journal skip --partition 3 --offset 4 --hash h4');
  expect(damages[1]!.next).not.toContain('journal skip');
});

it('can not tell where the index can not be verified, or where there was never a topic', () => {
  expect(healthOf({ ...sound, mark: undefined, isIndexUnverified: true })).toMatchObject({ state: 'unknown' });
  const { ends: _, ...noTopic } = sound;
  expect(healthOf({ ...noTopic, mark: undefined, committed: undefined }).state).toBe('unknown');
  expect(kindsOf({ ends: undefined })).toEqual(['topic_missing']);
});

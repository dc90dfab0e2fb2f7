import { FollowedPartitions } from './followed-partitions.js';
import { JournalReplacedError } from './journal-faults.js';

describe('the record that the index came to, when the tail begins', () => {
  function following(): FollowedPartitions {
    const followed = new FollowedPartitions();
    followed.begin(0, { low: 3n, high: 20n }, 9n, 'as indexed');
    return followed;
  }

  it('is known already', () => {
    expect(following().advance(0, 9n, () => 'as indexed')).toBe('at-marker');
  });

  it('may have been deleted by its age meanwhile: the next one is new', () => {
    const followed = following();
    followed.placed(0, 10n);
    expect(followed.advance(0, 10n, () => 'another')).toBe('new');
  });

  it.each<[string, bigint, string]>([
    ['another record there', 9n, 'another'],
    ['the record behind it', 10n, 'as indexed'],
    ['a record before it', 3n, 'as indexed'],
  ])('%s says that the journal was replaced', (_what, offset, hash) => {
    const followed = following();
    followed.placed(0, 9n);
    expect(() => followed.advance(0, offset, () => hash)).toThrow(JournalReplacedError);
  });
});

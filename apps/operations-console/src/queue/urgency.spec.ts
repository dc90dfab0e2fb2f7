import type { AttentionItem } from '../api/reads.js';
import { byItselfOf, NIGHT_MS, urgencyOf, verdictOf } from './urgency.js';

const NOW = Date.parse('2027-03-01T03:00:00Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();
const item = (kind: AttentionItem['kind'], more: Partial<AttentionItem> = {}, about: object = {}): AttentionItem =>
  ({ kind, about, ...more }) as AttentionItem;

it.each([
  ['a decision that is due a moment before morning', item('doubt', { actBy: at(NIGHT_MS - 1) }), 'now'],
  ['a decision that is due in the morning', item('doubt', { actBy: at(NIGHT_MS) }), 'later'],
  ['a stop that ends by itself', item('control', {}, { expiresAt: at(1_000) }), 'self'],
  ['a stop that a person must end', item('control'), 'later'],
  ['a decision that is overdue', item('conflict', { actBy: at(-1) }), 'now'],
  ['a doubt without a limit', item('doubt'), 'later'],
  ['a partition that is read no further', item('partition'), 'now'],
  ['a rail that tries again', item('rail'), 'self'],
  [
    'a payment that expires before its decision is due',
    item('open_to_operator', { actBy: at(2_000) }, { byItself: [{ what: 'expiry', at: at(1_000) }] }),
    'self',
  ],
  [
    'a doubt of which only the shop is reminded',
    item('doubt', { actBy: at(2_000) }, { byItself: [{ what: 'doubt_15_minutes', at: at(1_000) }] }),
    'now',
  ],
  [
    'a doubt whose look-up comes after its decision is due',
    item('doubt', { actBy: at(1_000) }, { byItself: [{ what: 'look_up_1_hour', at: at(2_000) }] }),
    'now',
  ],
])('%s', (_, entry, urgency) => expect(urgencyOf(entry, NOW)).toBe(urgency));

it('says that a person has to get up, and by when', () => {
  const { says, more } = verdictOf([item('doubt', { actBy: at(3_600_000) }), item('rail')], NOW);
  expect(says).toBe('Yes: 1 must be decided tonight, the first within 1 h.');
  expect(more).toBe('1 may end without a person.');
});

it('says that a person may sleep', () => {
  expect(verdictOf([], NOW).says).toBe('No. Nothing needs a person.');
  expect(verdictOf([item('doubt')], NOW)).toMatchObject({ tone: 'wait', more: '1 can wait until morning.' });
});

it('does not say that a person may sleep where it has not seen all', () => {
  expect(verdictOf([item('doubt')], NOW, 40).says).toBe('None of the 1 most urgent must be decided tonight.');
});

it('tells the next timer, and that a notification may come before it', () => {
  const timers = [{ what: 'doubt_15_minutes', at: at(60_000) }];
  const told = byItselfOf(item('doubt', {}, { byItself: timers }), NOW);
  expect(told).toEqual({ says: 'a notification may end it; the shop is reminded', at: at(60_000) });
});

import { answered, asked, authorized, folded, lost, notified, standing, under } from '../../test/order-story.js';
import { verdictOf } from './order-state.js';
import type { JournalRecord } from './records.js';

/** A call whose INTENT the journal has lost is not made once more (rules version 2). */
const again = asked('authorize', { token: 'of another process' });
const rejected = (name: string): JournalRecord => {
  const { token: _, ...terms } = asked(name);
  return {
    ...terms,
    record: 'REJECTED',
    faults: [{ path: 'transactionId', code: 'transaction_unknown', message: '' }],
  };
};
const story = (...records: JournalRecord[]) => folded(under(2, ...records));

it('its command takes the result that was answered, and is not sent', () => {
  const { order, events } = story(answered('authorize', '0000'), again);
  expect([standing(order, 'authorize'), verdictOf(order, again.token)]).toEqual(['ended succeeded', 'lost']);
  expect([events, order.unmatchedEvidence]).toEqual([['authorize.succeeded'], []]);
});

it('its command is in doubt where the call is, until it is answered or notified', () => {
  for (const [answer, end] of [
    [answered('authorize', '0000'), 'ended succeeded'],
    [notified('authorize', '4001'), 'ended refused'],
  ] as const) {
    const { order, events } = story(lost('authorize'), again);
    expect([standing(order, 'authorize'), verdictOf(order, again.token)]).toEqual(['in_doubt', 'lost']);
    expect(events).toEqual(['authorize.in_doubt']);
    expect(standing(folded(under(2, answer), order).order, 'authorize')).toBe(end);
  }
  const { order, events } = story(lost('authorize'), answered('authorize', '0000'), again);
  expect([standing(order, 'authorize'), events]).toEqual([
    'ended succeeded',
    ['authorize.in_doubt', 'authorize.doubt_resolved'],
  ]);
});

it('its command is not refused either, though the order no longer knows what it is about', () => {
  const { order, events } = story(answered('capture', '0000'), rejected('capture'));
  expect([standing(order, 'capture'), events]).toEqual(['ended succeeded', ['capture.succeeded']]);
});

it('its INTENT counts where a resume writes it', () => {
  const { order } = story(answered('authorize', '0000'), asked('authorize'));
  expect([standing(order, 'authorize'), verdictOf(order, 'authorize#1')]).toEqual(['ended succeeded', 'granted']);
});

it('other commands of the order go on, and an answer to a refused INTENT is a conflict as before', () => {
  const { order } = story(answered('authorize-2', '4001'), ...authorized, asked('capture'));
  expect(standing(order, 'capture')).toBe('open');
  const refused = asked('authorize', { attempt: 2 });
  const { events } = story(refused, answered('authorize', '0000', {}, 2));
  expect(events).not.toContain('authorize.succeeded');
});

it('of an installation at rules version 1 it is sent, as that version judges', () => {
  const { order } = folded([answered('authorize', '0000'), again]);
  expect(verdictOf(order, again.token)).toBe('granted');
});

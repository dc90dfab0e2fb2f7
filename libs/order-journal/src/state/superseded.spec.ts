import {
  answered,
  asked,
  folded,
  later,
  lost,
  notExecuted,
  notified,
  operatorSays,
  standing,
} from '../../test/order-story.js';
import { findOperation, verdictOf } from './order-state.js';
import type { EvidenceRecord, Intent, JournalRecord } from './records.js';

const after = (...records: JournalRecord[]) => folded(records);
const verdict = (records: JournalRecord[], intent: Intent) =>
  verdictOf(folded([...records, intent]).order, intent.token);
const lookedUp = (name: string, execCode: string, change: Partial<EvidenceRecord> = {}): EvidenceRecord => ({
  ...notified(name, execCode, change),
  source: 'look-up',
});

const doubtful = [asked('authorize', { method: 'A' }), lost('authorize')];
const successor = (name = 'authorize-2', of = 'authorize', change: Partial<Intent> = {}) =>
  asked(name, { method: 'A', supersedes: of, supersedesDoubt: true, ...change });
const page = { redirectHtml: 'PGh0bWw+' };

describe('a doubtful authorization', () => {
  it('becomes a redirect by a look-up that shows its tag with 0001 or 0002', () => {
    for (const execCode of ['0001', '0002']) {
      const { order, events, bodies } = after(...doubtful, lookedUp('authorize', execCode));
      expect([standing(order, 'authorize'), events.at(-1)]).toEqual(['redirect_required', 'authorize.doubt_resolved']);
      expect(bodies.at(-1)).toMatchObject({ outcome: 'redirect_required', origin: 'look-up' });
    }
  });

  it.each([
    ['by a notification, which may be older than the doubt', doubtful, notified('authorize', '0002')],
    ['by a row without a tag', doubtful, { ...lookedUp('authorize', '0002'), tag: undefined }],
  ])('does not %s', (_what, records, reported) => {
    expect(standing(folded([...records, reported]).order, 'authorize')).toBe('in_doubt');
  });

  it('is no redirect while its call is under way', () => {
    expect(standing(after(doubtful[0]!, lookedUp('authorize', '0002')).order, 'authorize')).toBe('open');
  });
});

describe('a doubtful form that nobody has seen', () => {
  it('gives way to an authorization that names it with the merchant’s permission', () => {
    expect(verdict(doubtful, successor())).toBe('granted');
  });

  it.each([
    ['without the permission', successor('authorize-2', 'authorize', { supersedesDoubt: undefined })],
    ['without its name', successor('authorize-2', 'authorize', { supersedes: undefined })],
    ['with the name of another', successor('authorize-2', 'authorize-9')],
    ['to a card payment', asked('pay', { supersedes: 'authorize', supersedesDoubt: true })],
    ['to a capture', asked('capture', { supersedes: 'authorize', supersedesDoubt: true })],
  ])('does not give way %s', (_what, intent) => {
    expect(verdict(doubtful, intent)).toBe('rejected');
  });

  it('is not a doubtful card payment, nor a call that is under way', () => {
    expect(verdict([asked('pay'), lost('pay')], successor('authorize-2', 'pay'))).toBe('rejected');
    expect(verdict([doubtful[0]!], successor())).toBe('busy');
  });

  it('holds nothing back once it is superseded: the successor is captured', () => {
    const records = [...doubtful, successor(), answered('authorize-2', '0000')];
    const capture = asked('capture', { transactionId: 'T-authorize-2' });
    expect(verdict(records, capture)).toBe('granted');
  });

  it('holds back again where nothing came of the successor', () => {
    const none = [...doubtful, successor(), lost('authorize-2'), operatorSays('authorize-2', 'not_executed')];
    expect(verdict(none, asked('authorize-3', { method: 'A' }))).toBe('rejected');
    const refused = [...doubtful, successor(), answered('authorize-2', '4001')];
    expect(verdict(refused, asked('authorize-3', { method: 'A' }))).toBe('granted');
  });

  it('is never shown once it is superseded, by a late answer neither', () => {
    const late = answered('authorize', '0002', page);
    const { order, bodies } = after(...doubtful, successor(), late);
    expect(standing(order, 'authorize')).toBe('redirect_required');
    expect(bodies.at(-1)).toMatchObject({ outcome: 'redirect_required', flags: ['superseded'] });
    expect(bodies.at(-1)).not.toHaveProperty('redirectHtml');
    // Before it was superseded it was shown.
    expect(after(...doubtful, late).bodies.at(-1)).toMatchObject(page);
  });

  it.each([
    ['the doubtful one last', [answered('authorize-2', '0000'), notified('authorize', '0000')]],
    ['the successor last', [notified('authorize', '0000'), answered('authorize-2', '0000')]],
  ])('is a conflict if both succeed, %s', (_what, reported) => {
    const { bodies, events } = after(...doubtful, successor(), ...reported);
    const conflicts = bodies.filter((_, at) => events[at] === 'conflict.detected');
    expect(conflicts.flatMap(({ flags }) => flags)).toContain('two_payments_succeeded');
  });

  it('is not one that waits for its next attempt, though it was named with permission: that attempt is its own', () => {
    const between = [asked('authorize', { method: 'A' }), notExecuted('authorize'), successor()];
    const again = [...between, answered('authorize-2', '4001'), asked('authorize', { method: 'A', attempt: 2 })];
    expect(after(...again, answered('authorize', '0002', page, 2)).bodies.at(-1)).toMatchObject(page);
    expect(verdict([...again, lost('authorize', 2)], asked('authorize-3', { method: 'A' }))).toBe('rejected');
  });

  it('may itself be followed by a third that names the second', () => {
    const records = [...doubtful, successor(), lost('authorize-2')];
    expect(verdict(records, successor('authorize-3', 'authorize'))).toBe('rejected');
    expect(verdict(records, successor('authorize-3', 'authorize-2'))).toBe('granted');
  });

  it('ends as a redirect does, 7 days after it became one', () => {
    const { merchant, orderId } = doubtful[0]!;
    const ends = { record: 'EXPIRED', rulesVersion: 1, merchant, orderId, at: later(7 * 86_400_000) } as const;
    const { order } = after(...doubtful, successor(), answered('authorize', '0002'), {
      ...ends,
      ...{ commandId: 'authorize', attempt: 1 },
    });
    expect(findOperation(order, 'authorize')).toMatchObject({ end: 'expired', mayYetSucceed: true });
  });
});

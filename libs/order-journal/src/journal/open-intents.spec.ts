import { RULES_VERSION, type JournalRecord } from '../index.js';
import { OpenIntents } from './open-intents.js';

const inOrder = {
  rulesVersion: RULES_VERSION,
  merchant: 'shop-fr',
  orderId: 'o',
  at: '2026-03-01T10:00:00.000Z',
  commandId: 'a',
  attempt: 1,
};
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h' } as const;
const intent = (token: string): JournalRecord => ({ record: 'INTENT', ...inOrder, token, ...terms });
const outcome = (token: string): JournalRecord => ({
  record: 'OUTCOME',
  ...inOrder,
  token,
  result: 'succeeded',
  answer: {},
});

describe('open intents', () => {
  it('come due by the time that this process first saw them', () => {
    const open = new OpenIntents();
    open.see(intent('old'), 100);
    open.see(intent('young'), 200);
    open.see(intent('old'), 300);
    expect(open.takeSeenBefore(199).map(({ token }) => token)).toEqual(['old']);
    expect(open.takeSeenBefore(199)).toEqual([]);
    expect(open.takeSeenBefore(200).map(({ token }) => token)).toEqual(['young']);
  });

  it('are closed by any record that names their token', () => {
    const open = new OpenIntents();
    open.see(intent('a'), 100);
    open.see(outcome('a'), 101);
    expect(open.size).toBe(0);
  });
});

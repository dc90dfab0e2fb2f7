import { answered, asked, askedUntagged, authorized, folded, lost, notified, notifiedElsewhere, under } from '../../test/order-story.js'; // prettier-ignore
import type { JournalRecord } from './records.js';

const story = (...records: JournalRecord[]) => folded(under(2, ...records));
const flags = ['invalid_amount'];
const report = notified('capture', '0000', { flags });
const answer = answered('capture', '0000');
const capture = asked('capture');

describe('a capture of a default amount whose AMOUNT can not be read is published with the assumed amount and the flag', () => {
  it.each<[string, JournalRecord[], string]>([
    ['in the answer', [capture, { ...answer, flags }], 'capture.succeeded'],
    ['in a notification before the answer', [capture, report, answer], 'capture.succeeded'],
    ['in a notification behind the answer', [capture, answer, report, report], 'capture.succeeded'],
    ['in a notification after a doubt', [capture, lost('capture'), report], 'capture.doubt_resolved'],
  ])('%s', (_where, records, type) => {
    const { bodies, events } = story(...authorized, ...records);
    const told = bodies.filter((body) => body.flags?.includes('invalid_amount'));
    expect(told).toMatchObject([{ commandId: 'capture', amount: 30_000, amountAssumed: true, flags }]);
    expect(events[bodies.indexOf(told[0]!)]).toBe(type);
  });

  it('once, and a report that can be read confirms the amount', () => {
    const readable = notified('capture', '0000', { answer: { amount: 25_000 } });
    const { bodies } = story(...authorized, capture, answer, report, readable, report);
    expect(bodies.slice(-2)).toMatchObject([{ flags }, { amount: 25_000, flags: ['amount_confirmed'] }]);
  });

  it('also where a report without a name was told as made elsewhere before', () => {
    const unnamed = { ...notifiedElsewhere('capture', '0000', { transactionId: 'T-capture' }), flags };
    const { bodies } = story(...authorized, askedUntagged('capture'), lost('capture'), unnamed, answer);
    expect(bodies.at(-2)).toMatchObject({ transactionId: 'T-capture', flags: ['invalid_amount', 'may_be_ours'] });
    expect(bodies.at(-1)).toMatchObject({ commandId: 'capture', amountAssumed: true, flags });
  });
});

it('an amount that was asked for, and a share of it, are told so too', () => {
  const asked1 = asked('capture', { amount: 10_000 });
  expect(story(...authorized, asked1, answer, report).bodies.at(-1)).toMatchObject({ amount: 10_000, flags });
  const { bodies } = story(...authorized, asked1, answer, notified('capture', '0004', { flags }));
  expect(bodies.at(-1)).toMatchObject({ flags: ['was_succeeded', 'said_partial', 'invalid_amount'] });
});

it('not under rules version 1', () => {
  expect(folded([...authorized, capture, answer, report]).events).toHaveLength(2);
  expect(folded([...authorized, capture, report]).bodies.at(-1)).not.toHaveProperty('flags');
});

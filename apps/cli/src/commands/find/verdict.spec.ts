import { SIGNATURE_HEADER, signCommand } from '@tranche/contracts';
import { publisherOfTests } from '@tranche/testing';
import { deadLetterOf, eventOf, copyOf, storiesOf, type CommandStory, type SeenEvent } from './command-story.js';
import { findText } from './find-text.js';
import type { FoundRecord } from './topic-reading.js';
import { verdictOf, type GatewayPosition } from './verdict.js';

const NOW_MS = Date.parse('2027-03-01T10:10:00Z');
const searched = {
  topics: ['test.payments.commands.card.v1'],
  brokers: ['kafka:9092'],
  since: '2027-02-28',
  nowMs: NOW_MS,
};
const at = '2027-03-01T10:00:00.000Z';
const key = 'shop-fr/order-1';
const place = { topic: 'test.payments.commands.card.v1', partition: 3, offset: 7n, at };
const copy = { ...place, timestampMs: Date.parse(at), key };
const event = (type: string, more: Partial<SeenEvent> = {}): SeenEvent => ({
  ...{ ...place, topic: 'test.payments.events.v1', commandId: 'c1', key, id: 'e1', type, faults: [] },
  ...more,
});
const letter = (code: string, message = '') => ({ ...place, topic: 'd', key, of: 'x/3/7', code, message });
const story = (more: Partial<CommandStory> = {}): CommandStory => ({
  commandId: 'c1',
  copies: [copy],
  letters: [],
  events: [],
  ...more,
});
const waitsSince = (oldestMs: number, gateways = 2): GatewayPosition => ({
  isHandled: false,
  ahead: 5n,
  gateways,
  oldestMs,
});
const waiting = { commands: 7, money: [{ currency: 'EUR', amount: 130_000 }, { currency: 'not_named', amount: 500 }], withoutAmount: 1, isMoneyWhole: true }; // prettier-ignore
const faults = [{ path: 'amount', code: 'range' as const, message: 'must be an integer of at least 1' }];

it.each<[string, CommandStory, GatewayPosition | undefined, string, RegExp, RegExp]>([
  ['never arrived: topics, brokers and time are named', story({ copies: [] }), undefined, 'never_arrived', /test\.payments\.commands\.card\.v1 at kafka:9092 since 2027-02-28/, /prefix/],
  ['its signature refused: reason, time and key id', story({ letters: [{ ...letter('signature_refused', 'no key: unknown_key'), kid: 'k9' }] }), undefined, 'signature_refused', /refused at 2027-03-01T10:00.*unknown_key, key id k9/, /commands check/],
  ['unreadable', story({ letters: [letter('unreadable', 'data: is not JSON')] }), undefined, 'dead_letter', /unreadable, data: is not JSON/, /commands check/],
  ['held back after a resume', story({ letters: [letter('journal_resumed')] }), undefined, 'dead_letter', /journal_resumed/, /new id/],
  ['waiting, and no gateway runs', story(), waitsSince(NOW_MS - 1, 0), 'waiting', /5 records .* gateways at work: 0/, /start payment-gateway/],
  ['waiting on a partition that stands still', story(), waitsSince(Date.parse(at)), 'waiting', /the oldest since 2027-03-01T10:00/, /journal status/],
  ['waiting for its turn', story(), waitsSince(NOW_MS - 1_000), 'waiting', /5 records/, /^wait/],
  ['waiting for a rail that is stopped', story(), { ...waitsSince(Date.parse(at)), rail: 'card', stop: { cause: '5001', sinceMs: NOW_MS - 60_000, nextTryMs: NOW_MS + 9_000 }, waiting }, 'waiting', /its rail card is stopped since 2027-03-01T10:09:00\.000Z, because the platform answers EXECCODE 5001 and executes nothing; tried again at 2027-03-01T10:10:09\.000Z\. Waiting on rail card in all: 7 commands \(130000 EUR, 500 in their orders' currencies, 1 without an amount; minor units\)/, /do not publish it again/],
  ['waiting for a rail that can not be reached, whose next command is tried', story(), { ...waitsSince(NOW_MS), rail: 'card', stop: { cause: 'unreachable', sinceMs: NOW_MS } }, 'waiting', /because the platform can not be reached; tried again with the next command/, /do not publish it again/],
  ['waiting, and its gateway runs the rail', story(), { ...waitsSince(NOW_MS - 1_000), rail: 'card', stop: null }, 'waiting', /5 records/, /^wait: gateways handle the partition$/],
  ['waiting, and no gateway was asked', story(), waitsSince(NOW_MS - 1_000), 'waiting', /5 records/, /GET \/v1\/rails/],
  ['handled just now', story({ copies: [{ ...copy, timestampMs: NOW_MS - 1_000 }] }), { isHandled: true, ahead: 0n, gateways: 1 }, 'no_event', /has taken the command/, /ask again/],
  ['handled long ago', story(), { isHandled: true, ahead: 0n, gateways: 1 }, 'no_event', /no event of it since/, /--since/],
  ['rejected', story({ events: [event('payment.command.rejected', { faults })] }), undefined, 'rejected', /payment\.command\.rejected was published at/, /new id/],
  ['rejected by its order', story({ events: [event('payment.capture.rejected', { faults })] }), undefined, 'rejected', /payment\.capture\.rejected/, /new id/],
  ['in doubt', story({ events: [event('payment.pay.in_doubt')] }), undefined, 'in_doubt', /in doubt/, /do not publish it again/],
  ['done', story({ events: [event('payment.pay.succeeded')] }), undefined, 'done', /payment\.pay\.succeeded .*test\.payments\.events\.v1\/3\/7/, /--group/],
  ['at the form', story({ events: [event('payment.authorize.redirect_required')] }), undefined, 'done', /redirect_required/, /show the page/],
  ['done, and a copy of its id with other content rejected', story({ events: [event('payment.pay.succeeded'), event('payment.command.rejected')] }), undefined, 'done', /succeeded/, /--group/],
  ['done, and a copy refused', story({ letters: [letter('signature_refused')], events: [event('payment.pay.succeeded')] }), undefined, 'done', /succeeded/, /--group/],
])('a command is %s', (_what, seen, position, verdict, says, next) => {
  const found = verdictOf(seen, position, searched);
  expect(found.verdict).toBe(verdict);
  expect(found.says).toMatch(says);
  expect(found.next).toMatch(next);
  expect(found.faults).toEqual(verdict === 'rejected' ? faults : []);
}); // prettier-ignore

const record = (headers: Record<string, string>, more: Partial<FoundRecord> = {}): FoundRecord => ({
  ...{ topic: 't', partition: 3, offset: 7n, timestampMs: Date.parse(at), key, headers, value: null },
  ...more,
});

describe('what was read', () => {
  it('of a dead letter is its origin and reason, and the key id that its signature names', () => {
    const command = { topic: 't', key, headers: {}, value: null };
    const signature = signCommand(command, publisherOfTests());
    const odd = signCommand(command, { ...publisherOfTests(), kid: 'k1\u001b[2J' });
    const headers = { ce_id: 'c1', 'dead-letter-topic': 'p', 'dead-letter-partition': '1', 'dead-letter-offset': '2', 'dead-letter-code': 'signature_refused', 'dead-letter-message': 'm' }; // prettier-ignore
    const read = deadLetterOf(record({ ...headers, [SIGNATURE_HEADER]: signature }));
    expect(read).toMatchObject({ commandId: 'c1', of: 'p/1/2', code: 'signature_refused', message: 'm', kid: 'k1' });
    expect(deadLetterOf(record({ ...headers, [SIGNATURE_HEADER]: odd }))).not.toHaveProperty('kid');
  });

  it('is put together by command: a dead letter without an id by the record that it came of', () => {
    const first = { commandId: 'c1', copy: copyOf(record({}, { topic: 'p' })) };
    const again = { commandId: 'c1', copy: copyOf(record({ 'forwarded-from': '3/7' }, { topic: 'p', partition: 4 })) };
    const headers = { ce_type: 'payment.pay.succeeded', ce_causationid: 'c2' };
    const value = Buffer.from('{}');
    const found = storiesOf([again, first], [{ ...letter('unreadable'), of: 'p/3/7' }], [eventOf(record(headers, { value }))]); // prettier-ignore
    expect(found).toMatchObject([
      { commandId: 'c1', copies: [{ partition: 3 }, { partition: 4, forwardedFrom: '3/7' }], letters: [{ code: 'unreadable' }] },
      { commandId: 'c2', copies: [], events: [{ type: 'payment.pay.succeeded' }] },
    ]); // prettier-ignore
  });
});

it('is printed for people: what was seen, the group of the consumer, and the order’s address', () => {
  const seen = story({ events: [event('payment.pay.succeeded')] });
  const order = { merchant: 'shop-fr', orderId: 'order/1' };
  const group = { name: 'shop', next: 7n, hasRead: false };
  const text = findText([{ ...seen, ...verdictOf(seen, undefined, searched), order, group }]);
  expect(text.split('\n')).toEqual([
    'command c1 of shop-fr/order/1: done',
    expect.stringMatching(/^ {2}payment\.pay\.succeeded was published at/),
    expect.stringMatching(/^ {2}next: /),
    '  command: test.payments.commands.card.v1/3/7 at 2027-03-01T10:00:00.000Z',
    '  event: payment.pay.succeeded, test.payments.events.v1/3/7 at 2027-03-01T10:00:00.000Z, id e1',
    '  group shop has not read the event: it reads 7 next, so it stands still or is behind',
    '  order: /v1/orders/shop-fr/order%2F1 on the management port of payment-gateway',
  ]);
});

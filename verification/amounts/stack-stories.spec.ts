import { orderKey } from '@tranche/contracts';
import type { OperationOfPlatform, Traces } from '../faults/traces.js';
import type { Executed } from './ledger.js';
import { storyOf } from './run-amounts.js';
import { storiesOf, unreadIn, type Played } from './stack-stories.js';
import { compare } from './sums.js';

const KEY = orderKey('shop-fr', 'order');
const TYPES = { authorize: 'authorization', pay: 'payment', capture: 'capture', refund: 'refund', void: 'void' };
const story = Array.from({ length: 50 }, (_, seed) => storyOf(seed)).find(
  ({ ledger, events }) =>
    ledger.executed.filter(({ operation }) => operation === 'refund').length > 1 &&
    events.some(({ type }) => type === 'payment.operation.external'),
)!;
const { executed } = story.ledger;

const inLedger = ({ transactionId, operation, amount, execCode, commandId }: Executed): OperationOfPlatform => ({
  ...{ time: '', identifier: 'Demo Shop FR', orderId: 'order', operationType: TYPES[operation], amount, transactionId },
  ...{ initialId: '', execCode, finalExecCode: execCode, origin: commandId === undefined ? 'back-office' : 'request' },
});
const traces: Traces = {
  ...{ commands: [], commandTopic: [], notificationTopic: [], quarantine: [], deadLetters: 0, delivered: [] },
  journal: story.records.map((record, at) => ({ partition: 0, offset: BigInt(at), key: KEY, record })),
  events: story.events.map((event, at) => ({ partition: 0, offset: BigInt(at), key: KEY, event })),
  ledger: { calls: [], operations: executed.map(inLedger) },
};
const played: Played[] = [
  { orderId: 'order', player: { executed, reported: story.reported, play: () => Promise.resolve() } },
];
const faultsOf = (changed: Partial<Traces>) => {
  const { differences, untrue } = compare(storiesOf({ ...traces, ...changed }, played)[0]!);
  return [...differences, ...untrue];
};

it('finds no difference where the result topic says what the ledger says, and counts an event that comes twice once', () => {
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf({ events: [...traces.events, ...traces.events] })).toEqual([]);
  expect(unreadIn(traces)).toEqual([]);
});

it('finds a wrong amount, with its operation and both sums', () => {
  const wrong = executed.findLast(({ operation }) => operation === 'refund')!;
  const operations = executed.map((one) => inLedger(one === wrong ? { ...one, amount: one.amount + 1 } : one));
  const [fault, ...others] = faultsOf({ ledger: { calls: [], operations } });
  expect(others).toEqual([]);
  expect(fault).toContain(`refund ${wrong.transactionId}`);
  expect(fault).toContain(`moved ${wrong.amount + 1}, booked are ${wrong.amount}`);
});

it('finds an operation that was executed twice, and a success that the platform does not know', () => {
  const own = executed.find(({ commandId }) => commandId !== undefined)!;
  const again = inLedger({ ...own, transactionId: 'T-again' });
  const told = [{ ...played[0]!, player: { ...played[0]!.player, reported: new Set([...story.reported, 'T-again']) } }];
  const ledger = { calls: [], operations: [...traces.ledger.operations, again] };
  expect(compare(storiesOf({ ...traces, ledger }, told)[0]!).differences).toEqual([
    expect.stringContaining('T-again of unknown is reported and not booked'),
  ]);
  const without = traces.ledger.operations.filter(({ transactionId }) => transactionId !== own.transactionId);
  expect(faultsOf({ ledger: { calls: [], operations: without } })).toEqual([
    expect.stringContaining('said to succeed'),
  ]);
});

it('finds an event that nobody published, and a notification that nobody read', () => {
  expect(unreadIn({ ...traces, events: traces.events.slice(1) })).toEqual([
    expect.stringContaining('is not published'),
  ]);
  const notification = {
    merchant: 'shop-fr',
    orderId: 'order',
    transactionId: 'T-unread',
    attempts: [{ isAccepted: true }],
  };
  const delivered = [notification as unknown as Traces['delivered'][number]];
  expect(unreadIn({ ...traces, delivered })).toEqual(['order: the notification of T-unread is not in the journal']);
});

import { Ledger } from './ledger.js';
import { runAmounts, storyOf } from './run-amounts.js';
import { compare } from './sums.js';

const ORDERS = process.env.NIGHTLY ? 4_000 : 120;
const storiesOf = (seed: number) => Array.from({ length: ORDERS }, (_, at) => storyOf(seed * 1_000_003 + at));

it.each([11, 4_242, 770_077])('sums over events equal the ledger in every order of arrival (seed %i)', (seed) => {
  const compared = storiesOf(seed).map(compare);
  expect(compared.flatMap(({ differences, untrue, untold }) => [...differences, ...untrue, ...untold])).toEqual([]);
  expect(compared.reduce((sum, { operations }) => sum + operations, 0)).toBeGreaterThan(2 * ORDERS);
});

const CONFIRMING = ['amount_confirmed', 'amount_added'];

it.each([
  [
    'that an amount is assumed, and the confirmed one',
    (data: object) => ({ ...data, amountAssumed: undefined }),
    CONFIRMING,
  ],
  ['the confirmed amount', (data: object) => data, CONFIRMING],
  ['what the platform moved instead', (data: object) => ({ ...data, otherAmount: undefined }), [] as string[]],
] as const)('finds events that leave out %s', (_what, without, flags) => {
  const differences = storiesOf(11).filter((story) => {
    const kept = story.events.filter(({ data }) => !data.flags?.some((flag) => flags.includes(flag)));
    const events = kept.map((event) => ({ ...event, data: without(event.data) as typeof event.data }));
    const { differences: found, assumed } = compare({ ...story, events });
    return found.length > 0 || assumed > compare(story).assumed;
  });
  expect(differences).not.toEqual([]);
});

it('finds a success of what the platform did not execute, and an operation of the back office that is nowhere', () => {
  const story = storiesOf(11).find(({ events }) => events.some(({ type }) => type === 'payment.operation.external'))!;
  const [own] = story.events.filter(({ type }) => type.endsWith('.succeeded'));
  const untrue = { ...own!, data: { ...own!.data, commandId: 'never-sent', transactionId: 'T-nowhere' } };
  expect(compare({ ...story, events: [...story.events, untrue] }).untrue).toHaveLength(1);
  const events = story.events.filter(({ type }) => type !== 'payment.operation.external');
  expect(compare({ ...story, events }).differences).not.toEqual([]);
});

it('refunds of a card payment and of its capture share the limit of the payment', () => {
  const ledger = new Ledger();
  const take = (operation: 'pay' | 'capture' | 'refund', of?: string, amount?: number) => {
    const made = ledger.take({ operation, of, amount });
    return typeof made === 'string' ? made : made.amount;
  };
  const [payment, capture] = ['901', '902'];
  expect([take('pay', undefined, 30_000), take('capture', payment, 20_000), take('capture', payment)]).toEqual([
    30_000,
    20_000,
    '2005',
  ]);
  expect([take('refund', payment, 25_000), take('refund', capture, 5_001)]).toEqual([25_000, '2008']);
  expect([take('refund', capture), take('refund', payment)]).toEqual([5_000, '2008']);
});

it('prints one line, and gives the exit code', () => {
  const print = jest.spyOn(console, 'log').mockImplementation();
  jest.spyOn(console, 'error').mockImplementation();
  expect(runAmounts({ orders: 20, seed: 3, json: true })).toBe(0);
  expect(JSON.parse(String(print.mock.calls[0]))).toMatchObject({
    orders: 20,
    differences: 0,
    saidNotExecuted: 0,
    seed: 3,
  });
});

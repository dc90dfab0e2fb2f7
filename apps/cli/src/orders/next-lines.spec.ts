import { conflictsOf, emptyOrder, fold, operationIdOf, type JournalRecord } from '@tranche/order-journal';
import type { Order, Proposal } from '../api/operations.js';
import { tranche } from '../tranche.js';
import { nextLines, orderWord, type Entry, type Next } from './next-lines.js';

const at = '2027-03-01T10:00:00.000Z';
const LATER = Date.parse('2027-03-01T10:16:00.000Z');
const of = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'order-1', commandId: 'c-1', attempt: 1, token: 't' };
const intent = { ...of, ...{ record: 'INTENT', at, operation: 'authorize', method: 'A', currency: 'EUR', amount: 25_000, contentHash: 'h' } }; // prettier-ignore
const inDoubt = { ...of, ...{ record: 'IN_DOUBT', at, reason: 'timeout', message: 'No answer' } };
const evidence = (more: object) => ({
  ...{ record: 'EVIDENCE', rulesVersion: 1, merchant: 'shop-fr', orderId: 'order-1', at, source: 'notification' },
  ...{ operation: 'authorize', commandId: 'c-1', attempt: 1, ...more },
});

function orderOf(records: object[], entries: Entry[]): Order {
  const state = records.reduce<ReturnType<typeof emptyOrder>>(
    (order, record, offset) => fold(order, record as JournalRecord, BigInt(offset)).order,
    emptyOrder('shop-fr', 'order-1'),
  );
  return { merchant: 'shop-fr', orderId: 'order-1', state, attention: entries } as unknown as Order;
}
const doubt: Entry = { id: operationIdOf(of), kind: 'doubt', about: { commandId: 'c-1' } };
const linesOf = (next: Next[]) => next.flatMap(([, line]) => line ?? []);

/** The words of a line in a shell; what only the back office shows is put in. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/'<[^>]+>'/g, 'T0000000042').matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );

async function isTaken(line: string): Promise<boolean> {
  const reached = new Error('its arguments are right');
  const { program } = tranche(() => undefined);
  program.hook('preAction', () => Promise.reject(reached));
  return program.parseAsync(['node', ...wordsOf(line)]).then(
    () => false,
    (error: unknown) => error === reached,
  );
}

it('a doubt has a whole line for each outcome', async () => {
  const lines = linesOf(nextLines(orderOf([intent, inDoubt], [doubt]), doubt, [], LATER));
  expect(lines.map((line) => line.split(' ')[3])).toEqual([
    'succeeded',
    'refused',
    'redirect-required',
    'not-executed',
  ]);
  expect(lines[1]).toBe("tranche resolve shop-fr/order-1 refused --reason 'how you know it, with the ticket'");
  for (const line of lines) expect([line, await isTaken(line)]).toEqual([line, true]);
});

it('"not executed" is no line while the gateway would refuse it', () => {
  const next = nextLines(orderOf([intent, inDoubt], [doubt]), doubt, [], Date.parse(at) + 60_000);
  expect(linesOf(next).join()).not.toContain('not-executed');
  expect(next.at(-1)![0]).toContain('wait until 2027-03-01T10:15:00.000Z (in 14m)');
});

it('what somebody has proposed is approved, and not said again', () => {
  const proposal = { id: 'p-1', operation: doubt.id, proposedBy: 'olga' } as Proposal;
  expect(nextLines(orderOf([intent, inDoubt], [doubt]), doubt, [proposal])).toEqual([
    ['you are not olga, who proposed it', 'tranche approve p-1'],
  ]);
});

it('of several open operations the line names its own', () => {
  const other = { ...doubt, id: 'x', about: { commandId: 'c-2' } };
  const [first] = linesOf(nextLines(orderOf([intent, inDoubt], [doubt, other]), doubt, [], LATER));
  expect(first).toContain(' succeeded --transaction-id ');
  expect(first).toContain(' --command c-1 ');
});

it('a conflict about an amount has a line for each amount that was reported, with its currency in words', async () => {
  const said = { result: 'succeeded', answer: { transactionId: 'T-1', execCode: '0000', amount: 25_000 } };
  const other = { result: 'succeeded', answer: { transactionId: 'T-1', execCode: '0000', amount: 20_000 } };
  const records = [intent, inDoubt, evidence(said), evidence(other)];
  const [conflict] = conflictsOf(orderOf(records, []).state as never);
  const conflictIds = [operationIdOf({ ...of, commandId: conflict!.id })];
  const entry: Entry = { id: doubt.id, kind: 'conflict', about: { commandId: 'c-1', conflictIds } };
  const next = nextLines(orderOf(records, [entry]), entry, []);
  expect(next.slice(0, 2)).toEqual([
    ['the back office has 250.00 EUR', expect.stringContaining('kept --result succeeded --amount 25000 --reason')],
    ['the back office has 200.00 EUR', expect.stringContaining('kept --result succeeded --amount 20000 --reason')],
  ]);
  expect(linesOf(next).at(-1)).toContain('repaired --amount');
  for (const line of linesOf(next)) expect([line, await isTaken(line)]).toEqual([line, true]);
});

it.each([
  ['order-1', 'shop-fr/order-1'],
  ["it's", String.raw`'shop-fr/it'\''s'`],
  ['order-1\u202e', operationIdOf({ merchant: 'shop-fr', orderId: 'order-1\u202e', commandId: '-' })],
])('an order is a word of a shell: %j', (orderId, word) => {
  expect(orderWord({ merchant: 'shop-fr', orderId })).toBe(word);
});

import { readMerchants, type ListedTransaction } from '@tranche/contracts';
import {
  emptyOrder,
  fold,
  lookUpEvidence,
  tagExtraData,
  type JournalRecord,
  type LookedUpOperation,
  type OrderState,
} from '@tranche/order-journal';
import { createLogger } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { GatewayConfig } from '../gateway.config.js';
import type { Journal } from '../journal/journal.service.js';
import type { LookUpService } from './look-up.service.js';
import type { OrderIndexStore } from '../journal/order-index.store.js';
import { LookUpScheduler } from './look-up-scheduler.service.js';

const AT = '2026-03-01T10:00:00.000Z';
const read = readMerchants(
  [
    { merchant: 'asks', identifier: 'Asks', accountKey: 'key', lookup: true },
    { merchant: 'asks-not', identifier: 'Not', accountKey: 'key' },
  ],
  () => '',
);
if ('faults' in read) throw new Error('the merchants are wrong');
const { merchants } = read;

function waiting(
  merchant: string,
  operation: 'authorize' | 'pay',
  result: 'redirect_required' | 'pending',
): OrderState {
  const identity = { rulesVersion: 1, merchant, orderId: 'o', at: AT, commandId: 'a', attempt: 1, token: 't' };
  const terms = { operation, method: 'B', currency: 'EUR', amount: 20_000, contentHash: 'hash' } as const;
  const tag = operation === 'authorize' ? { tag: 'tag' } : {};
  const open = fold(emptyOrder(merchant, 'o'), { record: 'INTENT', ...identity, ...terms, ...tag }, 1n).order;
  const answer = { execCode: result === 'redirect_required' ? '0002' : '0003', transactionId: 'T1' };
  return fold(open, { record: 'OUTCOME', ...identity, result, answer }, 2n).order;
}

function listed(execCode: string, change: Partial<ListedTransaction> = {}): ListedTransaction {
  return {
    ...{ orderId: 'o', identifier: 'Asks', operation: 'authorize', execCode, transactionId: 'T1' },
    ...{ amount: 20_000, dateMs: Date.parse(AT), extraData: tagExtraData('basket', 'a', 1).extraData },
    ...{ answer: { execCode, transactionId: 'T1' }, ...change },
  };
}

function lookUps(
  answer: () => Promise<ListedTransaction[]>,
  { lookUpInFlight = 2, token = () => Promise.resolve(undefined) } = {},
) {
  const appended: JournalRecord[] = [];
  let asked = 0;
  const lookUp = {
    bearerFor: token,
    ask: async (about: LookedUpOperation) => {
      asked++;
      return lookUpEvidence(await answer(), about);
    },
  } as unknown as LookUpService;
  const journal = { append: (record: JournalRecord) => Promise.resolve(appended.push(record)) } as unknown as Journal;
  const config = { merchants, lookUpInFlight } as unknown as GatewayConfig;
  const log = createLogger({ name: 'spec', level: 'silent' });
  const clock = { nowMs: () => Date.parse(AT) } as Clock;
  const service = new LookUpScheduler(config, journal, {} as OrderIndexStore, clock, lookUp, log);
  return { appended, asked: () => asked, ask: (order: OrderState) => service.askWaiting(order, order.operations[0]!) };
}

it.each([
  ['a redirect that was paid', waiting('asks', 'authorize', 'redirect_required'), listed('0000'), 'ended'],
  ['a redirect that was refused', waiting('asks', 'authorize', 'redirect_required'), listed('4001'), 'ended'],
  ['a redirect that waits for approval', waiting('asks', 'authorize', 'redirect_required'), listed('0003'), 'pending'],
  [
    'a card payment, by its TRANSACTIONID alone',
    waiting('asks', 'pay', 'redirect_required'),
    listed('0000', { operation: 'pay', extraData: undefined, dateMs: Number.NaN }),
    'ended',
  ],
])('journals what the platform says of %s', async (_what, order, row, phase) => {
  const { appended, ask } = lookUps(() => Promise.resolve([row]));
  expect(await ask(order)).toBe(true);
  expect(appended).toMatchObject([{ record: 'EVIDENCE', source: 'look-up' }]);
  expect(fold(order, appended[0]!, 3n).order.operations[0]?.phase).toBe(phase);
});

it.each([
  ['that it waits at its form still', waiting('asks', 'authorize', 'redirect_required'), [listed('0002')]],
  ['that it is on hold still', waiting('asks', 'authorize', 'pending'), [listed('0003')]],
  ['that it was at its form, which came before', waiting('asks', 'authorize', 'pending'), [listed('0002')]],
  ['nothing: absent proves nothing', waiting('asks', 'authorize', 'redirect_required'), []],
  [
    'something of another transaction without a tag',
    waiting('asks', 'pay', 'redirect_required'),
    [listed('0000', { operation: 'pay', extraData: undefined, transactionId: 'T2' })],
  ],
])('journals nothing where the platform says %s', async (_what, order, rows) => {
  const { appended, ask } = lookUps(() => Promise.resolve(rows));
  expect([await ask(order), appended]).toEqual([true, []]);
});

it('asks nothing of a merchant that does not allow it any more', async () => {
  const { asked, ask } = lookUps(() => Promise.resolve([]));
  expect([await ask(waiting('asks-not', 'authorize', 'redirect_required')), asked()]).toEqual([true, 0]);
  expect(await ask(waiting('gone', 'authorize', 'redirect_required'))).toBe(true);
});

it('is to be tried again without a token, and beyond the number under way', async () => {
  const order = waiting('asks', 'authorize', 'redirect_required');
  const without = lookUps(() => Promise.resolve([]), { token: () => Promise.reject(new Error('no token')) });
  expect(await without.ask(order)).toBe(false);
  let answer: (rows: ListedTransaction[]) => void = () => undefined;
  const busy = lookUps(() => new Promise((resolve) => (answer = resolve)), { lookUpInFlight: 1 });
  const first = busy.ask(order);
  expect(await busy.ask(order)).toBe(false);
  answer([]);
  expect([await first, busy.asked()]).toEqual([true, 1]);
});

import type { Merchant } from '@tranche/contracts';
import { emptyOrder, fold, RULES_VERSION, type OrderState } from '@tranche/order-journal';
import { createLogger, Metrics } from '@tranche/service-kit';
import type { GatewayConfig } from '../gateway.config.js';
import type { PlatformCaller } from '../platform/platform-caller.service.js';
import type { LookUpReply } from '@tranche/platform';
import type { LookUpClient } from './look-up.client.js';
import { LookUpService } from './look-up.service.js';

const AT = '2026-03-01T10:00:00.000Z';
const merchant = { merchant: 'shop-es', identifier: 'Shop', accountKey: 'key', authAccount: 'account' } as Merchant;
const bearer = { accessToken: 'abc', fingerprint: 'print' };

const order: OrderState = (() => {
  const identity = {
    rulesVersion: RULES_VERSION,
    merchant: 'shop-es',
    orderId: 'order-1',
    at: AT,
    commandId: 'a',
    attempt: 1,
    token: 't',
  };
  const terms = { operation: 'pay', method: 'card', currency: 'EUR', amount: 100, contentHash: 'hash' } as const;
  const open = fold(emptyOrder('shop-es', 'order-1'), { record: 'INTENT', ...identity, ...terms }, 1n).order;
  return fold(open, { record: 'IN_DOUBT', ...identity, reason: 'timeout', message: '' }, 2n).order;
})();
const asked = { merchant, order, operation: order.operations[0]!, at: AT };

const listed = (...DATA: object[]): LookUpReply => ({
  kind: 'answered',
  status: 200,
  body: JSON.stringify({ EXECCODE: '0000', DATA }),
});
const ours = { ORDERID: 'order-1', OPERATIONTYPE: 'payment', TRANSACTIONID: 'T1', EXECCODE: '0000', DATE: AT };
const answered = (status: number, body = ''): LookUpReply => ({ kind: 'answered', status, body });

function setUp(...replies: LookUpReply[]) {
  return setUpUnder(1, ...replies);
}

function setUpUnder(rulesVersion: number, ...replies: LookUpReply[]) {
  const calls: { url: number; token?: string }[] = [];
  const client = {
    urlCount: replies.length,
    ask: (_body: string, url: number, token?: string) => {
      calls.push({ url, ...(token === undefined ? {} : { token }) });
      return Promise.resolve(replies[url]);
    },
  } as unknown as LookUpClient;
  const refused: string[] = [];
  const caller = {
    bearerFor: ({ authAccount }: Merchant) => Promise.resolve(authAccount === 'account' ? bearer : 'refused'),
    noteRefused: (_merchant: Merchant, { fingerprint }: typeof bearer) => refused.push(fingerprint),
  } as unknown as PlatformCaller;
  const metrics = new Metrics('spec');
  const lookUp = new LookUpService(
    { rulesVersion } as GatewayConfig,
    client,
    caller,
    createLogger({ name: 'spec', level: 'silent' }),
    metrics,
  );
  const outcomeCounted = async () => /outcome="(\w+)"/.exec(await metrics.registry.metrics())?.[1];
  return { lookUp, calls, refused, outcomeCounted };
}

it('returns evidence, requested with the merchant’s token', async () => {
  const { lookUp, calls, outcomeCounted } = setUp(listed(ours));
  expect(await lookUp.ask(asked, await lookUp.bearerFor(merchant))).toMatchObject([
    { source: 'look-up', result: 'succeeded' },
  ]);
  expect([calls, await outcomeCounted()]).toEqual([[{ url: 0, token: 'abc' }], 'evidence']);
});

it.each([
  ['no connection', { kind: 'unanswered', message: 'ECONNREFUSED' } as const],
  ['an HTTP error', answered(503)],
  ['maintenance', answered(200, '{"EXECCODE":"5003"}')],
  ['nothing that can be read', answered(200, '<html>')],
])('asks the second URL after %s', async (_, first) => {
  const { lookUp, calls } = setUp(first, listed(ours));
  expect(await lookUp.ask(asked, undefined)).toHaveLength(1);
  expect(calls).toEqual([{ url: 0 }, { url: 1 }]);
});

it.each([
  ['an empty list', listed(), 'nothing'],
  ['a refusal', answered(200, '{"EXECCODE":"3003"}'), 'refused'],
  ['a refused token', answered(401), 'unauthorized'],
])('%s is an answer: the second URL is not asked', async (_, first, came) => {
  const { lookUp, calls, outcomeCounted } = setUp(first, listed(ours));
  expect(await lookUp.ask(asked, bearer)).toEqual([]);
  expect([calls.length, await outcomeCounted()]).toEqual([1, came]);
});

it('a refused token is reported to auth-service with the next request', async () => {
  const { lookUp, refused } = setUp(answered(401));
  await lookUp.ask(asked, bearer);
  expect(refused).toEqual(['print']);
});

it('an account whose credentials are refused can not be asked about', async () => {
  await expect(setUp(listed()).lookUp.bearerFor({ ...merchant, authAccount: 'other' })).rejects.toThrow(
    'credentials are refused',
  );
});

it.each([
  ['evidence', listed(ours), 2],
  ['nothing', listed(), 1],
  ['failed', answered(503), 1],
])('under rules version 2 the order gets to know that it was looked up: %s', async (result, reply, records) => {
  const { lookUp } = setUpUnder(2, reply);
  const journaled = await lookUp.ask(asked, bearer);
  expect(journaled).toHaveLength(records);
  expect(journaled.at(-1)).toMatchObject({ record: 'LOOKED_UP', commandId: 'a', attempt: 1, at: AT, result });
});

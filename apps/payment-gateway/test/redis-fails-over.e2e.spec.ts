import { failOver, startRedisPair, waitFor, type RedisPair } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { allCalls, pacedLoad, repeatedIn } from './paced-load.js';

const PER_SECOND = 20;

let pair: RedisPair;
let stack: GatewayStack;
beforeAll(async () => {
  pair = await startRedisPair();
  stack = await startGatewayStack({ REDIS_URL: pair.name.url });
}, 120_000);
afterAll(async () => {
  await stack?.stop();
  await pair?.stop();
});

const health = (path: string) => fetch(`${stack.gateway.managementUrl}/health/${path}`);
const isReady = async () => (await health('ready')).ok;

it('executes everything once when the Redis behind a name fails over and closes no connection: not ready meanwhile, well by itself', async () => {
  const count = () => stack.results.events.length;
  const seen = (more: number, since = count()) =>
    waitFor(() => count() >= since + more, { timeoutMs: 60_000, what: `${more} more events` });
  const load = pacedLoad(stack, PER_SECOND);
  await seen(40);

  await failOver(pair);
  const reason = await waitFor(
    async () => {
      const answer = await health('ready');
      return !answer.ok && answer.text();
    },
    { timeoutMs: 60_000, what: 'not being ready' },
  );
  expect(reason).toContain('redis-index');
  expect((await health('live')).status).toBe(200);
  expect(await stack.metric('tranche_redis_connected')).toBe(0);

  pair.name.leadTo(pair.replica.url);
  await waitFor(isReady, { timeoutMs: 60_000, what: 'being ready again' });
  await seen(40);
  const sent = await load.stop();
  const ended = () => new Set(stack.results.events.map(({ data }) => data.commandId));
  await waitFor(() => sent.every(({ commandId }) => ended().has(commandId)), {
    timeoutMs: 60_000,
    what: 'an end of every command',
  });
  const calls = await allCalls(stack);
  expect(repeatedIn(calls.map(({ orderId }) => orderId))).toEqual([]);
  expect(calls).toHaveLength(sent.length);
}, 240_000);

import { createClient } from 'redis';
import { aPartnerAAuthorization, infrastructure, waitFor } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { allCalls, longestGapMs, pacedLoad, repeatedIn } from './paced-load.js';

const PER_SECOND = 100;
const BEFORE = 500;
const AFTER = 500;
/** Old commands that are sent again once the index is rebuilt. */
const AGAIN = 20;

let stack: GatewayStack;
beforeAll(async () => {
  stack = await startGatewayStack({ PLATFORM_TIMEOUT_MS: '5000', GATEWAY_IN_FLIGHT: '64' });
  await stack.fault({ match: { operation: 'authorization' }, fault: { latencyMsUniform: [100, 300] } });
});
afterAll(() => stack.stop());

/** Deletes this gateway's keys at once, if it has more than `moreThan` entries. No FLUSHDB, because other specs share the database. */
async function flush(prefix: string, moreThan: number): Promise<number> {
  const redis = await createClient({ url: infrastructure().redisUrl }).connect();
  const script = `local keys, entries = redis.call('KEYS', ARGV[1]), 0
    for _, key in ipairs(keys) do if redis.call('TYPE', key).ok == 'hash' then entries = entries + redis.call('HLEN', key) end end
    if entries <= tonumber(ARGV[2]) then return 0 end
    for _, key in ipairs(keys) do redis.call('DEL', key) end
    return entries`;
  const count = (await redis.eval(script, { arguments: [`${prefix}gateway:*`, String(moreThan)] })) as number;
  await redis.close();
  return count;
}

it('executes nothing twice and comes back by itself when Redis loses the index under load', async () => {
  const seen = (count: number) =>
    waitFor(() => stack.results.events.length >= count, { timeoutMs: 180_000, what: `${count} events` });
  const { pid } = stack.gateway;
  const load = pacedLoad(stack, PER_SECOND);
  await seen(BEFORE);
  // The index may be behind the events.
  await waitFor(async () => (await flush(stack.prefix, BEFORE / 2)) > 0, {
    timeoutMs: 180_000,
    what: 'an index to flush',
    pollMs: 100,
  });
  const flushedMs = Date.now();
  await seen(stack.results.events.length + AFTER);
  const sent = await load.stop();

  const ended = () => new Set(stack.results.events.map(({ data }) => data.commandId));
  const open = () => sent.filter(({ commandId }) => !ended().has(commandId)).map(({ orderId }) => orderId);
  // No fixed time limit, because a slow machine may have many open commands; only progress is required.
  for (let left = open(); left.length > 0; left = open()) {
    const isFewer = () => open().length < left.length;
    await waitFor(isFewer, { timeoutMs: 180_000, what: 'an end, or a doubt, of one more command' }).catch(
      (cause: unknown) => {
        throw new Error(`No event of ${left.join(', ')}`, { cause });
      },
    );
  }
  await waitFor(async () => (await fetch(`${stack.gateway.managementUrl}/health/ready`)).ok, {
    timeoutMs: 180_000,
    what: 'ready again',
  });
  expect((await fetch(`${stack.gateway.managementUrl}/health/live`)).ok).toBe(true);
  expect(stack.gateway).toMatchObject({ pid, killed: false });

  const known = stack.results.events.length;
  for (const { orderId, commandId } of sent.slice(0, AGAIN)) {
    await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }), commandId);
  }
  await seen(known + AGAIN);
  const again = stack.results.events.slice(known);
  const firstIds = new Set(stack.results.events.slice(0, known).map(({ id }) => id));
  expect(again.filter(({ id }) => !firstIds.has(id))).toEqual([]);

  const calls = await allCalls(stack);
  const inDoubt = stack.results.events.filter(({ type }) => type === 'payment.authorize.in_doubt').length;
  const twice = repeatedIn(stack.results.events.slice(0, known).map(({ id }) => id)).length;
  const pauseMs = longestGapMs(calls.map(({ timeMs }) => timeMs).filter((timeMs) => timeMs > flushedMs - 1_000));
  console.log(
    `${sent.length} commands, ${calls.length} calls, ${inDoubt} in doubt, ${twice} events published twice, paused ${pauseMs} ms after the flush`,
  );
  expect(repeatedIn(calls.filter(({ executed }) => executed).map(({ orderId }) => orderId))).toEqual([]);
  expect(repeatedIn(calls.map(({ orderId }) => orderId))).toEqual([]);
}, 1_200_000);

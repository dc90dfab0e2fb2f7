import { startApp, waitFor, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { allCalls, longestGapMs, pacedLoad, repeatedIn } from './paced-load.js';

const PER_SECOND = 50;
/** Events between two changes of the group: a few seconds of load. */
const BETWEEN_CHANGES = 150;
const PAUSE_MS = 3_000;

let stack: GatewayStack;
const further: RunningApp[] = [];
beforeAll(async () => {
  stack = await startGatewayStack({ GATEWAY_IN_FLIGHT: '64' });
  await stack.fault({ match: { operation: 'authorization' }, fault: { latencyMsUniform: [100, 300] } });
});
afterAll(async () => {
  await Promise.all(further.map((gateway) => gateway.stop()));
  await stack.stop();
});

async function events(count: number): Promise<void> {
  const wanted = stack.results.events.length + count;
  await waitFor(() => stack.results.events.length >= wanted, { timeoutMs: 60_000, what: `${wanted} events` });
}

it('calls once for every command while gateways join and leave under load, and never pauses for long', async () => {
  const load = pacedLoad(stack, PER_SECOND);
  await events(BETWEEN_CHANGES);
  further.push(await startApp('payment-gateway', stack.env));
  await events(BETWEEN_CHANGES);
  further.push(await startApp('payment-gateway', stack.env));
  await events(BETWEEN_CHANGES);
  await stack.gateway.stop();
  await events(BETWEEN_CHANGES);
  await further[0]?.stop();
  await events(BETWEEN_CHANGES);
  const sent = await load.stop();
  const unanswered = () => {
    const answered = new Set(stack.results.events.map(({ data }) => data.commandId));
    return sent.filter(({ commandId }) => !answered.has(commandId)).map(({ orderId }) => orderId);
  };
  await waitFor(() => unanswered().length === 0, { timeoutMs: 60_000, what: 'an event for every command' }).catch(
    (cause: unknown) => {
      throw new Error(`No event of ${unanswered().join(', ')}`, { cause });
    },
  );

  const calls = await allCalls(stack);
  const arrivedMs = new Map(stack.results.events.map((event) => [event.data.commandId, Date.parse(event.time)]));
  const waitsMs = sent.map(({ commandId, sentMs }) => (arrivedMs.get(commandId) ?? Number.NaN) - sentMs);
  const pauseMs = longestGapMs(calls.map(({ timeMs }) => timeMs));
  const again = repeatedIn(stack.results.events.map(({ id }) => id));
  console.log(
    `${sent.length} commands, ${calls.length} calls, longest pause ${pauseMs} ms, longest wait of a command ${Math.max(...waitsMs)} ms, ` +
      `${again.length} events published twice`,
  );
  expect(repeatedIn(calls.map(({ orderId }) => orderId))).toEqual([]);
  expect(calls.length).toBe(sent.length);
  expect(new Set(stack.results.events.map(({ type }) => type))).toEqual(
    new Set(['payment.authorize.redirect_required']),
  );
  // While the whole machine stood still, no command was sent either, so that gap is allowed.
  expect(pauseMs).toBeLessThanOrEqual(PAUSE_MS + longestGapMs(sent.map(({ sentMs }) => sentMs)));
}, 240_000);

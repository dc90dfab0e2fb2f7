import { startApp, waitFor, type RunningApp } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { allCalls, longestGapMs, pacedLoad, repeatedIn, type PacedLoad } from './paced-load.js';

const PER_SECOND = 100;
/** Events after each change of the group: a few seconds of load. */
const AFTER_CHANGE = 500;
const SESSION_MS = 6_000;
const FREEZE_MS = 20_000;
type Change = 'three instances' | 'join' | 'leave' | 'kill' | 'freeze' | 'rolling change';
/** Longest time without a call, of all instances together. Milliseconds. */
const PAUSE_MS = 1_000;
/** Longest time that a command may wait for its call. Milliseconds. */
const WAIT_MS = SESSION_MS + 2_000;

let stack: GatewayStack;
const running = new Set<RunningApp>();
const started: RunningApp[] = [];
const start = async (): Promise<RunningApp> => {
  const gateway = await startApp('payment-gateway', stack.env);
  running.add(gateway);
  started.push(gateway);
  return gateway;
};
const stop = async (gateway: RunningApp, signal?: NodeJS.Signals): Promise<void> => {
  running.delete(gateway);
  await gateway.stop(signal);
};
beforeAll(async () => {
  stack = await startGatewayStack({
    ...{ GATEWAY_IN_FLIGHT: '64', PLATFORM_TIMEOUT_MS: '5000' },
    KAFKA_SESSION_TIMEOUT_MS: String(SESSION_MS),
  });
  await stack.fault({ match: { operation: 'authorization' }, fault: { latencyMsUniform: [100, 300] } });
});
afterAll(async () => {
  for (const { pid } of running) process.kill(pid, 'SIGCONT');
  await Promise.all([...running].map((gateway) => gateway.stop()));
  await stack.stop();
});

async function events(count: number): Promise<void> {
  const wanted = stack.results.events.length + count;
  await waitFor(() => stack.results.events.length >= wanted, { timeoutMs: 90_000, what: `${wanted} events` });
}

/** Runs each change of the group under load. Returns when each one began, in order. */
async function changes(load: PacedLoad): Promise<Map<Change, number>> {
  const begun = new Map<Change, number>();
  const change = async (name: Change, act: () => Promise<void>) => {
    begun.set(name, load.sent.length);
    await act();
    await events(AFTER_CHANGE);
  };
  const second = await start();
  let third = await start();
  await events(AFTER_CHANGE);
  await change('three instances', () => Promise.resolve());
  let fourth: RunningApp | undefined;
  await change('join', async () => void (fourth = await start()));
  await change('leave', () => stop(fourth!));
  await change('kill', () => stop(third, 'SIGKILL'));
  third = await start();
  await events(AFTER_CHANGE);
  await change('freeze', async () => {
    process.kill(second.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, FREEZE_MS));
    process.kill(second.pid, 'SIGCONT');
  });
  await change('rolling change', async () => {
    for (const old of [stack.gateway, second, third]) {
      await start();
      await events(AFTER_CHANGE / 5);
      if (old === stack.gateway) await old.stop();
      else await stop(old);
    }
  });
  return begun;
}

it('calls once for every command through joins, leaves, a kill, a freeze and a rolling change, and never pauses for long', async () => {
  const load = pacedLoad(stack, PER_SECOND);
  const begun = await changes(load);
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
  const calledMs = new Map(calls.map(({ orderId, timeMs }) => [orderId, timeMs]));
  const starts = [...begun.values(), sent.length];
  const longest = [...begun.keys()].map((name, at) => {
    const during = sent.slice(starts[at], starts[at + 1]);
    const waitsMs = during.map(({ orderId, sentMs }) => (calledMs.get(orderId) ?? sentMs) - sentMs);
    // While the whole machine stood still, no command was sent either, so that gap is allowed.
    const unsentMs = longestGapMs(during.map(({ sentMs }) => sentMs));
    // By the time of the calls: a command sent just before a kill is called by the next owner, after the session's time-out.
    const [fromMs = 0, untilMs = Infinity] = [sent[starts[at]!]?.sentMs, sent[starts[at + 1]!]?.sentMs];
    const called = calls.map(({ timeMs }) => timeMs).filter((timeMs) => timeMs >= fromMs && timeMs < untilMs);
    return { name, waitMs: Math.max(...waitsMs), pauseMs: longestGapMs(called), unsentMs, commands: during.length };
  });
  const uncalled = sent.filter(({ orderId }) => !calledMs.has(orderId)).length;
  const again = repeatedIn(stack.results.events.map(({ id }) => id));
  console.table(longest);
  console.log(
    `${sent.length} commands, ${calls.length} calls, ${uncalled} never called, ${again.length} events published twice`,
  );
  expect(repeatedIn(calls.map(({ orderId }) => orderId))).toEqual([]);
  // A command whose owner was killed between its INTENT and the call is in doubt, and is not called.
  const inDoubt = new Set(
    stack.results.events.filter(({ type }) => type.endsWith('.in_doubt')).map(({ data }) => data.orderId),
  );
  expect(sent.filter(({ orderId }) => !calledMs.has(orderId) && !inDoubt.has(orderId))).toEqual([]);
  const isTooLong = ({ waitMs, pauseMs, unsentMs }: (typeof longest)[number]) =>
    waitMs > WAIT_MS + unsentMs || pauseMs > PAUSE_MS + unsentMs;
  expect(longest.filter(isTooLong)).toEqual([]);
}, 400_000);

it('writes no error to the logs meanwhile, since none of this needs a person', () => {
  const logged = [stack.gateway, ...started].flatMap(({ logs }) => logs).flatMap(levelAndText);
  const count = (level: string) => logged.filter((line) => line.level === level);
  console.log(`${logged.length} lines, ${count('warn').length} at warn, ${count('error').length} at error`);
  console.table(timesOf(count('warn').map(({ text }) => text)));
  expect(count('error').map(({ text }) => text)).toEqual([]);
});

function levelAndText(line: string): { level: string; text: string }[] {
  if (!line.startsWith('{')) return [];
  const { level, message } = JSON.parse(line) as { level: string; message: string };
  return [{ level, text: message }];
}

function timesOf(texts: readonly string[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const text of texts) times[text] = (times[text] ?? 0) + 1;
  return times;
}

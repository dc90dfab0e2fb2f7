import type { Consumer, ConsumerRunConfig } from 'kafkajs';
import { silentLog } from '@tranche/runtime';
import { ConsumerClosedError } from '../errors.js';
import { ConsumerRunner } from './consumer-runner.js';

type Step = 'ask' | 'connect' | 'subscribe' | 'run';
const STEPS: readonly Step[] = ['ask', 'connect', 'subscribe', 'run'];
type Listener = (event: { payload: object }) => void;

/** A kafkajs consumer whose steps last until the test ends them. */
function aConsumer() {
  const calls: string[] = [];
  const ends = new Map<Step, (error?: Error) => void>();
  const listeners = new Map<string, Listener>();
  const given: unknown[] = [];
  const step = (name: Step) => (options?: unknown) => {
    calls.push(name);
    given.push(options);
    return new Promise<void>((resolve, reject) => ends.set(name, (error) => (error ? reject(error) : resolve())));
  };
  const consumer = {
    on: (name: string, listener: Listener) => void listeners.set(name, listener),
    connect: step('connect'),
    subscribe: step('subscribe'),
    run: step('run'),
    disconnect: () => Promise.resolve(void calls.push('disconnect')),
  };
  const crashes: boolean[] = [];
  const runner = new ConsumerRunner({
    consumer: consumer as unknown as Consumer,
    name: 'it',
    topics: ['commands'],
    eachBatch: () => Promise.resolve(),
    onJoin: () => undefined,
    onCrash: (_error, comesBack) => void crashes.push(comesBack),
    onLost: () => undefined,
    log: silentLog,
  });
  const emit = (name: string, payload: object) => listeners.get(name)?.({ payload });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    runner,
    calls,
    given,
    crashes,
    emit,
    turn,
    ask: step('ask'),
    end: async (name: Step, error?: Error) => (ends.get(name)?.(error), turn()),
  };
}

it.each(STEPS)('stopped during %s it does nothing more than to leave, once that has ended', async (stoppedIn) => {
  const { runner, calls, ask, end, turn } = aConsumer();
  const starting = expect(runner.start(ask)).rejects.toThrow(ConsumerClosedError);
  const before = STEPS.slice(0, STEPS.indexOf(stoppedIn));
  for (const step of before) await end(step);
  const stopping = runner.stop();
  await turn();
  // A disconnect during the join would leave a member that cannot be stopped.
  expect(calls).toEqual([...before, stoppedIn]);
  await end(stoppedIn);
  await Promise.all([starting, stopping]);
  expect(new Set(calls.slice(before.length + 1))).toEqual(new Set(['disconnect']));
});

it.each(STEPS)('leaves when %s fails', async (failing) => {
  const { runner, calls, ask, end } = aConsumer();
  const starting = expect(runner.start(ask)).rejects.toThrow('broken');
  for (const step of STEPS.slice(0, STEPS.indexOf(failing))) await end(step);
  await end(failing, new Error('broken'));
  await starting;
  expect(calls.slice(-2)).toEqual([failing, 'disconnect']);
});

it('waits for a join that kafkajs began by itself before it leaves', async () => {
  const { runner, calls, crashes, emit, ask, end, turn } = aConsumer();
  const starting = runner.start(ask);
  for (const step of STEPS) await end(step);
  await starting;
  emit('consumer.crash', { error: new Error('x'), restart: true });
  const stopping = runner.stop();
  await turn();
  expect([calls.at(-1), crashes, runner.isJoiningInVain]).toEqual(['run', [true], true]);
  emit('consumer.group_join', { memberAssignment: {} });
  await stopping;
  expect([calls.at(-1), runner.isJoiningInVain]).toEqual(['disconnect', false]);
});

it('leaves also when what was to be finished fails', async () => {
  const { runner, calls, ask, end } = aConsumer();
  const starting = runner.start(ask);
  for (const step of STEPS) await end(step);
  await starting;
  await expect(runner.stop(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(calls.at(-1)).toBe('disconnect');
});

it('has kafkajs take what was fetched of other partitions while one of them waits', async () => {
  const { runner, given, ask, end } = aConsumer();
  const starting = runner.start(ask);
  for (const step of STEPS) await end(step);
  await starting;
  const { partitionsConsumedConcurrently = 1 } = given.at(-1) as ConsumerRunConfig;
  expect(partitionsConsumedConcurrently).toBeGreaterThan(1);
});

import type { Consumer } from 'kafkajs';
import { ConsumerLife } from './consumer-life.js';
import { ConsumerClosedError } from './errors.js';

type Step = 'ask' | 'connect' | 'subscribe' | 'run';
const STEPS: readonly Step[] = ['ask', 'connect', 'subscribe', 'run'];
type Listener = (event: { payload: object }) => void;

/** A kafkajs consumer whose steps end when the test says so. */
function aConsumer() {
  const calls: string[] = [];
  const ends = new Map<Step, (error?: Error) => void>();
  const listeners = new Map<string, Listener>();
  const step = (name: Step) => () => {
    calls.push(name);
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
  const life = new ConsumerLife({
    consumer: consumer as unknown as Consumer,
    name: 'it',
    topics: ['commands'],
    eachBatch: () => Promise.resolve(),
    onJoin: () => undefined,
    onCrash: (_error, comesBack) => void crashes.push(comesBack),
    onLost: () => undefined,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const emit = (name: string, payload: object) => listeners.get(name)?.({ payload });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    life,
    calls,
    crashes,
    emit,
    turn,
    ask: step('ask'),
    end: async (name: Step, error?: Error) => (ends.get(name)?.(error), turn()),
  };
}

it.each(STEPS)('stopped during %s it does nothing more than to leave, once that has ended', async (stoppedIn) => {
  const { life, calls, ask, end, turn } = aConsumer();
  const starting = expect(life.start(ask)).rejects.toThrow(ConsumerClosedError);
  const before = STEPS.slice(0, STEPS.indexOf(stoppedIn));
  for (const step of before) await end(step);
  const stopping = life.stop();
  await turn();
  // A disconnect while kafkajs joins would leave a member that nobody can stop.
  expect(calls).toEqual([...before, stoppedIn]);
  await end(stoppedIn);
  await Promise.all([starting, stopping]);
  expect(new Set(calls.slice(before.length + 1))).toEqual(new Set(['disconnect']));
});

it.each(STEPS)('leaves when %s fails', async (failing) => {
  const { life, calls, ask, end } = aConsumer();
  const starting = expect(life.start(ask)).rejects.toThrow('broken');
  for (const step of STEPS.slice(0, STEPS.indexOf(failing))) await end(step);
  await end(failing, new Error('broken'));
  await starting;
  expect(calls.slice(-2)).toEqual([failing, 'disconnect']);
});

it('waits for a join that kafkajs began by itself before it leaves', async () => {
  const { life, calls, crashes, emit, ask, end, turn } = aConsumer();
  const starting = life.start(ask);
  for (const step of STEPS) await end(step);
  await starting;
  emit('consumer.crash', { error: new Error('x'), restart: true });
  const stopping = life.stop();
  await turn();
  expect([calls.at(-1), crashes, life.isJoiningInVain]).toEqual(['run', [true], true]);
  emit('consumer.group_join', { memberAssignment: {} });
  await stopping;
  expect([calls.at(-1), life.isJoiningInVain]).toEqual(['disconnect', false]);
});

it('leaves also when what was to be finished fails', async () => {
  const { life, calls, ask, end } = aConsumer();
  const starting = life.start(ask);
  for (const step of STEPS) await end(step);
  await starting;
  await expect(life.stop(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(calls.at(-1)).toBe('disconnect');
});

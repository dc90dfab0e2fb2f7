import { EventEmitter } from 'node:events';
import { watchUnusual } from './fetches.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function watched() {
  const events = new EventEmitter();
  let doubts = 0;
  watchUnusual(events as never, 200, () => doubts++);
  return {
    doubts: () => doubts,
    /** Answers a request after `duration` milliseconds. */
    answer: (duration: number, apiName = 'Fetch', broker = 'one:9092') => {
      jest.advanceTimersByTime(duration);
      events.emit('consumer.network.request', { payload: { apiName, broker, duration } });
    },
  };
}

it('finds nothing unusual in fetches and heartbeats, nor in a late event loop', () => {
  const { doubts, answer } = watched();
  for (let fetches = 0; fetches < 10; fetches++) {
    answer(200);
    answer(5, 'Heartbeat');
    jest.advanceTimersByTime(1_900);
  }
  expect(doubts()).toBe(0);
});

it.each([
  ['the offsets of the log: a fetch was out of range', 'ListOffsets'],
  ['metadata: a connection was lost, or a partition has another leader', 'Metadata'],
  ['to join its group', 'JoinGroup'],
])('reports that kafkajs asks for %s', (_what, apiName) => {
  const { doubts, answer } = watched();
  answer(5, apiName);
  expect(doubts()).toBe(1);
});

it.each([
  ['begins long after the one before it was answered: the process stood still', 2_100, 20],
  ['is answered long after it was sent: the request waited on its way', 0, 2_300],
])('reports a fetch that %s', (_what, pauseMs, durationMs) => {
  const { doubts, answer } = watched();
  answer(50);
  jest.advanceTimersByTime(pauseMs);
  answer(durationMs);
  expect(doubts()).toBe(1);
  answer(20);
  expect(doubts()).toBe(1);
});

it('reports a pause by the wall clock if the monotonic clock stood still', () => {
  const { doubts, answer } = watched();
  answer(50);
  jest.setSystemTime(Date.now() + 60_000);
  answer(50);
  expect(doubts()).toBe(1);
});

it('counts the pauses of each broker by themselves', () => {
  const { doubts, answer } = watched();
  answer(50);
  for (let fetches = 0; fetches < 20; fetches++) answer(200, 'Fetch', 'two:9092');
  expect(doubts()).toBe(0);
  answer(50);
  expect(doubts()).toBe(1);
});

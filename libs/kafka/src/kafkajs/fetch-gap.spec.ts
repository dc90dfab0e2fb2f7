import { EventEmitter } from 'node:events';
import { FetchGap } from './fetch-gap.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function watched(...bounds: number[]) {
  const events = new EventEmitter();
  let gaps = 0;
  new FetchGap(events as never, () => gaps++, ...bounds);
  return {
    gaps: () => gaps,
    /** Answers a request after `duration` milliseconds. */
    answer: (duration: number, broker = 'one:9092', apiName = 'Fetch') => {
      jest.advanceTimersByTime(duration);
      events.emit('consumer.network.request', { payload: { apiName, broker, duration } });
    },
  };
}

it('reports the first fetch, and none that follows without a gap', () => {
  const { gaps, answer } = watched();
  answer(120);
  expect(gaps()).toBe(1);
  for (let fetches = 0; fetches < 10; fetches++) answer(120);
  expect(gaps()).toBe(1);
});

it.each([
  ['begins long after the one before it was sent: the process stood still', 200, 20],
  ['is answered long after the one before it was sent: the request waited on its way', 0, 220],
])('tells of a fetch that %s', (_what, pauseMs, durationMs) => {
  const { gaps, answer } = watched();
  answer(50);
  jest.advanceTimersByTime(pauseMs);
  answer(durationMs);
  expect(gaps()).toBe(2);
  answer(20);
  expect(gaps()).toBe(2);
});

it('takes a late event loop for no gap where its bound is longer, and a process that stood still for one', () => {
  const { gaps, answer } = watched(200, 2_000);
  answer(50);
  for (let fetches = 0; fetches < 10; fetches++) {
    jest.advanceTimersByTime(1_900);
    answer(50);
  }
  expect(gaps()).toBe(1);
  jest.advanceTimersByTime(2_100);
  answer(50);
  answer(2_300);
  expect(gaps()).toBe(3);
});

it('reports a gap by the wall clock if the monotonic clock stood still', () => {
  const { gaps, answer } = watched();
  answer(50);
  jest.setSystemTime(Date.now() + 60_000);
  answer(50);
  expect(gaps()).toBe(2);
});

it.each([
  ['another broker', 'two:9092', 'Fetch'],
  ['no fetch', 'one:9092', 'Heartbeat'],
])('is not misled by an answer of %s', (_what, broker, apiName) => {
  const { gaps, answer } = watched();
  answer(50);
  answer(100, broker, apiName);
  answer(100, broker, apiName);
  const before = gaps();
  answer(51);
  expect(gaps()).toBe(before + 1);
});

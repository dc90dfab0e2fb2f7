import { EventEmitter } from 'node:events';
import { FetchGap } from './fetch-gap.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function watched() {
  const events = new EventEmitter();
  const gaps: number[] = [];
  new FetchGap(events as never, () => gaps.push(performance.now()));
  return {
    gaps,
    fetchStarts: (nodeId: number) => events.emit('consumer.fetch_start', { payload: { nodeId } }),
    fetchEnds: (nodeId: number) => events.emit('consumer.fetch', { payload: { nodeId } }),
  };
}

it('tells of a fetch that begins long after the one before it, of the same broker', () => {
  const { gaps, fetchStarts } = watched();
  fetchStarts(1);
  fetchStarts(2);
  jest.advanceTimersByTime(150);
  fetchStarts(1);
  expect(gaps).toEqual([]);
  jest.advanceTimersByTime(150);
  fetchStarts(1);
  expect(gaps).toEqual([]);
  fetchStarts(2);
  expect(gaps).toHaveLength(1);
});

it('tells of a date that went ahead while the monotonic clock stood still', () => {
  const { gaps, fetchStarts } = watched();
  fetchStarts(1);
  jest.setSystemTime(Date.now() + 60_000);
  fetchStarts(1);
  expect(gaps).toHaveLength(1);
});

it('tells of a fetch that is answered long after the one before it began', () => {
  const { gaps, fetchStarts, fetchEnds } = watched();
  fetchStarts(1);
  jest.advanceTimersByTime(100);
  fetchEnds(1);
  fetchStarts(1);
  jest.advanceTimersByTime(100);
  fetchEnds(1);
  fetchStarts(1);
  expect(gaps).toEqual([]);
  jest.advanceTimersByTime(101);
  fetchEnds(1);
  expect(gaps).toHaveLength(1);
});

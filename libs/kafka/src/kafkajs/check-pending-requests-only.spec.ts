import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { repairKafkajs } from './repairs.js';

interface Queue {
  pending: { correlationId: number; send: () => void; expectResponse: boolean }[];
  checkPendingRequests(): void;
  maybeThrottle(ms: number): void;
}

beforeEach(() => {
  jest.useFakeTimers();
  repairKafkajs();
});
afterEach(() => jest.useRealTimers());

const queueOf = () =>
  new (RequestQueue as unknown as new (options: object) => Queue)({ logger: { debug: () => undefined } });

it('sets no timer while no request waits: it would lie in the past, and fire each millisecond', () => {
  queueOf().checkPendingRequests();
  expect(jest.getTimerCount()).toBe(0);
});

it('sends a request that a throttling broker holds up when that time is over', () => {
  const queue = queueOf();
  const send = jest.fn();
  queue.maybeThrottle(500);
  queue.pending.push({ correlationId: 1, send, expectResponse: true });
  queue.checkPendingRequests();
  jest.advanceTimersByTime(499);
  expect(send).not.toHaveBeenCalled();
  jest.advanceTimersByTime(2);
  expect(send).toHaveBeenCalledTimes(1);
  expect(jest.getTimerCount()).toBe(0);
});

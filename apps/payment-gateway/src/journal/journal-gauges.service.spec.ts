import { IndexDelays } from './journal-gauges.service.js';

const PARTITION = 3;
let nowMs = 0;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => nowMs));
afterEach(() => jest.restoreAllMocks());

it('is short while the index follows, though it never reaches the end of a journal that grows', () => {
  const delays = new IndexDelays();
  for (let end = 100n; end < 2_000n; end += 100n) {
    delays.measured(PARTITION, end - 10n, end);
    delays.measured(PARTITION, end, end + 100n);
    nowMs += 5_000;
    expect(delays.secondsOf(PARTITION)).toBe(5);
  }
});

it('grows with time, not with records, while a single record does not come into the index', () => {
  const delays = new IndexDelays();
  delays.measured(PARTITION, 7n, 8n);
  for (let looks = 0; looks < 40; looks++) {
    nowMs += 5_000;
    delays.measured(PARTITION, 7n, 8n);
  }
  expect(delays.secondsOf(PARTITION)).toBe(200);
  delays.measured(PARTITION, 8n, 8n);
  expect(delays.secondsOf(PARTITION)).toBe(0);
});

it('grows while the index cannot be asked', () => {
  const delays = new IndexDelays();
  delays.measured(PARTITION, 8n, 8n);
  nowMs += 200_000;
  expect(delays.secondsOf(PARTITION)).toBe(200);
});

it('grows where the index could never be asked', () => {
  const delays = new IndexDelays();
  expect(delays.secondsOf(PARTITION)).toBe(0);
  nowMs += 200_000;
  expect(delays.secondsOf(PARTITION)).toBe(200);
});

it('begins anew for a partition that this instance gave away meanwhile', () => {
  const delays = new IndexDelays();
  delays.measured(PARTITION, 7n, 8n);
  delays.keep(new Set([PARTITION + 1]));
  nowMs += 200_000;
  delays.measured(PARTITION, 7n, 8n);
  expect(delays.secondsOf(PARTITION)).toBe(0);
});

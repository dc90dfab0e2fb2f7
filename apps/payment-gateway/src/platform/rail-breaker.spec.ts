import type { CallResult } from '@tranche/contracts';
import { FAILURES_TO_OPEN, RailBreaker, SLOW_DOWN_MS } from './rail-breaker.js';

const unreachable: CallResult = { record: 'NOT_EXECUTED', reason: 'unreachable', message: '' };
const notExecuted = (execCode: string): CallResult => ({
  record: 'NOT_EXECUTED',
  reason: 'execcode',
  message: '',
  execCode,
});
const refused: CallResult = { record: 'OUTCOME', result: 'refused', answer: { execCode: '4001' } };
const deadline: CallResult = { record: 'NOT_EXECUTED', reason: 'send_deadline', message: '' };
const doubt: CallResult = { record: 'IN_DOUBT', reason: 'timeout', message: '' };

function after(...replies: (CallResult | undefined)[]): RailBreaker {
  const breaker = new RailBreaker();
  for (const reply of replies) {
    const entry = breaker.acquire(0);
    if (entry) breaker.release(entry, reply, 0);
  }
  return breaker;
}
const times = (count: number, reply: CallResult) => Array.from({ length: count }, () => reply);

it.each([
  ['four failures', times(FAILURES_TO_OPEN - 1, unreachable), 'closed'],
  ['five failures', times(FAILURES_TO_OPEN, unreachable), 'open'],
  ['five of all kinds', [unreachable, notExecuted('5001'), notExecuted('5003'), unreachable, unreachable], 'open'],
  ['an answer in between', [...times(4, unreachable), refused, ...times(4, unreachable)], 'closed'],
  ['a busy platform', times(9, notExecuted('2006')), 'closed'],
  ['doubts: the platform was reached', times(9, doubt), 'closed'],
  ['our own send deadline says nothing', [...times(4, unreachable), deadline, unreachable], 'open'],
  ['calls that were not made say nothing', [...times(4, unreachable), ...times(3, deadline)], 'closed'],
])('%s', (_what, replies, state) => {
  expect(after(...replies).state).toBe(state);
});

describe('once open', () => {
  const open = () => after(...times(FAILURES_TO_OPEN, unreachable));
  const probing = (nowMs = 0) => {
    const breaker = open();
    breaker.connected();
    return { breaker, entry: breaker.acquire(nowMs)! };
  };

  it('lets nothing pass before a connection came about, then one call', () => {
    const breaker = open();
    expect(breaker.acquire(0)).toBeUndefined();
    breaker.connected();
    expect([breaker.acquire(0)?.isProbe, breaker.acquire(0)]).toEqual([true, undefined]);
  });

  it('closes when the probe is answered, whatever the answer', () => {
    const { breaker, entry } = probing();
    breaker.release(entry, refused, 0);
    expect([breaker.state, breaker.acquire(0)?.isProbe, breaker.acquire(0)?.isProbe]).toEqual(['closed', false, false]);
  });

  it('opens again when the probe fails, and waits longer', () => {
    const { breaker, entry } = probing();
    const first = breaker.probeAfterMs;
    breaker.release(entry, unreachable, 0);
    expect([breaker.state, breaker.probeAfterMs]).toEqual(['open', 2 * first]);
  });

  it.each([
    ['was not made', undefined],
    ['came to nothing that was said', doubt],
  ])('lets another call probe when the first one %s', (_what, reply) => {
    const { breaker, entry } = probing();
    breaker.release(entry, reply, 0);
    expect([breaker.state, breaker.acquire(0)?.isProbe]).toEqual(['half_open', true]);
  });

  it('ignores results of calls that began before the state changed', () => {
    const breaker = new RailBreaker();
    const early = Array.from({ length: 10 }, () => breaker.acquire(0)!);
    for (const entry of early.slice(0, 5)) breaker.release(entry, unreachable, 0);
    breaker.release(early[5]!, refused, 0);
    expect(breaker.state).toBe('open');
    breaker.connected();
    expect(breaker.acquire(0)?.isProbe).toBe(true);
    breaker.release(early[6]!, unreachable, 0);
    breaker.release(early[7]!, undefined, 0);
    expect([breaker.state, breaker.acquire(0)]).toEqual(['half_open', undefined]);
  });

  it.each([
    ['a connection that fails', unreachable, 'unreachable'],
    ['an EXECCODE that executes nothing', notExecuted('5003'), '5003'],
  ])('says that %s stopped it, and since when', (_what, reply, cause) => {
    const breaker = after(...times(FAILURES_TO_OPEN, reply));
    expect(breaker.stop).toEqual({ cause, sinceMs: 0 });
    breaker.connected();
    breaker.release(breaker.acquire(7)!, notExecuted('5001'), 8);
    expect(breaker.stop).toEqual({ cause: '5001', sinceMs: 0 });
    breaker.connected();
    breaker.release(breaker.acquire(9)!, refused, 9);
    expect(breaker.stop).toBeUndefined();
  });

  it('counts the time that the rail stood still', () => {
    const { breaker, entry } = probing(5_000);
    expect(breaker.blockedMs(1_000, 5_000)).toBe(4_000);
    breaker.release(entry, refused, 6_000);
    expect([breaker.blockedMs(0, 60_000), breaker.blockedMs(5_500, 60_000), breaker.blockedMs(6_000, 60_000)]).toEqual([
      6_000, 500, 0,
    ]);
  });
});

it('is not opened by one of two URLs', () => {
  const breaker = new RailBreaker();
  for (let calls = 0; calls < 20; calls++) breaker.release(breaker.acquire(0)!, unreachable, 0, false);
  expect(breaker.state).toBe('closed');
});

describe('after 3004', () => {
  it('slows down, longer with each repetition, and stops no clock [Limits.rate-limits]', () => {
    const breaker = after(notExecuted('3004'));
    expect(breaker.acquire(SLOW_DOWN_MS.first - 1)).toBeUndefined();
    breaker.release(breaker.acquire(SLOW_DOWN_MS.first)!, notExecuted('3004'), 1_000);
    expect([breaker.isBlocked(1_999), breaker.isBlocked(2_000), breaker.state]).toEqual([true, false, 'closed']);
    expect(breaker.blockedMs(0, 10_000)).toBe(0);
  });

  it('takes the replies of calls that were under way together for one', () => {
    const breaker = new RailBreaker();
    const together = Array.from({ length: 50 }, () => breaker.acquire(0)!);
    for (const entry of together) breaker.release(entry, notExecuted('3004'), 0);
    expect([breaker.isBlocked(SLOW_DOWN_MS.first - 1), breaker.isBlocked(SLOW_DOWN_MS.first)]).toEqual([true, false]);
  });
});

import type { Classified } from '@tranche/order-journal';
import { FAILURES_TO_OPEN, RailBreaker, SLOW_DOWN_MS } from './rail-breaker.js';

const unreachable: Classified = { record: 'NOT_EXECUTED', reason: 'unreachable', message: '' };
const notExecuted = (execCode: string): Classified => ({ record: 'NOT_EXECUTED', reason: 'execcode', message: '', execCode });
const refused: Classified = { record: 'OUTCOME', result: 'refused', answer: { execCode: '4001' } };
const deadline: Classified = { record: 'NOT_EXECUTED', reason: 'send_deadline', message: '' };
const doubt: Classified = { record: 'IN_DOUBT', reason: 'timeout', message: '' };

function after(...replies: (Classified | undefined)[]): RailBreaker {
  const breaker = new RailBreaker();
  for (const reply of replies) {
    breaker.enter(0);
    breaker.leave(reply, 0);
  }
  return breaker;
}
const times = (count: number, reply: Classified) => Array.from({ length: count }, () => reply);

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

  it('lets nothing pass before a connection came about, then one call', () => {
    const breaker = open();
    expect(breaker.enter(0)).toBe(false);
    breaker.connected();
    expect([breaker.enter(0), breaker.enter(0)]).toEqual([true, false]);
  });

  it('closes when the probe is answered, whatever the answer', () => {
    const breaker = open();
    breaker.connected();
    breaker.enter(0);
    breaker.leave(refused, 0);
    expect([breaker.state, breaker.enter(0), breaker.enter(0)]).toEqual(['closed', true, true]);
  });

  it('opens again when the probe fails, and waits longer', () => {
    const breaker = open();
    const first = breaker.probeAfterMs;
    breaker.connected();
    breaker.enter(0);
    breaker.leave(unreachable, 0);
    expect([breaker.state, breaker.probeAfterMs]).toEqual(['open', 2 * first]);
  });

  it('lets another call probe when the first one was not made', () => {
    const breaker = open();
    breaker.connected();
    breaker.enter(0);
    breaker.leave(undefined, 0);
    expect(breaker.enter(0)).toBe(true);
  });

  it('counts the time that the rail stood still', () => {
    const breaker = open();
    breaker.connected();
    breaker.enter(5_000);
    expect(breaker.heldBackMs(1_000, 5_000)).toBe(4_000);
    breaker.leave(refused, 6_000);
    expect([breaker.heldBackMs(0, 60_000), breaker.heldBackMs(5_500, 60_000), breaker.heldBackMs(6_000, 60_000)]).toEqual([6_000, 500, 0]);
  });
});

it('slows down after 3004, longer when it comes again', () => {
  const breaker = after(notExecuted('3004'));
  expect([breaker.enter(SLOW_DOWN_MS.first - 1), breaker.enter(SLOW_DOWN_MS.first)]).toEqual([false, true]);
  breaker.leave(notExecuted('3004'), 1_000);
  expect([breaker.isHeldBack(1_999), breaker.isHeldBack(2_000), breaker.state]).toEqual([true, false, 'closed']);
});

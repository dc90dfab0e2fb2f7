import type { Clock } from '../clock.js';
import { RepeatLimit } from './repeat-limit.js';

function limit() {
  const clock = { nowMs: 0 };
  const made = new RepeatLimit({ monotonicMs: () => clock.nowMs } as Clock);
  return {
    clock,
    told: (orderId: string, commandId = 'c') => made.admits({ merchant: 'shop-fr', orderId }, commandId),
  };
}

it('tells the result of a command once a second', () => {
  const { clock, told } = limit();
  expect([told('o'), told('o')]).toEqual([true, false]);
  clock.nowMs = 999;
  expect(told('o')).toBe(false);
  clock.nowMs = 1_000;
  expect([told('o'), told('o')]).toEqual([true, false]);
});

it('counts each command by itself', () => {
  const { told } = limit();
  expect([told('o'), told('p'), told('o', 'd')]).toEqual([true, true, true]);
});

it('remembers the newest 10,000', () => {
  const { told } = limit();
  for (let number = 0; number <= 10_000; number++) told(`o-${number}`);
  expect([told('o-10000'), told('o-1'), told('o-0')]).toEqual([false, false, true]);
});

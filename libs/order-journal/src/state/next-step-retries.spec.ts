import { afterNotExecuted } from './next-step.js';
import type { OperationState } from './order-state.js';

const FIRST = '2026-03-01T10:00:00.000Z';
const now = (afterMs: number) => Date.parse(FIRST) + afterMs;
function idle(
  lastNotExecuted: OperationState['lastNotExecuted'],
  change: Partial<OperationState> = {},
): OperationState {
  const terms = { commandId: 'c', operation: 'capture', method: 'A', currency: 'EUR', contentHash: 'h' } as const;
  return {
    ...terms,
    attempt: 2,
    phase: 'idle',
    attempts: [],
    evidence: [],
    firstIntentAt: FIRST,
    lastNotExecuted,
    ...change,
  };
}
const said = (execCode: string) => ({ reason: 'execcode', execCode }) as const;

describe('after an attempt that was not executed', () => {
  it.each([
    ['no connection: for ever', idle({ reason: 'unreachable' }), 3_600_000, 'retry'],
    ['maintenance: for ever', idle(said('5003')), 3_600_000, 'retry'],
    ['the send deadline', idle({ reason: 'send_deadline' }), 3_600_000, 'retry'],
    ['concurrent operation, the next attempt within 60 s', idle(said('2017')), 58_999, 'retry'],
    ['concurrent operation, the next attempt at 60 s', idle(said('2017')), 59_000, 'platform_unavailable'],
    ['not finished, an authorization', idle(said('2006'), { operation: 'authorize' }), 0, 'platform_unavailable'],
    ['rate limit, a card payment', idle(said('3004'), { operation: 'pay' }), 0, 'platform_unavailable'],
    ['rate limit, a refund', idle(said('3004'), { operation: 'refund' }), 0, 'retry'],
    ['bank network', idle(said('5002')), 0, 'platform_unavailable'],
    ['display error', idle(said('5005')), 0, 'platform_unavailable'],
    ['the first 401', idle({ reason: 'auth_refused' }, { authRefusals: 1 }), 0, 'retry'],
    ['the second 401', idle({ reason: 'auth_refused' }, { authRefusals: 2 }), 0, 'auth_refused'],
  ])('%s', (_what, operation, afterMs, expected) => {
    const after = afterNotExecuted(operation, now(afterMs));
    expect(after.next === 'give_up' ? after.code : after.next).toBe(expected);
  });

  it('waits longer with every attempt, up to 10 s', () => {
    const delays = [2, 3, 4, 20].map((attempt) => afterNotExecuted(idle(said('5001'), { attempt }), now(0)));
    expect(delays).toEqual([250, 500, 1000, 10_000].map((inMs) => ({ next: 'retry', inMs })));
  });

  it.each(['2006', '2017', '3004'])('%s is tried 7 times in its minute', (execCode) => {
    let [attempts, ageMs] = [1, 0];
    for (;;) {
      const after = afterNotExecuted(idle(said(execCode), { attempt: attempts + 1 }), now(ageMs));
      if (after.next === 'give_up') break;
      attempts++;
      ageMs += after.inMs;
    }
    expect([attempts, ageMs]).toEqual([7, 51_000]);
  });

  it('tries the other of two URLs at once, and waits after both', () => {
    const delays = [2, 3, 4, 5].map((attempt) => afterNotExecuted(idle(said('5001'), { attempt }), now(0), 2));
    expect(delays).toEqual([0, 250, 0, 500].map((inMs) => ({ next: 'retry', inMs })));
  });

  it('hints at 5 minutes after a bank network error', () => {
    expect(afterNotExecuted(idle(said('5002')), now(0))).toMatchObject({ retryAfterSeconds: 300 });
  });
});

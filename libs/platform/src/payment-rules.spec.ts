import { aCapture, aCardPayment, aPartnerAAuthorization, aVoid } from '@tranche/testing';
import type { PlatformOperation } from './payment-rules.js';
import { faultsOfAge, faultsOfOrder } from './payment-rules.js';

const codesOf = (faults: { path: string; code: string }[]) => faults.map(({ path, code }) => `${path} ${code}`);

describe('age', () => {
  const TIME = Date.parse('2026-03-01T10:00:00.000Z');
  const days = (count: number) => count * 86_400_000;
  const capture = (notAfter?: string) =>
    ({
      operation: 'capture',
      timeMs: TIME,
      data: aCapture({ ...(notAfter ? { notAfter } : {}) }),
    }) as PlatformOperation & {
      timeMs: number;
    };
  const payment = (tokenizedAt?: string) =>
    ({
      operation: 'pay',
      timeMs: TIME,
      data: aCardPayment({ ...(tokenizedAt ? { tokenizedAt } : {}) }),
    }) as PlatformOperation & {
      timeMs: number;
    };
  const minutes = (count: number) => count * 60_000;
  it.each([
    ['a command at 7 days', capture(), days(7), []],
    ['a command after 7 days', capture(), days(7) + 1, ['ce_time command_too_old']],
    ['at notAfter', capture('2026-03-01T11:00:00Z'), minutes(60), []],
    ['after notAfter', capture('2026-03-01T11:00:00Z'), minutes(60) + 1, ['notAfter not_after_passed']],
    ['HFTOKEN at 15 minutes', payment('2026-03-01T10:00:00Z'), minutes(15), []],
    ['HFTOKEN after 15 minutes', payment('2026-03-01T10:00:00Z'), minutes(15) + 1, ['hfToken hftoken_expired']],
    ['HFTOKEN by the command’s own time', payment(), minutes(15) + 1, ['hfToken hftoken_expired']],
    [
      'a command that Kafka took 7 days ago',
      { ...capture(), appendedMs: TIME - 1 },
      days(7),
      ['ce_time command_too_old'],
    ],
    [
      'HFTOKEN of a command that Kafka took before its own time',
      { ...payment(), appendedMs: TIME - 1 },
      minutes(15),
      ['hfToken hftoken_expired'],
    ],
    [
      'HFTOKEN said to be made after Kafka took it',
      { ...payment('2026-03-01T12:00:00Z'), appendedMs: TIME },
      minutes(15) + 1,
      ['hfToken hftoken_expired'],
    ],
    ['HFTOKEN made before the command', payment('2026-03-01T09:50:00Z'), minutes(5) + 1, ['hfToken hftoken_expired']],
  ])('%s', (_what, command, afterMs, faults) => {
    expect(codesOf(faultsOfAge(command, TIME + afterMs))).toEqual(faults);
  });
});

describe('what the order must show', () => {
  const voiding = { operation: 'void', data: aVoid() } as PlatformOperation & { timeMs: number };
  it.each([
    ['void, method A', voiding, 'A', 'T1', []],
    ['void, method B', voiding, 'B', 'T1', [' void_not_offered']],
    ['void of nothing', voiding, 'A', undefined, ['transactionId transaction_unknown']],
    [
      'capture of nothing',
      { operation: 'capture', data: aCapture() } as PlatformOperation & { timeMs: number },
      'B',
      undefined,
      ['transactionId transaction_unknown'],
    ],
    [
      'an authorization',
      { operation: 'authorize', data: aPartnerAAuthorization() } as PlatformOperation & { timeMs: number },
      'A',
      undefined,
      [],
    ],
  ] as const)('%s [Void.method-B]', (_what, command, method, transactionId, faults) => {
    expect(codesOf(faultsOfOrder(command, method, transactionId))).toEqual(faults);
  });
});

import { Problem } from '@tranche/service-kit';
import { refusalOf } from './refusal.js';
import { DiscovererProblem, refused, TokenApiUnavailable } from '../token-api/token-api-problems.js';

describe('what is remembered of a failure', () => {
  it.each([
    ['the first', undefined, 0, 500, 1_000],
    ['the fourth', undefined, 3, 4_000, 8_000],
    ['one of many', undefined, 50, 15_000, 30_000],
    ['one with a Retry-After', 20, 0, 20_000, 20_000],
    ['one with a Retry-After shorter than the pause', 1, 4, 8_000, 16_000],
    ['one with a Retry-After of an hour', 3_600, 0, 30_000, 30_000],
  ])('of an API that is not there, %s', (_, retryAfterSeconds, failures, least, most) => {
    const refusal = refusalOf(new TokenApiUnavailable('HTTP 503', undefined, retryAfterSeconds), failures, 10);
    expect(refusal).toMatchObject({ status: 503, code: 'platform_unavailable', failures: failures + 1 });
    expect(refusal?.leftMs).toBeGreaterThanOrEqual(least);
    expect(refusal?.leftMs).toBeLessThanOrEqual(most);
  });

  it.each([
    ['a refusal, for its time', refused('no'), 10, 10_000],
    ['a refusal, when none is kept', refused('no'), 0, undefined],
    ["a discoverer's refusal", new DiscovererProblem(refused('no'), false), 10, undefined],
    ["a user's who discovers, for that is kept nowhere else", new DiscovererProblem(refused('no'), true), 10, 10_000],
    ["a discoverer's pause", new DiscovererProblem(new TokenApiUnavailable('HTTP 503'), false), 10, undefined],
    ['an error of our own', new Error('down'), 10, undefined],
  ])('%s', (_, error, refusalSeconds, leftMs) => {
    expect(refusalOf(error, 0, refusalSeconds)?.leftMs).toBe(leftMs);
  });

  it('is the status and code of it', () => {
    expect(refusalOf(new Problem({ status: 502, code: 'realm_unknown', detail: 'd' }), 0, 1)).toEqual({
      status: 502,
      code: 'realm_unknown',
      detail: 'd',
      leftMs: 1_000,
    });
  });
});

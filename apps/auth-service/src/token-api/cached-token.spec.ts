import { jwt } from '../../test/token-api.js';
import { expiresInSeconds, fingerprintOf, cachedTokenOf, isDueForRenewal, isUsable, usableMs } from './cached-token.js';

const opaque = (expiresIn: number) => cachedTokenOf({ access_token: 'opaque', expires_in: expiresIn }, 1_000);

describe('life of a token', () => {
  it('is counted in seconds from before the request [Authentication.4.units]', () => {
    expect(opaque(100)).toMatchObject({ accessToken: 'opaque', lifetimeMs: 100_000, expiresAtMs: 101_000 });
  });

  it.each([
    ['a shorter life in the JWT', { iat: 1_000, exp: 1_060 }, 60],
    ['a longer life in the JWT', { iat: 1_000, exp: 9_000 }, 100],
    ['a JWT without iat', { exp: 1_060 }, 100],
    ['a JWT without exp', { iat: 1_000 }, 100],
    ['a JWT whose times make no sense', { iat: 1_060, exp: 1_000 }, 100],
    ['a JWT whose times are texts', { iat: '1000', exp: '1060' }, 100],
    ['a JWT whose times are no times', { iat: 1_000, exp: 'soon' }, 100],
    ['a JWT of another year than the clock', { iat: 1, exp: 61 }, 60],
    ['a JWT of part of a second', { iat: 1_000, exp: 1_000.5 }, 0.5],
  ])('with %s is %#', (_, claims, seconds) => {
    expect(cachedTokenOf({ access_token: jwt(claims), expires_in: 100 }, 0).lifetimeMs).toBe(seconds * 1_000);
  });

  it.each([10_000_000, Number.MAX_SAFE_INTEGER, Infinity])(
    'of %d s is never believed to be longer than a day',
    (seconds) => {
      expect(opaque(seconds).lifetimeMs).toBe(86_400_000);
    },
  );

  it.each([
    [81_000 - 1, 0, false],
    [81_000, 0, true],
    [86_000 - 1, 0.5, false],
    [86_000, 0.5, true],
    [91_000 - 1, 1, false],
    [91_000, 1, true],
    [200_000, 0.3, true],
  ])('of 100 s from 1 s: at %d ms, with jitter %d, due for renewal is %s', (now, jitter, isDue) => {
    expect(isDueForRenewal(opaque(100), now, jitter)).toBe(isDue);
  });

  it.each([
    [99_000 - 1, true],
    [99_000, false],
    [101_000, false],
  ])('of 100 s from 1 s: at %d ms usable is %s (2 %% are kept back)', (now, usable) => {
    expect(isUsable(opaque(100), now)).toBe(usable);
  });

  it('keeps back 10 s at most', () => {
    expect(usableMs(opaque(43_200), 1_000)).toBe(43_200_000 - 10_000);
  });

  it.each([
    [1_000, 100],
    [1_001, 99],
    [100_999, 0],
    [102_000, 0],
  ])('at %d ms promises %d more seconds', (now, seconds) => {
    expect(expiresInSeconds(opaque(100), now)).toBe(seconds);
  });
});

describe('the fingerprint of a token', () => {
  it('is the same for the same token, another for another, and does not hold it', () => {
    expect(fingerprintOf('canary-token')).toMatch(/^[\w-]{22}$/);
    expect(fingerprintOf('canary-token')).toBe(opaqueOf('canary-token').fingerprint);
    expect(fingerprintOf('canary-token')).not.toBe(fingerprintOf('canary-tokens'));
  });

  const opaqueOf = (accessToken: string) => cachedTokenOf({ access_token: accessToken, expires_in: 100 }, 0);
});

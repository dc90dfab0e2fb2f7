import { ageMs, cachedTokenOf, readStoredToken, storedTokenOf, usableMs } from './cached-token.js';

const STORED_AT = 1_700_000_000_000;
const token = cachedTokenOf({ access_token: 'opaque', expires_in: 3_600 }, 0);
const sealed = storedTokenOf(token, 0, STORED_AT);
const ttlMs = usableMs(token, 0);

it.each([
  ['at once, is whole', ttlMs, 0, 3_600_000],
  ['later, is what both leave', ttlMs - 1_000, 1_000, 3_599_000],
  ['with a shorter time to live, ends with it', 500_000, 0, 510_000],
  ['with a longer time to live, is not longer', 8_640_000_000, 0, 3_600_000],
  ['with a longer time to live, ends on the wall clock', 8_640_000_000, 3_000_000, 600_000],
  ['put back when it was over, is over', 8_640_000_000, 3_600_000, 0],
  ['under a wall clock that was set back, is not longer than the whole', 8_640_000_000, -1_000_000, 3_600_000],
])('a life read from an entry: %s', (_, ttl, laterMs, leftMs) => {
  expect(readStoredToken(sealed, ttl, 5_000, STORED_AT + laterMs).expiresAtMs).toBe(5_000 + leftMs);
});

it('an entry keeps the age of its token, and that it replaced a refused one', () => {
  const read = readStoredToken(
    storedTokenOf({ ...token, replacesRefused: true }, 0, STORED_AT),
    ttlMs - 1_000,
    9_000,
    STORED_AT + 1_000,
  );
  expect(ageMs(read, 9_000)).toBe(1_000);
  expect(read.replacesRefused).toBe(true);
  expect(read.fingerprint).toBe(token.fingerprint);
});

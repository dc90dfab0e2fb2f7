import { chooseKey, mayServeStale, newKeyState, type CachedKey, type KeyState } from './key-choice.js';

const REFUSAL_INTERVAL_MS = 5_000;

const key: CachedKey = {
  record: { encryptionKeyId: 'key-1', encryptionPublicKey: 'AAAA' },
  answer: '{}',
  freshUntilMs: 60_000,
  staleUntilMs: 660_000,
};
const held: KeyState = { ...newKeyState(), key };
const failing: KeyState = { ...held, failures: 1, retryAtMs: 61_000 };
const asking = { asking: Promise.resolve() };
const refused: KeyState = { ...held, failures: 1, retryAtMs: 11_000, refusalAskedAtMs: 10_000 };

const choice = (state: KeyState, nowMs: number, refusedId?: string) =>
  chooseKey(state, { nowMs, refused: refusedId, refusalIntervalMs: REFUSAL_INTERVAL_MS });

describe('which key a page gets', () => {
  it.each<[string, string, KeyState, number]>([
    ['none is there', 'ask', newKeyState(), 0],
    [
      'none is there and the provider is left alone',
      'unavailable',
      { ...newKeyState(), failures: 1, retryAtMs: 1_000 },
      999,
    ],
    [
      'none is there and it was left alone long enough',
      'ask',
      { ...newKeyState(), failures: 1, retryAtMs: 1_000 },
      1_000,
    ],
    ['it is fresh to the last moment', 'cached', held, 59_999],
    ['it is not fresh any more', 'ask', held, 60_000],
    ['it is asked for already', 'ask', { ...held, ...asking }, 60_000],
    ['it is stale and the provider failed just now', 'stale', failing, 60_999],
    ['it is stale and the provider may be asked again', 'stale_and_refresh', failing, 61_000],
    [
      'it is too old to the millisecond, provider left alone',
      'unavailable',
      { ...failing, retryAtMs: 700_000 },
      660_000,
    ],
    ['it is nearly too old, provider left alone', 'stale', { ...failing, retryAtMs: 700_000 }, 659_999],
    ['it is too old', 'ask', failing, 660_000],
    [
      'a page said that it is refused, it is stale and the provider is left alone',
      'stale',
      { ...refused, retryAtMs: 61_000 },
      60_500,
    ],
    ['a page said that it is refused and it is stale', 'stale_and_refresh', refused, 61_000],
    ['a page said that it is refused, but it is fresh', 'cached', refused, 12_000],
  ])('when %s: %s', (_, expected, state, nowMs) => expect(choice(state, nowMs)).toBe(expected));

  it.each<[string, string, KeyState, number]>([
    ['it was not asked for that reason before', 'ask', held, 1_000],
    ['it was asked too recently, and gave the same key', 'cached', { ...held, refusalAskedAtMs: 10_000 }, 14_999],
    ['it was asked long enough ago', 'ask', { ...held, refusalAskedAtMs: 10_000 }, 15_000],
    ['it was asked too recently, and gave none', 'unavailable', refused, 14_999],
    ['it is being asked', 'ask', { ...refused, ...asking }, 14_999],
    ['the provider is left alone', 'unavailable', { ...held, failures: 1, retryAtMs: 30_000 }, 29_999],
    ['it is stale and the provider is left alone', 'unavailable', { ...failing, retryAtMs: 70_000 }, 65_000],
  ])('that names the held one as refused, when %s: %s', (_, expected, state, nowMs) =>
    expect(choice(state, nowMs, 'key-1')).toBe(expected),
  );

  it('that names another one as refused is the held one', () => {
    expect(choice(held, 1_000, 'key-0')).toBe('cached');
    expect(choice(failing, 60_999, 'key-0')).toBe('stale');
  });
});

it('a key is served stale until its time is over', () => {
  expect(mayServeStale(key, 659_999)).toBe(true);
  expect(mayServeStale(key, 660_000)).toBe(false);
  expect(mayServeStale(undefined, 0)).toBe(false);
});

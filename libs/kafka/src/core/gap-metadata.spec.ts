import fc from 'fast-check';
import { decodeFinished, encodeFinished } from './frontier.js';

const roundTrip = (frontier: bigint, finished: bigint[]) => [
  ...decodeFinished(frontier, encodeFinished(frontier, finished)),
];

describe('what is finished above a frontier, as metadata', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 62n }),
        fc.uniqueArray(fc.integer({ min: 1, max: 16_000 })),
        (frontier, above) => {
          const finished = above.sort((a, b) => a - b).map((distance) => frontier + BigInt(distance));
          expect(roundTrip(frontier, finished)).toEqual(finished);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is nothing where nothing is finished', () => expect(encodeFinished(7n, [])).toBe(''));

  it('fits into what a broker takes, and leaves out what does not', () => {
    const all = Array.from({ length: 30_000 }, (_, i) => BigInt(i + 1));
    const metadata = encodeFinished(0n, all);
    expect(Buffer.byteLength(metadata)).toBeLessThanOrEqual(4096);
    expect(decodeFinished(0n, metadata).size).toBe(24_336);
    expect(encodeFinished(0n, all.slice(0, 16_000)).length).toBe(2680 - 1);
  });

  it.each([
    ['none', undefined],
    ['null', null],
    ['text of somebody else', 'offset reset by hand'],
    ['another version', encodeFinished(5n, [7n]).replace(/^1/, '2')],
    ['a flipped bit', encodeFinished(5n, [7n]).replace(/..$/, 'Aw')],
    ['a cut end', encodeFinished(5n, [7n, 40n]).slice(0, -2)],
    ['more behind it', `${encodeFinished(5n, [7n])}.x`],
    ['the metadata of another frontier', encodeFinished(6n, [7n])],
  ])('counts for nothing when it is %s', (_what, metadata) => expect(decodeFinished(5n, metadata).size).toBe(0));
});

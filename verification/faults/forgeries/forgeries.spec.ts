import { Random } from '../../simulation/random.js';
import { areSame, decoded, encoded, ENCODINGS, notification, requestOf, signed, TARGET } from './messages.js';
import { forgeries } from './forgeries.js';

describe('the forgeries', () => {
  const same: string[] = [];
  const all = [...forgeries(new Random(1), (kind) => same.push(kind))];

  it('are of every kind, thousands of them', () => {
    expect(all.length).toBeGreaterThan(15_000);
    const kinds = ['field changed', 'field dropped', 'field renamed', 'values swapped', 'duplicate name', 'nested name']
      .concat('prototype name', 'delimiter injection', 'another HASH', '1,000 pairs', '10 MB', 'query and body')
      .concat('compressed', 'no UTF-8', 'lone surrogate')
      .concat(ENCODINGS.map((encoding) => `byte, ${encoding}`));
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
  });

  it('never hold the genuine request', () => {
    for (const encoding of ENCODINGS) {
      const genuine = requestOf(encoding, encoded(encoding, signed(notification(TARGET))));
      expect(all.some(({ request }) => request.equals(genuine))).toBe(false);
    }
  });

  it('leave out what says the same: escapes in small letters, names of headers and digits of HASH in other capitals', () => {
    expect(new Set(same)).toEqual(
      new Set(['byte, query', 'byte, urlencoded', 'byte, multipart', 'byte, json', 'field changed', 'another HASH']),
    );
  });
});

it.each(ENCODINGS)('what is written in %s is read again', (encoding) => {
  const genuine = signed(notification('order-1'));
  expect(areSame(decoded(encoding, encoded(encoding, genuine)) ?? [], genuine)).toBe(true);
  expect(areSame(decoded(encoding, encoded(encoding, genuine.slice(1))) ?? [], genuine)).toBe(false);
});

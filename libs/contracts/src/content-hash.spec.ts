import { contentHash } from './content-hash.js';

describe('the hash of a command', () => {
  it('is the same whatever the order of its fields', () =>
    expect(contentHash('t', { a: 1, b: [{ c: 2, d: 3 }] })).toBe(contentHash('t', { b: [{ d: 3, c: 2 }], a: 1 })));

  it('is another for another content or type', () => {
    expect(contentHash('t', { a: 1 })).not.toBe(contentHash('t', { a: 2 }));
    expect(contentHash('t', { a: 1 })).not.toBe(contentHash('u', { a: 1 }));
  });

  it('is the same in every form of Unicode', () =>
    expect(contentHash('t', { a: 'é'.normalize('NFD') })).toBe(contentHash('t', { a: 'é'.normalize('NFC') })));

  it('is that of its JSON: a field without a value is none', () => {
    const content = { a: 1, b: undefined, c: [undefined, null, { d: undefined }] };
    expect(contentHash('t', content)).toBe(contentHash('t', JSON.parse(JSON.stringify(content))));
  });
});

import { EntryKey, readEncryptionKey } from './entry-key.js';

const key = new EntryKey(Buffer.alloc(32, 1));
const other = new EntryKey(Buffer.alloc(32, 2));
const TOKEN = 'canary-token';

describe('the key of entries', () => {
  it('opens what it sealed, for the same name only', () => {
    const envelope = key.seal(TOKEN, 'name');
    expect(key.open(envelope, 'name')).toBe(TOKEN);
    expect(key.open(envelope, 'other name')).toBeUndefined();
    expect(other.open(envelope, 'name')).toBeUndefined();
  });

  it('seals differently each time', () => {
    const [first, second] = [key.seal(TOKEN, 'name'), key.seal(TOKEN, 'name')];
    expect(first).not.toBe(second);
    expect(first).not.toContain(TOKEN);
    expect(Buffer.from(first.split('.')[2] ?? '', 'base64url').toString()).not.toContain(TOKEN);
  });

  it.each([0, 1, 2])('notices a change of part %d', (at) => {
    const parts = key.seal(TOKEN, 'name').split('.');
    const part = parts[at] ?? '';
    parts[at] = (part[0] === 'A' ? 'B' : 'A') + part.slice(1);
    expect(key.open(parts.join('.'), 'name')).toBeUndefined();
  });

  it.each(['', '2', '2.x.y', 'a.b.c.d', '2.AAAA.AAAA', '2.AAAAAAAAAAAAAAAA.'])('does not open %p', (envelope) => {
    expect(key.open(envelope, 'name')).toBeUndefined();
  });

  it('gives equal names for equal things, and others for others and for other keys', () => {
    expect(key.name(['shop', 'client_credentials', '/realm'])).toBe(key.name(['shop', 'client_credentials', '/realm']));
    const names = [
      key.name(['a', 'b', 'c']),
      key.name(['a', 'bc']),
      key.name(['ab', 'c']),
      key.name(['a', 'b', undefined]),
      other.name(['a', 'b', 'c']),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    [Buffer.alloc(32, 9).toString('base64'), true],
    [Buffer.alloc(31, 9).toString('base64'), false],
    [Buffer.alloc(33, 9).toString('base64'), false],
    [Buffer.alloc(32, 9).toString('hex'), false],
    [` ${Buffer.alloc(32, 9).toString('base64')}`, false],
    ['canary', false],
  ])('takes %s as a key: %s', (text, isKey) => {
    if (isKey) expect(readEncryptionKey(text)).toEqual(Buffer.alloc(32, 9));
    else expect(() => readEncryptionKey(text)).toThrow(/^is not 32 bytes in base64/);
  });

  it('keeps to itself', () => {
    expect(JSON.stringify({ ...key })).toBe('{}');
  });
});

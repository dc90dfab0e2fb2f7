import { keyIdOf, readEncryptionKey, readPreviousKeys, TokenKeys } from './token-keys.js';

const [oldest, middle, newest] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const keys = new TokenKeys(oldest);
const other = new TokenKeys(middle);
const TOKEN = 'canary-token';

describe('token keys', () => {
  it('open what they sealed, for the same name only', () => {
    const envelope = keys.seal(TOKEN, 'name');
    expect(keys.open(envelope, 'name')).toEqual({ text: TOKEN });
    expect(keys.open(envelope, 'other name')).toEqual({ fault: 'tampered' });
    expect(other.open(envelope, 'name')).toEqual({ fault: 'unknown_key' });
  });

  it('seal differently each time and name their key', () => {
    const [first, second] = [keys.seal(TOKEN, 'name'), keys.seal(TOKEN, 'name')];
    expect(first).not.toBe(second);
    expect(first.split('.').slice(0, 2)).toEqual(['1', keys.keyId]);
    expect(first).not.toContain(TOKEN);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString()).not.toContain(TOKEN);
  });

  it.each([
    [0, 'tampered'],
    [1, 'unknown_key'],
    [2, 'tampered'],
    [3, 'tampered'],
  ])('notice a change of part %d: %s', (at, fault) => {
    const parts = keys.seal(TOKEN, 'name').split('.');
    const part = parts[at] ?? '';
    parts[at] = (part[0] === 'A' ? 'B' : 'A') + part.slice(1);
    expect(keys.open(parts.join('.'), 'name')).toEqual({ fault });
  });

  it.each(['', '1', '1.x.y.z', 'a.b.c.d.e', `1.${keys.keyId}.AAAA.AAAA`, `1.${keys.keyId}.AAAAAAAAAAAAAAAA.`])(
    'do not open %p',
    (envelope) => {
      expect(keys.open(envelope, 'name')).toEqual({ fault: 'tampered' });
    },
  );

  it('give equal names for equal things, and others for others and for other keys', () => {
    expect(keys.name(['shop', 'client_credentials', '/realm'])).toBe(
      keys.name(['shop', 'client_credentials', '/realm']),
    );
    const names = [
      keys.name(['a', 'b', 'c']),
      keys.name(['a', 'bc']),
      keys.name(['ab', 'c']),
      keys.name(['a', 'b', undefined]),
      other.name(['a', 'b', 'c']),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('after a rotation seal with the new key, open what the old ones sealed, and keep the names', () => {
    const rotated = new TokenKeys(newest, [middle, oldest]);
    expect(rotated.keyId).toBe(keyIdOf(newest));
    expect(rotated.open(keys.seal(TOKEN, 'name'), 'name')).toEqual({ text: TOKEN });
    expect(rotated.open(other.seal(TOKEN, 'name'), 'name')).toEqual({ text: TOKEN });
    expect(rotated.open(other.seal(TOKEN, 'name'), 'other name')).toEqual({ fault: 'tampered' });
    expect(keys.open(rotated.seal(TOKEN, 'name'), 'name')).toEqual({ fault: 'unknown_key' });
    expect(rotated.name(['shop'])).toBe(keys.name(['shop']));
    expect(new TokenKeys(newest, [middle]).open(keys.seal(TOKEN, 'name'), 'name')).toEqual({ fault: 'unknown_key' });
  });

  it.each([
    [Buffer.alloc(32, 9).toString('base64'), true],
    [Buffer.alloc(31, 9).toString('base64'), false],
    [Buffer.alloc(33, 9).toString('base64'), false],
    [Buffer.alloc(32, 9).toString('hex'), false],
    [` ${Buffer.alloc(32, 9).toString('base64')}`, false],
    ['canary', false],
  ])('take %s as a key: %s', (text, isKey) => {
    if (isKey) expect(readEncryptionKey(text)).toEqual(Buffer.alloc(32, 9));
    else expect(() => readEncryptionKey(text)).toThrow(/^is not 32 bytes in base64/);
  });

  it('are read from a list, and the fault says which one', () => {
    expect(readPreviousKeys(`${middle.toString('base64')}, ${oldest.toString('base64')}`)).toEqual([middle, oldest]);
    expect(() => readPreviousKeys(`${middle.toString('base64')},canary`)).toThrow(/^key 2 is not 32 bytes in base64/);
  });

  it('keep to themselves', () => {
    expect(JSON.stringify({ ...keys })).toBe('{}');
  });
});

import { readEncryptionKey, TokenKeys } from './token-keys.js';

const keys = new TokenKeys(Buffer.alloc(32, 1));
const other = new TokenKeys(Buffer.alloc(32, 2));
const TOKEN = 'canary-token';

describe('token keys', () => {
  it('opens what it sealed, for the same name only', () => {
    const envelope = keys.seal(TOKEN, 'name');
    expect(keys.open(envelope, 'name')).toBe(TOKEN);
    expect(keys.open(envelope, 'other name')).toBeUndefined();
    expect(other.open(envelope, 'name')).toBeUndefined();
  });

  it('seals differently each time and names its key', () => {
    const [first, second] = [keys.seal(TOKEN, 'name'), keys.seal(TOKEN, 'name')];
    expect(first).not.toBe(second);
    expect(first.split('.').slice(0, 2)).toEqual(['1', keys.keyId]);
    expect(first).not.toContain(TOKEN);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString()).not.toContain(TOKEN);
  });

  it('notices every changed part', () => {
    const parts = keys.seal(TOKEN, 'name').split('.');
    for (const [at, part] of parts.entries()) {
      const changed = [...parts];
      changed[at] = (part[0] === 'A' ? 'B' : 'A') + part.slice(1);
      expect(keys.open(changed.join('.'), 'name')).toBeUndefined();
    }
  });

  it.each(['', '1', '1.x.y.z', 'a.b.c.d.e', `1.${keys.keyId}.AAAA.AAAA`, `1.${keys.keyId}.AAAAAAAAAAAAAAAA.`])(
    'does not open %p',
    (envelope) => {
      expect(keys.open(envelope, 'name')).toBeUndefined();
    },
  );

  it('gives equal names and fingerprints for equal things, and others for others and for other keys', () => {
    expect(keys.name(['shop', 'client_credentials', '/realm'])).toBe(keys.name(['shop', 'client_credentials', '/realm']));
    const names = [
      keys.name(['a', 'b', 'c']),
      keys.name(['a', 'bc']),
      keys.name(['ab', 'c']),
      keys.name(['a', 'b', undefined]),
      other.name(['a', 'b', 'c']),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(keys.fingerprint(TOKEN)).toMatch(/^[\w-]{22}$/);
    expect(keys.fingerprint(TOKEN)).not.toBe(other.fingerprint(TOKEN));
    expect(keys.fingerprint(TOKEN)).not.toBe(keys.fingerprint(`${TOKEN}x`));
  });

  it.each([
    [Buffer.alloc(32, 9).toString('base64'), true],
    [Buffer.alloc(31, 9).toString('base64'), false],
    [Buffer.alloc(33, 9).toString('base64'), false],
    [Buffer.alloc(32, 9).toString('hex'), false],
    [` ${Buffer.alloc(32, 9).toString('base64')}`, false],
    ['canary', false],
  ])('takes %s as a key: %s', (text, isKey) => {
    if (isKey) expect(readEncryptionKey(text)).toBeInstanceOf(TokenKeys);
    else expect(() => readEncryptionKey(text)).toThrow(/^is not 32 bytes in base64/);
  });

  it('keeps its keys to itself', () => {
    expect(JSON.stringify({ ...keys })).toBe(JSON.stringify({ keyId: keys.keyId }));
  });
});

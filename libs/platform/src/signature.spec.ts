import { createHash } from 'node:crypto';
import { growth } from '@tranche/testing';
import type { Merchant } from '@tranche/contracts';
import { platformHash } from './hash.js';
import type { Parameter, Parameters } from './form.js';
import { isRedirectSignedBy, isSignedBy, signingKey } from './signature.js';

const fields = [['A', '1'], ['B', ''], ['A[10]', 'x'], ['A[2]', 'y']] as const; // prettier-ignore
const by = (key: string) => [...fields, ['HASH', platformHash(key, fields)]] as const;
const merchant = (keys: Partial<Merchant>): Merchant => ({
  merchant: 'shop',
  identifier: 'Shop',
  accountKey: 'account',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
  ...keys,
});

describe('the signature of a notification', () => {
  const previousKeys = { notification: 'notification-before', account: 'account-before' };

  it.each<[string, Partial<Merchant>, string, boolean]>([
    ['the notification key', { notificationKey: 'notification' }, 'notification', true],
    ['the account key, where there is a notification key', { notificationKey: 'notification' }, 'account', false],
    ['the account key, where there is none', {}, 'account', true],
    ['the notification key before', { notificationKey: 'notification', previousKeys }, 'notification-before', true],
    [
      'the account key before, where there is a notification key',
      { notificationKey: 'notification', previousKeys },
      'account-before',
      false,
    ],
    ['the account key before, where there is none', { previousKeys }, 'account-before', true],
    ['a key before that is not configured', { notificationKey: 'notification' }, 'notification-before', false],
    ['another key', {}, 'other', false],
  ])('by %s', (_which, keys, key, isSigned) => expect(isSignedBy(merchant(keys), by(key))).toBe(isSigned));

  it('is missing', () => expect(isSignedBy(merchant({}), fields)).toBe(false));

  const apiKeys = [1, 2].map((n) => ({ id: `id-${n}`, key: `api-${n}` }));
  const receivedWith = (key: string, id?: string) => {
    const named = id === undefined ? fields : [...fields, ['APIKEYID', id] as const];
    return [...named, ['HASH', platformHash(key, named)] as const];
  };

  it.each<[string, string | undefined, string, boolean]>([
    ['the API key that it names', 'id-2', 'api-2', true],
    ['another API key than it names', 'id-1', 'api-2', false],
    ['an API key that nobody has', 'id-3', 'api-2', false],
    ['an API key, and names none', undefined, 'api-2', false],
    ['the account key, though it names an API key', 'id-2', 'account', true],
  ])('by %s, where it has no key of its own', (_which, id, key, isSigned) => {
    expect(isSignedBy(merchant({ apiKeys }), receivedWith(key, id))).toBe(isSigned);
    expect(isRedirectSignedBy(merchant({ apiKeys }), receivedWith(key, id))).toBe(isSigned);
  });

  it.each<[string, string | undefined, string, boolean]>([
    ['the API key that it names', 'id-2', 'api-2', false],
    ['its own key, though it names an API key', 'id-2', 'own', true],
    ['its own key before, though it names an API key', 'id-2', 'own-before', true],
    ['the account key, though it names an API key', 'id-2', 'account', false],
  ])('by %s, where it has a key of its own', (_which, id, key, isSigned) => {
    const before = { notification: 'own-before', redirect: 'own-before', account: 'account-before' };
    const shop = merchant({ notificationKey: 'own', redirectKey: 'own', previousKeys: before, apiKeys });
    expect(isSignedBy(shop, receivedWith(key, id))).toBe(isSigned);
    expect(isRedirectSignedBy(shop, receivedWith(key, id))).toBe(isSigned);
  });

  it('of one kind is not bound by the key of the other', () => {
    expect(isRedirectSignedBy(merchant({ notificationKey: 'own', apiKeys }), receivedWith('api-2', 'id-2'))).toBe(true);
    expect(isSignedBy(merchant({ redirectKey: 'own', apiKeys }), receivedWith('api-2', 'id-2'))).toBe(true);
  });

  it('covers every parameter [Events.verification]', () => {
    expect(isSignedBy(merchant({}), [...by('account'), ['C', '']])).toBe(false);
    expect(isSignedBy(merchant({}), by('account').slice(1))).toBe(false);
  });

  it('is refused where the key in a value makes two readings of the same signed text', () => {
    const two = [['A', '1'], ['B', '2']] as const; // prettier-ignore
    const one = [['A', '1accountB=2']] as const;
    const hash = platformHash('account', two);
    expect(platformHash('account', one)).toBe(hash);
    expect(isSignedBy(merchant({}), [...two, ['HASH', hash]])).toBe(true);
    expect(isSignedBy(merchant({}), [...one, ['HASH', hash]])).toBe(false);
    const spaced = [['A', '1accountMY FIELD=2']] as const;
    expect(isSignedBy(merchant({}), [...spaced, ['HASH', platformHash('account', spaced)]])).toBe(false);
    const named = [['A', 'x'], ['yaccountB', '2']] as const; // prettier-ignore
    expect(isSignedBy(merchant({}), [...named, ['HASH', platformHash('account', named)]])).toBe(false);
  });

  describe('over bytes that are not UTF-8', () => {
    const hashOver = (key: string, text: string) =>
      createHash('sha256')
        .update(Buffer.from(text.replaceAll('|', Buffer.from(key).toString('latin1')), 'latin1'))
        .digest('hex');
    const latin = (name: string, value: string): Parameter => [name, value, { name, value }];

    it('covers them as sent, beside what is UTF-8, with names in the order of their bytes', () => {
      const pairs = [latin('MESSAGE', 'Op\xe9ration'), ['B', 'é'], ['PRÉNOM', 'x'], latin('PR\xc9NOM', 'y')] as const;
      for (const key of ['account', 'clé-du-compte']) {
        const hash = hashOver(key, '|B=\xc3\xa9|MESSAGE=Op\xe9ration|PR\xc3\x89NOM=x|PR\xc9NOM=y|');
        expect(isSignedBy(merchant({ accountKey: key }), [...pairs, ['HASH', hash]])).toBe(true);
        expect(isRedirectSignedBy(merchant({ accountKey: key }), [...pairs, ['HASH', hash]])).toBe(true);
        const asText = pairs.map(([name, value]) => [name, value] as const);
        expect(isSignedBy(merchant({ accountKey: key }), [...asText, ['HASH', hash]])).toBe(false);
      }
    });

    it.each(['B', 'PR\xc9NOM', 'PR\xc3\x89NOM', '\xc3\x89'.repeat(100)])(
      'is refused where the key in a value makes two readings of them: %.12j',
      (name) => {
        const pairs = [latin('A', `\xe9account${name}=2`)];
        const hash = hashOver('account', `|A=\xe9account${name}=2|`);
        expect(isSignedBy(merchant({}), [...pairs, ['HASH', hash]])).toBe(false);
      },
    );
  });

  it('is good where a value holds the key as a word', () => {
    const parameters = [['MESSAGE', 'account accountaccount account = closed']] as const;
    expect(isSignedBy(merchant({}), [...parameters, ['HASH', platformHash('account', parameters)]])).toBe(true);
  });
});

describe('an API key of type Public', () => {
  const apiKeys = [
    { id: 'public', type: 'Public' as const },
    { id: 'private', type: 'Private' as const, key: 'api' },
  ];
  const shop = merchant({ apiKeys });

  it('never signs, and no other key signs for it', () => {
    expect(() => signingKey(shop, 'public')).toThrow('Public');
    expect(signingKey(shop, 'private')).toBe('api');
  });

  it('proves nothing of what comes in', () => {
    const parameters: Parameters = [['APIKEYID', 'public'], ['ORDERID', '1']]; // prettier-ignore
    for (const key of ['', 'public', 'undefined'])
      expect(
        isSignedBy({ ...shop, notificationKey: 'n' }, [...parameters, ['HASH', platformHash(key, parameters)]]),
      ).toBe(false);
  });
});

it.each(['a', 'A[', '[1]', 'account', '4 '])(
  'a HASH is judged in time that grows with what was received: %j',
  (piece) => {
    const work = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      for (const pairs of [
        [['MESSAGE', text]],
        [
          [text, 'x'],
          ['A', 'y'],
        ],
      ] as const)
        // prettier-ignore
        isSignedBy(merchant({}), [...pairs, ['HASH', 'a'.repeat(64)]]);
    };
    expect(growth(work)).toBeLessThan(20);
  },
);

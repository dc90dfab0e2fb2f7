import { inspect } from 'node:util';
import { Random } from '../../simulation/random.js';
import { accessTokenCanary, bytesCanary, cardCanary, cardTokenCanary, secretCanary, type Canary } from './canaries.js';
import type { Place } from './places.js';
import { leaksIn, search } from './search.js';

const NUMBER = '4970101212340016';
const SECRET = 'canary-account-key-0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978';
const HFTOKEN = '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f';
const KEY = Buffer.from([...Array(32).keys()].map((index) => 255 - index * 7));

const placeOf = (text: string, more: Partial<Place> = {}): Place => ({
  name: 'log of x',
  kind: 'log',
  entries: [
    { label: 'line 1', text: 'nothing here' },
    { label: 'line 2', text },
  ],
  ...more,
});
const found = (canary: Canary, text: string, more: Partial<Place> = {}) =>
  search(placeOf(text, more), [canary]).count > 0;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a secret is found', () => {
  const canary = secretCanary('account key', SECRET);
  it.each([
    ['as it is', `{"key":"${SECRET}"}`],
    ['cut at its beginning', SECRET.slice(30)],
    ['cut at its end', SECRET.slice(0, -24)],
    ['its first 12 random bytes and no more', SECRET.slice(0, 19 + 14)],
    ['its last characters', SECRET.slice(-14)],
    ['its middle', SECRET.slice(-33, -13)],
    ['cut at its end, in base64', base64(SECRET.slice(0, -20))],
    ['as a list of bytes', JSON.stringify(Buffer.from(SECRET))],
    ['as a list of bytes, apart', JSON.stringify([...Buffer.from(SECRET)], null, 1).replaceAll('\n', '')],
    ['as a list of bytes that is cut', JSON.stringify([...Buffer.from(SECRET)]).slice(0, -80)],
    ['as Node shows bytes', inspect(Buffer.from(SECRET)).replace(/ \.\.\..*/, '')],
    ['in escapes of JSON', [...SECRET].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')],
    [
      'in capital escapes of JSON',
      [...SECRET].map((letter) => `\\u00${letter.charCodeAt(0).toString(16).toUpperCase()}`).join(''),
    ],
    ['in escapes of JSON in JSON', [...SECRET].map((letter) => `\\\\u00${letter.charCodeAt(0).toString(16)}`).join('')],
    ['in base64, alone', base64(SECRET)],
    ['in base64 of more text', base64(`client:${SECRET}`)],
    ['in base64 of more text, another way off', base64(`a client:${SECRET};`)],
    ['in base64url', Buffer.from(`user:${SECRET}`).toString('base64url')],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in capital hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['percent-encoded', [...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16)}`).join('')],
    ['reversed', [...SECRET].reverse().join('')],
    ['twice in JSON', JSON.stringify(JSON.stringify({ key: SECRET }))],
  ])('%s', (_title, text) => {
    expect(found(canary, text)).toBe(true);
  });

  it('once where it stands once', () => {
    expect(search(placeOf(`key ${SECRET} refused`), [canary]).count).toBe(1);
    expect(search(placeOf(base64(`key ${SECRET} refused`)), [canary]).count).toBe(1);
  });

  it('and nothing else is', () => {
    expect(found(canary, 'canary-account-key-00000000000000000000000000000000')).toBe(false);
  });
});

it.each([
  ['in hex', Buffer.from('jklm>>no??').toString('hex')],
  ['in capital hex', Buffer.from('jklm>>no??').toString('hex').toUpperCase()],
  ['in base64url', Buffer.from('jklm>>no??').toString('base64url')],
  ['in base64 with its signs encoded', encodeURIComponent(base64('jklm>>no??'))],
  ['percent-encoded', '%6a%6b%6c%6d%3e%3e%6e%6f%3f%3f'],
  ['URL-encoded', encodeURIComponent('jklm>>no??')],
])('a secret with signs and letters beyond f is found %s', (_title, text) => {
  expect(found(secretCanary('a key', 'jklm>>no??'), text)).toBe(true);
});

it.each([
  ['base64', KEY.toString('base64')],
  ['hex', KEY.toString('hex')],
  ['bytes', KEY.toString('latin1')],
  ['base64 in a query', encodeURIComponent(KEY.toString('base64'))],
  ['a list', JSON.stringify(KEY)],
  ['base64 that is cut', KEY.toString('base64').slice(0, 16)],
  ['hex that is cut', KEY.toString('hex').slice(20)],
  ['base64 in base64', base64(`key=${KEY.toString('base64')}`)],
])('a key of bytes is found as %s', (_title, text) => {
  expect(found(bytesCanary('TOKEN_ENCRYPTION_KEY', KEY), text)).toBe(true);
});

describe('a card number is found', () => {
  const canary = cardCanary('card number', NUMBER);
  it.each([
    ['as it is', `CARDCODE=${NUMBER}&`],
    ['in groups', '4970 1012 1234 0016'],
    ['in groups with dashes', '4970-1012-1234-0016'],
    ['in groups of a query', '4970+1012+1234+0016'],
    ['in percent-encoded groups', '4970%201012%201234%200016'],
    ['in other groups', '497010 12123 40016'],
    ['digit by digit', [...NUMBER].join(' ')],
    ['as a list', JSON.stringify([...NUMBER])],
    ['its groups reversed', '0016 1234 1012 4970'],
    ['reversed', [...NUMBER].reverse().join('')],
    ['without its end', NUMBER.slice(0, 13)],
    ['without its beginning', `…${NUMBER.slice(4)}`],
    ['in base64', base64(`{"CARDCODE":"${NUMBER}"}`)],
    ['in hex', Buffer.from(NUMBER).toString('hex')],
    ['as a list of bytes', JSON.stringify(Buffer.from(`{"CARDCODE":"${NUMBER}"}`))],
    ['in escapes of JSON', [...NUMBER].map((digit) => `\\u003${digit}`).join('')],
  ])('%s', (_title, text) => {
    expect(found(canary, text)).toBe(true);
  });

  it.each([
    ['masked', 'XXXXXXXXXXXX0016'],
    ['its BIN and its end', '497010XXXXXX0016'],
    ['another number', '4970101212350016'],
  ])('but not %s', (_title, text) => {
    expect(found(canary, text)).toBe(false);
  });

  it('once where it stands once', () => {
    expect(search(placeOf(`card ${NUMBER} refused`), [canary]).count).toBe(1);
  });
});

describe('by its shape', () => {
  it.each([
    ['"CARDCVV":"737"', 'CVV'],
    ['cvv=7371&', 'CVV'],
    ['cardCvv: 737', 'CVV'],
    ['cvv2=737;', 'CVV'],
    ['cvv737', 'CVV'],
    ['\\"CARDCVV\\":\\"737\\"', 'CVV'],
    ['-----BEGIN RSA PRIVATE KEY-----', 'private key'],
    ['-----BEGIN PRIVATE KEY-----', 'private key'],
  ])('%s is a %s', (text, name) => {
    expect(search(placeOf(text), []).hits.map(({ canary }) => canary)).toEqual([name]);
  });

  it.each([
    '{"field":"CARDCVV","code":"format"}',
    'cvv must have 3 or 4 digits',
    'BEGIN PUBLIC KEY',
    'cvv=[redacted]',
    'x4CvcqhT801rNQ==',
    'FhzspmCvn737',
  ])('%s is none', (text) => {
    expect(search(placeOf(text), []).count).toBe(0);
  });
});

it.each([
  ['payload', 0],
  ['signature', 1],
])('an access token is found by its %s', (_title, part) => {
  const parts = [base64('{"sub":"someone in particular"}'), base64('a signature of thirty-two bytes!')];
  const token = ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9', ...parts].join('.');
  expect(found(accessTokenCanary(token), `got ${parts[part]}`)).toBe(true);
  expect(found(accessTokenCanary(token), token.slice(0, -10))).toBe(true);
  expect(found(accessTokenCanary(token), parts[part]!.slice(0, 15))).toBe(true);
  expect(found(accessTokenCanary(token), 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9')).toBe(false);
});

describe('an HFTOKEN may be in its card command and nowhere else', () => {
  const value = [{ label: '3/17 value', text: `{"hfToken":"${HFTOKEN}"}` }];
  it.each<[string, boolean, Partial<Place>]>([
    ['the value of a card command', false, { kind: 'topic', commandsOf: 'card', entries: value }],
    [
      'the headers of a card command',
      true,
      { kind: 'topic', commandsOf: 'card', entries: [{ ...value[0]!, label: '3/17 headers' }] },
    ],
    ['another command', true, { kind: 'topic', commandsOf: 'instalment', entries: value }],
    ['an event', true, { kind: 'topic', entries: value }],
    ['a log', true, { entries: value }],
    ['Redis', true, { kind: 'redis', name: 'redis 0', entries: value }],
    ['what the file of Redis tells of the past', false, { kind: 'redis file', entries: value }],
  ])('%s: found %s', (_title, isFound, place) => {
    expect(found(cardTokenCanary(HFTOKEN), '', place)).toBe(isFound);
  });

  it.each([30, 16])('nor %s characters of it in a log', (length) => {
    expect(found(cardTokenCanary(HFTOKEN), HFTOKEN.slice(0, length))).toBe(true);
    expect(found(cardTokenCanary(HFTOKEN), HFTOKEN.slice(-length))).toBe(true);
    expect(found(cardTokenCanary(HFTOKEN), HFTOKEN.replaceAll('-', '').slice(0, length))).toBe(true);
  });

  it('not even there in another form', () => {
    const entries = [{ label: '3/17 value', text: base64(HFTOKEN) }];
    expect(found(cardTokenCanary(HFTOKEN), '', { kind: 'topic', commandsOf: 'card', entries })).toBe(true);
  });
});

describe('leaks', () => {
  const lines = (text: string) => Array.from({ length: 20 }, (_, index) => ({ label: `line ${index + 1}`, text }));
  const kinds = ['topic', 'redis', 'metrics'] as const;
  const others = kinds.map((kind): Place => ({ name: kind, kind, entries: lines('nothing') }));
  const log = (text: string): Place => ({ name: 'log of x', kind: 'log', entries: [...lines('nothing'), { label: 'line 21', text }] }); // prettier-ignore
  const canaries = [secretCanary('account key', SECRET), cardCanary('card number', NUMBER)];

  it('are told with their place and the words around, every canary masked', () => {
    const text = `refused ${NUMBER} signed with ${SECRET.slice(-24)} at \u0007noon`;
    const leaks = leaksIn([...others, log(text)], canaries);
    expect(leaks[0]).toMatch(/^card number \(plain\) in log of x, line 21: .*refused <card number> signed with/);
    expect(leaks.join()).not.toContain(NUMBER);
    expect(leaks.join()).not.toContain(SECRET.slice(-12));
  });

  it.each([...kinds, 'log'])('are not denied where no %s was searched', (kind) => {
    const searched = [...others, log('')].filter((place) => place.kind !== kind);
    expect(() => leaksIn(searched, canaries)).toThrow(`only 0 entries of kind ${kind} were searched`);
  });

  it('are not denied by a search that does not find what must be there', () => {
    const command = { label: '0/1 value', text: `{"hfToken":"${HFTOKEN}"}` };
    const topic: Place = { name: 'card', kind: 'topic', commandsOf: 'card', entries: [command] };
    const withToken = [...canaries, cardTokenCanary(HFTOKEN)];
    expect(leaksIn([...others, log(''), topic], withToken)).toEqual([]);
    expect(() => leaksIn([...others, log('')], withToken)).toThrow('no HFTOKEN was found in its card command');
  });
});

it('finds what a plain search finds, in random texts of few letters', () => {
  const random = new Random(1);
  const word = (length: number) => Array.from({ length }, () => 'abc'[random.below(3)]).join('');
  for (let round = 0; round < 200; round++) {
    const needles = [...new Set(Array.from({ length: 5 }, () => word(4 + random.below(3))))];
    const canaries = needles.map((text) => ({ name: text, forms: [{ form: 'plain', text }] }));
    const text = word(random.below(60));
    const expected = [...Array(text.length).keys()].flatMap((at) => needles.filter((one) => text.startsWith(one, at)));
    expect(search(placeOf(text), canaries).count).toBe(expected.length);
  }
});

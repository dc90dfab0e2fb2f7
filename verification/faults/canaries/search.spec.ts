import { inspect } from 'node:util';
import { Random } from '../../simulation/random.js';
import { accessTokenCanary, bytesCanary, cardCanary, cardTokenCanary, secretCanary, type Canary } from './canaries.js';
import type { Place } from './places.js';
import { leaksIn, search } from './search.js';

const NUMBER = '4970101212340016';
const SECRET = 'canary-account-key-0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978';
const WITH_SIGNS = 'jklm>>no??pq';
const HFTOKEN = '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f';
const KEY = Buffer.from([...Array(32).keys()].map((index) => 255 - index * 7));
const secret = secretCanary('account key', SECRET);
const card = cardCanary('card number', NUMBER);
const cardToken = cardTokenCanary(HFTOKEN);
const key = bytesCanary('TOKEN_ENCRYPTION_KEY', KEY);

const placeOf = (text: string, more: Partial<Place> = {}): Place => ({
  name: 'log of x',
  kind: 'log',
  entries: [
    { label: 'line 1', text: 'nothing here' },
    { label: 'line 2', text },
  ],
  ...more,
});
const countIn = (text: string, canary: Canary, more: Partial<Place> = {}) =>
  search(placeOf(text, more), [canary]).count;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const each = (bytes: Buffer, sign: string, isCapital = false) =>
  [...bytes]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .map((code) => sign + (isCapital ? code.toUpperCase() : code))
    .join('');
const among = (bytes: Buffer, before: string) => Buffer.concat([Buffer.from(before), bytes, Buffer.from(';')]);

it.each<[string, (bytes: Buffer) => string]>([
  ['as it is', (bytes) => `{"key":"${bytes.toString('latin1')}"}`],
  ['reversed', (bytes) => [...bytes.toString('latin1')].reverse().join('')],
  ['twice in JSON', (bytes) => JSON.stringify(JSON.stringify({ key: bytes.toString('latin1') }))],
  ['as a list of bytes', (bytes) => JSON.stringify(bytes)],
  ['as a list of bytes, apart', (bytes) => JSON.stringify([...bytes], null, 1).replaceAll('\n', '')],
  ['as Node shows bytes', (bytes) => inspect(bytes).replace(/ \.\.\..*/, '')],
  ['in escapes of JSON', (bytes) => each(bytes, '\\u00')],
  ['in capital escapes of JSON', (bytes) => each(bytes, '\\u00', true)],
  ['in escapes of JSON in JSON', (bytes) => each(bytes, '\\\\u00')],
  ['in base64, alone', (bytes) => bytes.toString('base64')],
  ['in base64 of more text', (bytes) => among(bytes, 'client:').toString('base64')],
  ['in base64 of more text, another way off', (bytes) => among(bytes, 'a client').toString('base64')],
  ['in base64url', (bytes) => among(bytes, 'client:').toString('base64url')],
  ['in base64 with its signs encoded', (bytes) => encodeURIComponent(bytes.toString('base64'))],
  ['in hex', (bytes) => bytes.toString('hex')],
  ['in capital hex', (bytes) => bytes.toString('hex').toUpperCase()],
  ['percent-encoded', (bytes) => each(bytes, '%')],
  ['URL-encoded', (bytes) => encodeURIComponent(bytes.toString('latin1'))],
])('every secret is found %s', (_title, encode) => {
  const secrets: [Canary, string | Buffer][] = [
    [secret, SECRET],
    [secretCanary('a key', WITH_SIGNS), WITH_SIGNS],
    [card, NUMBER],
    [cardToken, HFTOKEN],
    [key, KEY],
  ];
  const missed = secrets.filter(([canary, plain]) => countIn(encode(Buffer.from(plain as string)), canary) === 0);
  expect(missed.map(([{ name }]) => name)).toEqual([]);
});

it.each<[string, Canary, string]>([
  ['a secret cut at its beginning', secret, SECRET.slice(30)],
  ['a secret cut at its end', secret, SECRET.slice(0, -24)],
  ['the first 14 random signs of a secret', secret, SECRET.slice(0, 19 + 14)],
  ['the last signs of a secret', secret, SECRET.slice(-14)],
  ['the middle of a secret', secret, SECRET.slice(-33, -13)],
  ['a secret cut at its end, in base64', secret, base64(SECRET.slice(0, -20))],
  ['a secret as a list of bytes that is cut', secret, JSON.stringify([...Buffer.from(SECRET)]).slice(0, -80)],
  ['a key of bytes in base64 that is cut', key, KEY.toString('base64').slice(0, 16)],
  ['a key of bytes in hex that is cut', key, KEY.toString('hex').slice(20)],
  ['a key of bytes in base64 in base64', key, base64(`key=${KEY.toString('base64')}`)],
  ...['4970 1012 1234 0016', '4970-1012-1234-0016', '4970+1012+1234+0016', '4970%201012%201234%200016']
    .concat('497010 12123 40016', [...NUMBER].join(' '), JSON.stringify([...NUMBER]), '0016 1234 1012 4970')
    .map((text): [string, Canary, string] => [`a card number as ${text}`, card, text]),
  ['a card number without its end', card, NUMBER.slice(0, 13)],
  ['a card number without its beginning', card, `…${NUMBER.slice(4)}`],
  ...[30, 16].flatMap((length): [string, Canary, string][] => [
    [`the first ${length} signs of an HFTOKEN`, cardToken, HFTOKEN.slice(0, length)],
    [`the last ${length} signs of an HFTOKEN`, cardToken, HFTOKEN.slice(-length)],
    [
      `the first ${length} signs of an HFTOKEN without hyphens`,
      cardToken,
      HFTOKEN.replaceAll('-', '').slice(0, length),
    ],
  ]),
])('%s is found', (_title, canary, text) => {
  expect(countIn(text, canary)).toBeGreaterThan(0);
});

it.each<[string, Canary, string]>([
  ['another secret', secret, 'canary-account-key-00000000000000000000000000000000'],
  ['a masked card number', card, 'XXXXXXXXXXXX0016'],
  ['its BIN and its end', card, '497010XXXXXX0016'],
  ['another card number', card, '4970101212350016'],
])('%s is not found', (_title, canary, text) => {
  expect(countIn(text, canary)).toBe(0);
});

it.each([
  [secret, `key ${SECRET} refused`],
  [secret, base64(`key ${SECRET} refused`)],
  [card, `card ${NUMBER} refused`],
])('$name is found once where it stands once', (canary, text) => {
  expect(countIn(text, canary)).toBe(1);
});

it.each([
  ...['"CARDCVV":"737"', 'cvv=7371&', 'cardCvv: 737', 'cvv2=737;', 'cvv737', '\\"CARDCVV\\":\\"737\\"'].map(
    (text) => [text, ['CVV']] as const,
  ),
  ...['-----BEGIN RSA PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----'].map((text) => [text, ['private key']] as const),
  ...['{"field":"CARDCVV","code":"format"}', 'cvv must have 3 or 4 digits', 'BEGIN PUBLIC KEY', 'cvv=[redacted]']
    .concat('x4CvcqhT801rNQ==', 'FhzspmCvn737')
    .map((text) => [text, []] as const),
])('%s is by its shape %j', (text, names) => {
  expect(search(placeOf(text), []).hits.map(({ canary }) => canary)).toEqual(names);
});

it.each([
  ['payload', 0],
  ['signature', 1],
])('an access token is found by its %s', (_title, part) => {
  const parts = [base64('{"sub":"someone in particular"}'), base64('a signature of thirty-two bytes!')];
  const begin = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9';
  const token = [begin, ...parts].join('.');
  const texts = [`got ${parts[part]}`, token.slice(0, -10), parts[part]!.slice(0, 15), begin];
  expect(texts.map((text) => countIn(text, accessTokenCanary(token)) > 0)).toEqual([true, true, true, false]);
});

describe('an HFTOKEN may be in its card command and nowhere else', () => {
  const value = { label: '3/17 value', text: `{"hfToken":"${HFTOKEN}"}` };
  const inBase64 = { ...value, text: base64(HFTOKEN) };
  it.each<[string, boolean, Omit<Place, 'name' | 'entries'>, Place['entries'][number]]>([
    ['the value of a card command', false, { kind: 'topic', commandsOf: 'card' }, value],
    ['the headers of a card command', true, { kind: 'topic', commandsOf: 'card' }, { ...value, label: '3/17 headers' }],
    ['the value of a card command, in another form', true, { kind: 'topic', commandsOf: 'card' }, inBase64],
    ['another command', true, { kind: 'topic', commandsOf: 'instalment' }, value],
    ['an event', true, { kind: 'topic' }, value],
    ['a log', true, { kind: 'log' }, value],
    ['Redis', true, { kind: 'redis' }, value],
    ['what the file of Redis tells of the past', false, { kind: 'redis file' }, value],
  ])('%s: found %s', (_title, isFound, place, entry) => {
    expect(countIn('', cardToken, { ...place, entries: [entry] }) > 0).toBe(isFound);
  });
});

describe('leaks', () => {
  const lines = (text: string) => Array.from({ length: 20 }, (_, index) => ({ label: `line ${index + 1}`, text }));
  const kinds = ['topic', 'redis', 'metrics'] as const;
  const others = kinds.map((kind): Place => ({ name: kind, kind, entries: lines('nothing') }));
  const log = (text: string) => placeOf('', { entries: [...lines('nothing'), { label: 'line 21', text }] });
  const canaries = [secret, card];

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
    const withToken = [...canaries, cardToken];
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

import { deadLetter } from './dead-letter.js';

const CARD = '4970101234560013';
const reason = { code: 'unreadable', message: 'no JSON', attempts: 1 };
const record = (value: string, more: { key?: string; headers?: Record<string, string> } = {}) => ({
  topic: 'commands',
  partition: 1,
  offset: 7n,
  key: null,
  rawKey: more.key === undefined ? null : Buffer.from(more.key),
  value: Buffer.from(value),
  headers: more.headers ?? {},
  timestampMs: 1_760_000_000_000,
});

const fields = [
  ...['cardNumber', 'CARDCODE', 'pan', 'x', 'note', 'orderId', 'description', 'extraData'],
  ...['metadata', 'token', 'number', 'a b', 'KARTE', 'numero', '"', 'client', 'phone', 'id', 'cc', 'data'],
];

it.each(fields)('keeps no card number under the name %s', (name) => {
  for (const number of [CARD, CARD.replace(/(.{4})(?=.)/g, '$1 '), CARD.replace(/(.{4})(?=.)/g, '$1-')])
    for (const text of [JSON.stringify({ [name]: number }), `{${name}=${number}`]) {
      const letter = deadLetter('dead', 'commands', record(text), reason);
      expect(letter.value).toBeNull();
      expect(letter.headers).toMatchObject({ 'dead-letter-withheld': 'value', 'dead-letter-offset': '7' });
    }
});

it('keeps no key and no header with a card number, and no CVV', () => {
  const headers = { own: 'kept', note: CARD, [CARD]: '' };
  const letter = deadLetter('dead', 'commands', record('{"cvv":"123"', { key: `shop/${CARD}`, headers }), reason);
  expect(letter).toMatchObject({ key: null, value: null });
  expect(letter.headers).toMatchObject({ own: 'kept', 'dead-letter-withheld': 'key value headers' });
  expect(JSON.stringify(letter)).not.toContain(CARD);
});

it.each(['CARDCVV', 'csc', 'cvn', 'securityCode', 'CustomCVV2', 'verification_value', 'card[cvv]'])(
  'keeps no cryptogram under the name %s',
  (name) => {
    for (const value of ['123', 123, ['1234'], { value: '123' }]) {
      const letter = deadLetter('dead', 'commands', record(JSON.stringify({ a: [{ [name]: value }] })), reason);
      expect(letter).toMatchObject({ value: null, headers: { 'dead-letter-withheld': 'value' } });
    }
    const letter = deadLetter('dead', 'commands', record('{}', { headers: { [name]: '123' } }), reason);
    expect(letter.headers).not.toHaveProperty([name]);
  },
);

it.each([
  ['the first of two equal names', `{"note":"${CARD}","note":""}`],
  ['escapes', '{"note":"\\u0034970101234560013"}'],
  ['a text in a text', JSON.stringify({ note: JSON.stringify({ CARDCVV: '123' }) })],
  ['spaces', '{"note":"4970  1012  3456  0013"}'],
  ['a text that names it', '{"note":"CVV code: 123"}'],
  ['numbers apart', '[4970,1012,3456,"0013"]'],
  ['a depth that is not searched', `${'['.repeat(40)}{"CARDCVV":"x","y":1}${']'.repeat(40)}`],
  ['no JSON', '{"orderId":"20270102030405"'],
  ['a form', 'a=1&b=2'],
])('keeps no content with %s', (_what, text) => {
  expect(deadLetter('dead', 'commands', record(text), reason).value).toBeNull();
});

it.each([
  ['a command', '{"orderId":"20270102030405","at":1760000000000,"description":"3 chairs, 4990 each"}'],
  ['names of a card without what they name', '{"CARDCVV":"","CARDCODE":"XXXXXXXXXXXX1234","cvv":null}'],
  ['no JSON and no digit', 'not JSON'],
  ['nothing', ''],
])('keeps everything else as it came: %s', (_what, text) => {
  const sound = record(text, { key: 'shop/1', headers: { own: 'kept' } });
  const letter = deadLetter('dead', 'commands', sound, reason);
  expect(letter).toMatchObject({ key: sound.rawKey, value: sound.value });
  expect(letter.headers).not.toHaveProperty('dead-letter-withheld');
});

it('keeps no content that is too long to be searched, and does not look at it', () => {
  const kept = (length: number) =>
    deadLetter('dead', 'commands', record('a'.repeat(length)), reason).value?.length ?? null;
  expect([kept(65_536), kept(65_537)]).toEqual([65_536, null]);
});

it('searches key, headers and value up to 65,536 bytes together, and keeps nothing of the rest', () => {
  const letterOf = (key: number, header: number, value: number) =>
    deadLetter(
      'dead',
      'commands',
      record('a'.repeat(value), { key: 'k'.repeat(key), headers: { h: 'é'.repeat(header / 2), own: 'kept' } }),
      reason,
    );
  const withheld = (...lengths: [number, number, number]) => letterOf(...lengths).headers?.['dead-letter-withheld'];
  // The header's name and the other header take 8 bytes.
  expect(withheld(1_000, 64_000, 528)).toBeUndefined();
  expect(withheld(1_000, 64_000, 529)).toBe('value');
  expect(withheld(0, 65_536, 1_000)).toBe('headers');
  expect(withheld(65_537, 64_000, 1_000)).toBe('key');
  expect(letterOf(0, 1_000_000, 1_000).headers).toMatchObject({ own: 'kept' });
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`h${at}`, 'a'.repeat(1_000)]));
  const letter = deadLetter('dead', 'commands', record('{}', { headers: many }), reason);
  expect(Object.keys(letter.headers ?? {}).filter((name) => name.startsWith('h'))).toHaveLength(65);
});

it('copies headers as they came: without a value, several of one name, and bytes that are no text', () => {
  const rawHeaders = {
    'x-trace': [null],
    twice: [Buffer.from('a'), null, Buffer.from('b')],
    bytes: [Buffer.from([0xff])],
  };
  const letter = deadLetter(
    'dead',
    'commands',
    { ...record('{}'), headers: { twice: 'a', bytes: '\ufffd' }, rawHeaders },
    reason,
  );
  expect(letter.headers).toMatchObject(rawHeaders);
  const cards = { ...rawHeaders, twice: [null, Buffer.from(CARD)] };
  const withheld = deadLetter('dead', 'commands', { ...record('{}'), rawHeaders: cards }, reason);
  expect(withheld.headers).toMatchObject({ 'x-trace': [null], 'dead-letter-withheld': 'headers' });
  expect(withheld.headers).not.toHaveProperty('twice');
});

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

it('keeps everything else as it came', () => {
  const sound = record('{"orderId":"20270102030405","at":1760000000000', { key: 'shop/1', headers: { own: 'kept' } });
  const letter = deadLetter('dead', 'commands', sound, reason);
  expect(letter).toMatchObject({ key: sound.rawKey, value: sound.value });
  expect(letter.headers).not.toHaveProperty('dead-letter-withheld');
});

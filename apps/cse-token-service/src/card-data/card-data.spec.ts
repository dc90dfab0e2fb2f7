import { randomUUID } from 'node:crypto';
import { HeaderScan, idHoldsCard, textHoldsCards } from './card-data.js';
import { readKeyRequest } from '../keys/cse-keys.controller.js';

const CARD = '4111111111111111';
const KNOWN = '00000000-0000-4000-8000-00000000000a';
const DIGITS_ONLY = '4111-1111-1111-1111-0000-00000000-00';

describe('a text', () => {
  it.each([
    CARD,
    '4111 1111 1111 1111',
    `/v1/cse-keys/${CARD}`,
    `/v1/cse-keys?number=${CARD}`,
    '/v1/cse-keys?a=4111%201111%201111%201111',
    '/v1/cse-keys?a=4111+1111+1111+1111',
    `/v1/cse-keys?a=${encodeURIComponent('４１１１１１１１１１１１１１１１')}`,
    '/v1/cse-keys?cvv=123',
    '/v1/cse-keys/cardcode',
    'CARDCVV=123&CARDVALIDITYDATE=12-30',
    '{"CARDCVV":"123',
    '%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31%zz',
    '<card><pan>1</pan></card>',
  ])('%s holds card data', (text) => expect(textHoldsCards(text)).toBe(true));

  it.each([
    '',
    '/',
    '/v1/cse-keys',
    '/v1/cse-keys?x=1',
    '/favicon.ico',
    '/%zz',
    '{"apiKeyId":',
    `/v1/cse-keys?id=${KNOWN}`,
  ])('%s holds none', (text) => expect(textHoldsCards(text)).toBe(false));
});

describe('headers', () => {
  it.each([
    [['X-Card', CARD]],
    [['Cookie', `a=1; last=${CARD}`]],
    [['Referer', `https://shop.example/?card=${encodeURIComponent('4111 1111 1111 1111')}`]],
    [['User-Agent', `Mozilla ${CARD}`]],
    [['Host', 'a.example', 'x-number', '4111-1111-1111-1111']],
    [['CardCvv', '123']],
    [[CARD, '1']],
    [['x', 'cvv=123']],
    [['x-request-id', CARD]],
    [['traceparent', `00-${CARD}-${CARD}-01`]],
    [['x-datadog-trace-id', '4111 1111 1111 1111']],
    [['x-amzn-trace-id', `Root=${CARD}`]],
    [['x-order', '4111111111111111']],
  ])('%j hold card data, each time', (raw) => {
    const guard = new HeaderScan();
    expect([guard.holdsCards(raw), guard.holdsCards(raw)]).toEqual([true, true]);
  });

  it.each([
    [['Cookie', '_ga=GA1.2.1234567890.1700000000']],
    [['X-Request-Id', '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f']],
    [
      [
        'User-Agent',
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      ],
    ],
    [['x-order', '1700000000004']],
    [['Host', '127.0.0.1:4040', 'accept-language', 'fr-FR,fr;q=0.9']],
    [['x-datadog-trace-id', CARD, 'x-datadog-parent-id', CARD]],
    [['X-Cloud-Trace-Context', `${CARD}${CARD}/${CARD};o=1`]],
    [['traceparent', `00-${CARD}${CARD}-${CARD}-01`]],
    [['X-Request-Id', '41111111-1111-1111-a000-000000000000']],
    [['x-request-id', `${CARD}abcdefabcdefabcd`]],
    [
      [
        'X-Amzn-Trace-Id',
        `Self=1-67891234-12456789abcdef012345678a;Root=1-${CARD.slice(0, 8)}-${CARD}abcdefab;Sampled=1`,
      ],
    ],
    [['b3', `${CARD}-${CARD}-1`, 'x-b3-traceid', CARD, 'cf-ray', `${CARD}-CDG`]],
  ])('%j hold none, each time', (raw) => {
    const guard = new HeaderScan();
    expect([guard.holdsCards(raw), guard.holdsCards(raw)]).toEqual([false, false]);
  });

  it('of proxies are accepted with any random number', () => {
    const guard = new HeaderScan();
    const random = new Uint8Array(24);
    for (let n = 0; n < 2_000; n++) {
      const hex = Buffer.from(crypto.getRandomValues(random)).toString('hex');
      const decimal = BigInt(`0x${hex.slice(32)}`).toString();
      const traces = {
        traceparent: `00-${hex.slice(0, 32)}-${hex.slice(32)}-01`,
        'x-datadog-trace-id': decimal,
        'x-request-id': randomUUID(),
      };
      expect(Object.entries(traces).filter((header) => guard.holdsCards(header))).toEqual([]);
    }
  });

  it('of any number are remembered within bounds, and judged as before', () => {
    const guard = new HeaderScan();
    for (let n = 0; n < 3_000; n++) expect(guard.holdsCards(['x', `value ${n}`])).toBe(false);
    expect(guard.holdsCards(['x', CARD])).toBe(true);
  });
});

describe('a request', () => {
  const codeOf = (text: string, isKnown: (id: string) => boolean = () => false) => {
    try {
      readKeyRequest(text, isKnown);
      return 'taken';
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };

  it.each([
    ['twice the same name, the first a card number', `{"apiKeyId":"${CARD}","apiKeyId":"${KNOWN}"}`],
    ['a card number in a list', `{"apiKeyId":"${KNOWN}","x":[["${CARD}"]]}`],
    ['a card number as a number', `{"apiKeyId":"${KNOWN}","x":${CARD}}`],
    ['a card number in escapes', `{"apiKeyId":"${KNOWN}","x":"\\u0034111111111111111"}`],
    ['a name in escapes', `{"apiKeyId":"${KNOWN}","\\u0063vv":"1"}`],
    ['a card number behind a prototype', `{"apiKeyId":"${KNOWN}","__proto__":{"cvv":"123"}}`],
    ['only a card number', CARD],
    ['a card number as text', `"${CARD}"`],
    ['a list of one', `["${CARD}"]`],
    ['JSON that breaks off', `{"CARDCVV":"123`],
    ['a card number behind the JSON', `{"apiKeyId":"${KNOWN}"} ${CARD}`],
  ])('with %s is refused as card data', (_, text) => expect(codeOf(text)).toBe('card_data_refused'));

  it('with our own ids is accepted, even if they look like card numbers', () => {
    expect(codeOf(JSON.stringify({ apiKeyId: DIGITS_ONLY }))).toBe('card_data_refused');
    expect(codeOf(JSON.stringify({ apiKeyId: DIGITS_ONLY }), (id) => id === DIGITS_ONLY)).toBe('taken');
    expect(codeOf(JSON.stringify({ apiKeyId: KNOWN, refused: CARD }), (id) => id === CARD)).toBe('taken');
    expect(codeOf(`{ "refused": "1700000000004", "apiKeyId": "${KNOWN}" }`)).toBe('taken');
  });

  it.each([
    ['1700000000004', false],
    ['key-1', false],
    [CARD, true],
    [{ cvv: 1 }, true],
    [7, false],
  ])('with the refused key %j: holds a card %s', (id, holds) => expect(idHoldsCard(id)).toBe(holds));
});

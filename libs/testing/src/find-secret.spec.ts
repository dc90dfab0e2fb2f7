import { findSecret } from './find-secret.js';

const NUMBER = '4970101200040016';
const base64 = (text: string) => Buffer.from(text).toString('base64');

it.each([
  ['as it is', `{"card":"${NUMBER}"}`],
  ['with spaces', 'card 4970 1012 0004 0016'],
  ['with dashes', '4970-1012-0004-0016'],
  ['digit by digit', [...NUMBER].join(' ')],
  ['a list of digits', JSON.stringify([...NUMBER])],
  ['backwards', [...NUMBER].reverse().join('')],
  ['percent-encoded', [...NUMBER].map((digit) => `%3${digit}`).join('')],
  ['hex', Buffer.from(NUMBER).toString('hex')],
  ['bytes', JSON.stringify([...Buffer.from(NUMBER)])],
  ...[0, 1, 2].map((shift) => [`base64, ${shift} in`, base64(`${'x'.repeat(shift)}${NUMBER}!`)]),
  ['base64 of JSON', base64(JSON.stringify({ a: 1, CARDCODE: NUMBER, b: 2 }))],
])('finds a card number %s', (_, text) => {
  expect(findSecret(text, NUMBER)).not.toEqual([]);
});

it.each(['739', '"cvv":"739"', 'cvv=739&x=1', `{"c":${base64('739')}}`, '%37%33%39'])('finds a CVV in %s', (text) => {
  expect(findSecret(text, '739')).not.toEqual([]);
});

it.each(['', 'XXXXXXXXXXXX0016', '4970101200040017', '1739000001', 'sessions/a739b', 'port 17390'])(
  'finds neither in %j',
  (text) => {
    expect([...findSecret(text, NUMBER), ...findSecret(text, '739')]).toEqual([]);
  },
);

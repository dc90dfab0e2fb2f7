import { clientIpOf } from './client-address.js';
import { contentSecurityPolicy } from './content-security-policy.js';
import { orderAddress } from './order-address.js';
import { isSameOrigin } from './same-origin.js';

it.each([
  [{ origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' }, true],
  [{ origin: 'https://shop.example' }, true],
  [{ origin: 'https://shop.example.evil' }, false],
  [{ origin: 'http://shop.example' }, false],
  [{ origin: 'null' }, false],
  [{}, false],
  [{ 'sec-fetch-site': 'same-origin' }, false],
  [{ origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }, false],
  [{ origin: 'https://shop.example', 'sec-fetch-site': 'same-site' }, false],
])('a post with %j is of the shop: %s', (headers, expected) => {
  expect(isSameOrigin(headers, 'https://shop.example')).toBe(expected);
});

it.each([
  ['92.184.100.10', '92.184.100.10'],
  ['::ffff:92.184.100.10', '92.184.100.10'],
  ['127.0.0.1', '203.0.113.10'],
  ['10.1.2.3', '203.0.113.10'],
  ['::1', '203.0.113.10'],
  ['2001:db8::1', '203.0.113.10'],
  ['', '203.0.113.10'],
])('a browser at %s is told as %s', (address, ip) => {
  expect(clientIpOf(address, '203.0.113.10')).toBe(ip);
});

const ORDER = '0123456789abcdef0123456789abcdef';
it.each<[unknown, string]>([
  [{ orderId: ORDER, hint: 'success' }, `/orders/${ORDER}?hint=success`],
  [{ orderId: ORDER, hint: 'https://evil.example' }, `/orders/${ORDER}`],
  [{ orderId: ORDER }, `/orders/${ORDER}`],
  [{ orderId: '//evil.example' }, '/orders/unknown'],
  [{ orderId: [ORDER] }, '/orders/unknown'],
  [undefined, '/orders/unknown'],
])('who comes back with %j goes to %s', (query, address) => {
  expect(orderAddress(query)).toBe(address);
});

it('the page may talk to the shop, the key service and the tokenizer, and to nobody else', () => {
  const directives = contentSecurityPolicy({
    cseKeysUrl: new URL('https://keys.example/v1/cse-keys'),
    tokenizerUrl: new URL('https://tokens.example/tokenizer?x=1'),
  });
  expect(directives['connect-src']).toEqual(["'self'", 'https://keys.example', 'https://tokens.example']);
  expect(JSON.stringify(directives)).not.toMatch(/unsafe|\*/);
});

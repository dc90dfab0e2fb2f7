import { Metrics } from '@tranche/service-kit';
import type { CheckoutConfig } from '../checkout.config.js';
import { orderIdOf, pageIdOf } from '../order/order.js';
import { orderAddress, orderCookie, returnOf } from '../order/order-cookie.js';
import { contentSecurityPolicy } from './page-files.js';
import { clientIpOf, isSameOrigin, Visitors } from './visitors.service.js';

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
  expect(clientIpOf(address)).toBe(ip);
});

it('attempts of an IPv6 network count together, since a visitor has all its addresses', () => {
  const headers = { origin: 'https://shop.example' };
  const config = { attemptsPerMinute: 1, origin: headers.origin } as CheckoutConfig;
  const visitors = new Visitors(config, new Metrics('shop'));
  visitors.admit({ ip: '2001:db8::1', headers });
  expect(() => visitors.admit({ ip: '2001:db8::2', headers })).toThrow(expect.objectContaining({ status: 429 }));
  expect(visitors.admit({ ip: '2001:db8:0:1::2', headers })).toMatchObject({ userAgent: '' });
});

const PAGE = pageIdOf('0b9e6e4c-4e0e-4c07-9a4a-0123456789ab');
const ORDER = orderIdOf(PAGE);
const [COOKIE = ''] = orderCookie(PAGE, false).split(';');
it.each<[unknown, string | undefined, string]>([
  [{ orderId: ORDER, hint: 'success' }, `a=b; ${COOKIE}; c=d`, `/orders/${PAGE}?hint=success`],
  [{ orderId: ORDER, hint: 'https://evil.example' }, COOKIE, `/orders/${PAGE}`],
  [{ orderId: ORDER }, COOKIE, `/orders/${PAGE}`],
  [{ orderId: ORDER }, undefined, '/orders/unknown'],
  [{ orderId: ORDER }, `order-${ORDER}=//evil.example`, '/orders/unknown'],
  [{ orderId: '//evil.example' }, COOKIE, '/orders/unknown'],
  [{ orderId: [ORDER] }, COOKIE, '/orders/unknown'],
  [undefined, COOKIE, '/orders/unknown'],
])('who comes back with %j, and the cookie %s, goes to %s', (query, cookies, address) => {
  expect(orderAddress(returnOf(query, cookies))).toBe(address);
});

it('no script reads the cookie of an order, and no other site sends it with a post', () => {
  expect(orderCookie(PAGE, true)).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
  expect(orderCookie(PAGE, false)).not.toContain('Secure');
});

it('the page may connect to the shop, the key service and the tokenizer only', () => {
  const directives = contentSecurityPolicy({
    cseKeysUrl: new URL('https://keys.example/v1/cse-keys'),
    tokenizerUrl: new URL('https://tokens.example/tokenizer?x=1'),
  });
  expect(directives['connect-src']).toEqual(["'self'", 'https://keys.example', 'https://tokens.example']);
  expect(JSON.stringify(directives)).not.toMatch(/unsafe|\*/);
});

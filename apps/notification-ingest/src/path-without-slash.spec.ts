import { pathWithoutSlash } from './path-without-slash.js';

it.each([
  ['/notifications', '/notifications'],
  ['/notifications/', '/notifications'],
  ['/notifications/?A=/', '/notifications?A=/'],
  ['/notifications?A=/', '/notifications?A=/'],
  ['//return//shop//?A=//', '/return/shop?A=//'],
  ['/?A=1', '/?A=1'],
  ['/', '/'],
  ['', ''],
])('%s is the path %s', (url, path) => expect(pathWithoutSlash(url)).toBe(path));
